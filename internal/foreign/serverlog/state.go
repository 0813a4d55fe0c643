package serverlog

import "math"

// State is what the lines of a log have said up to now, under names of their own for the
// journal: those of gauges as they are, totals since the first line.
type State struct {
	engines map[int]*engineState
	spec    map[string]float64 // totals of speculative decoding
	before  *SpecDecode        // the first line that counts from the server's start
}

type engineState struct {
	last        Engine
	at          float64 // seconds, of the last line
	told        bool
	preempted   float64
	prompt, gen float64 // tokens since the first line
}

// The names under which the journal keeps what a log says.
const (
	LogRunning     = "log:running"
	LogWaiting     = "log:waiting"
	LogSwapped     = "log:swapped"
	LogCacheUse    = "log:cache_use"
	LogHitRate     = "log:prefix_hit_rate"
	LogPreemptions = "log:preemptions"
	LogPrompt      = "log:prompt_tokens"
	LogGenerated   = "log:generated_tokens"
	LogDrafts      = "log:drafts"
	LogDrafted     = "log:draft_tokens"
	LogAccepted    = "log:accepted_tokens"
	LogEmitted     = "log:emitted_tokens"
)

// NewState has heard nothing yet.
func NewState() *State { return &State{engines: map[int]*engineState{}, spec: map[string]float64{}} }

// Line takes in a line that was written at a time in seconds; told says that it was about
// something that is kept.
func (s *State) Line(line string, at float64) (told bool) {
	if e, ok := ParseEngine(line); ok {
		s.engine(&e, at)
		return true
	}
	if d, ok := ParseSpecDecode(withoutColours(line)); ok {
		s.specDecode(&d)
		return true
	}
	return false
}

func (s *State) engine(e *Engine, at float64) {
	was := s.engines[e.Index]
	if was == nil {
		was = &engineState{}
		s.engines[e.Index] = was
	}
	if math.IsNaN(e.Running) { // engine V0's line of hit rates
		was.last.HitRate = e.HitRate
		return
	}
	if math.IsNaN(e.HitRate) && was.told {
		e.HitRate = was.last.HitRate
	}
	if was.told && at > was.at { // a line covers the time since the one before
		was.prompt += orZero(e.PromptPerS) * (at - was.at)
		was.gen += orZero(e.GeneratedPerS) * (at - was.at)
		was.preempted += orZero(e.Preemptions)
	}
	was.last, was.at, was.told = *e, at, true
}

func (s *State) specDecode(d *SpecDecode) {
	if d.SinceStart {
		if s.before == nil {
			s.before = d
		}
		s.spec[LogAccepted], s.spec[LogDrafted] = float64(d.Accepted-s.before.Accepted), float64(d.Drafted-s.before.Drafted)
		s.spec[LogDrafts], s.spec[LogEmitted] = d.steps-s.before.steps, d.emitted-s.before.emitted
		return
	}
	s.spec[LogAccepted] += float64(d.Accepted)
	s.spec[LogDrafted] += float64(d.Drafted)
	if d.steps > 0 {
		s.spec[LogDrafts] += d.steps
		s.spec[LogEmitted] += d.emitted
	}
}

// mostTold is above all that a log can mean.
const mostTold = 1 << 53

// Values are what is known now, of all engines together: sums, and means of shares.
func (s *State) Values() map[string]float64 {
	out, count := map[string]float64{}, map[string]float64{}
	add := func(name string, v float64) {
		if v >= 0 && v <= mostTold { // and no NaN
			out[name] += v
			count[name]++
		}
	}
	for _, e := range s.engines {
		if !e.told {
			continue
		}
		add(LogRunning, e.last.Running)
		add(LogWaiting, e.last.Waiting)
		add(LogSwapped, e.last.Swapped)
		add(LogCacheUse, e.last.CacheUse)
		add(LogHitRate, e.last.HitRate)
		add(LogPreemptions, e.preempted)
		add(LogPrompt, e.prompt)
		add(LogGenerated, e.gen)
	}
	for _, name := range []string{LogCacheUse, LogHitRate} {
		if count[name] > 0 {
			out[name] /= count[name]
		}
	}
	for name, v := range s.spec {
		add(name, max(v, 0))
	}
	return out
}

func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
