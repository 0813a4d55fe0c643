package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// Jobs are conversations measured as a whole. Times and tokens are of the complete ones that were begun at the beginning of
// their recording: what was cut off, or begun inside it, has no time from begin to end.
type Jobs struct {
	Begun    int // = Complete + Failed + Cut + Open
	Complete int // each turn was sent and succeeded
	Failed   int // a turn failed
	Cut      int // the run ended before they did
	Open     int // nothing is known of their end: the run was killed, or its journal is not whole
	Inside   int // of the begun: begun inside their recording; a complete one of these counts in rates and in no time
	Turns    JobTurns

	Traces  int // recordings that could be played; 0: not known, or there are none
	Touched int // of these played, in part at least

	PerHour    float64  // complete ones per hour of the run
	PerGPUHour *float64 // nil: --gpus was not given

	Time     GroupLatency // from when the first turn was due to the last answer
	Model    GroupLatency // of that, along the critical path, the time in which the server had a request
	Path     JobPath
	Survival *JobSurvival // nil where no job was cut off
	Good     *JobGoodput  // nil without a limit on jobs

	TurnsEach    Amounts // turns that succeeded, of each that ended, whatever its outcome
	Branches     Amounts // agents of a job, its root among them
	AtOnce       Amounts // the most of its requests in flight at one moment
	PromptTokens Amounts // prompts of all its turns, as the server counted; of those of which it counted all
	OutputTokens Amounts
	Hits         JobHits

	Kinds    []JobKind      // of the turns of jobs that ended, by the kind of their agent; the root's first
	Lateness *sample.Spread // of all turns: sent − due, without the wait for a slot; nil: there is none
	Idle     JobIdle
}

// JobTurns count requests of jobs that ended: Planned = Sent + Skipped.
type JobTurns struct {
	Planned  int64 `json:"planned"`
	Sent     int64 `json:"sent"`
	Skipped  int64 `json:"skipped"` // never sent, since an earlier one failed or the run ended
	Complete int64 `json:"complete"`
}

// JobPath is where the time of a job went along its critical path: means in ms over the jobs of Time. The parts add up to its mean.
type JobPath struct {
	Known   int // jobs of which the path is known
	Pause   float64
	Held    float64
	Late    float64
	Slot    float64
	Queue   *float64 // nil: the server does not say, and Prefill has it in it
	Prefill float64
	Decode  float64
	Whole   float64
	Turns   float64 // on the path
}

// JobSurvival is the time of jobs with those that the end of the run cut off counted for as long as they were seen (Kaplan
// and Meier), in ms; nil: too many were cut off to know it.
type JobSurvival struct {
	Jobs, Cut     int
	P50, P90, P99 *float64
	all           *job.Survival
}

// bounds of a statistic of jobs of which some were cut off: from that of the complete ones to that of all, as far as the
// others were seen. What is no percentile of their time has no upper one.
func (j *Jobs) bounds(r *Result, n metric.Name) (low, high float64, ok bool) {
	low, ok = r.Value(n.String())
	if !ok || j.Survival == nil {
		return 0, 0, false
	}
	high = math.Inf(1)
	if p, isOne := n.Statistic.Percentile(); isOne && n.Metric.Name != jobModel {
		if v := j.Survival.all.Percentile(p) * 1000; !math.IsNaN(v) {
			high = max(v, low)
		}
	}
	return low, high, true
}

// JobGoodput is what of the jobs met every limit on jobs of --goodput.
type JobGoodput struct {
	Good    int     // complete ones that met each limit
	Jobs    int     // that were complete or failed
	Share   float64 // good / jobs
	PerHour float64
	Limits  []Limit
}

// JobHits are shares of the prompts of a job that a prefix cache has: see HitShares.
type JobHits struct{ Planned, Sent, Measured Amounts }

// JobIdle is time in which no answer was waited for, in seconds.
type JobIdle struct {
	Nothing    float64 // of the run with nothing in flight
	Skipped    float64 // skipped in all jobs at once, since nothing was in flight
	Skips      int     // how often
	JobSkipped float64 // skipped in single jobs of which nothing was in flight, added up over those that ended
	JobSkips   int
}

// The bounds of what is kept: turns of jobs that have not ended (some 250 MB), kinds of agents, recordings that are told apart.
const (
	maxOpenTurns = 1 << 21
	maxKinds     = 100
	maxTraces    = 1 << 20
)

// jobs takes in conversations. Of one that is open it keeps its turns, of one that has ended a few numbers: they end in any
// order, and there may be millions.
type jobs struct {
	out     Jobs
	limited bool // requests may wait for a slot
	open    map[int]*openJob
	kept    int // turns of open ones
	traces  map[string]bool

	time, model   *sample.Sample
	times, models gapLog // the first ones in the order in which they ended
	path          job.Split
	paths         int
	seen          []seenJob // limited
	lastSent      int64

	turns, branches, atOnce, prompt, given amounts
	planned, sent, measured                amounts
	late                                   *sample.Sample
	kinds                                  map[string]*kindSums
	idle                                   job.Idle
	limits                                 jobLimits
	pauses                                 bool // a turn waited for more than an answer
}

// openJob is what is kept of a job that has not ended.
type openJob struct {
	turns             []job.Turn
	lost              bool // more were open than are kept
	requests, counted int32
	prompt, output    int64
	cached            Cached
	hits              hits
}

// seenJob is when a job was begun and when it ended.
type seenJob struct {
	begin, end int64
	outcome    journal.ConversationOutcome
}

func newJobs(run *journal.Run, opt *Options) *jobs {
	one := amounts{unit: 1}
	share := amounts{unit: 1e-6}
	return &jobs{
		limited: run.Options.MaxConcurrency > 0, open: map[int]*openJob{}, traces: map[string]bool{}, kinds: map[string]*kindSums{},
		time: sample.New(opt.ExactLimit), model: sample.New(opt.ExactLimit), late: sample.New(opt.ExactLimit),
		turns: one, branches: one, atOnce: one, prompt: one, given: one, planned: share, sent: share, measured: share,
		times: gapLog{limit: earlyLen}, models: gapLog{limit: earlyLen}, limits: newJobLimits(opt.Goodput),
	}
}

// add takes in a measured request.
func (t *jobs) add(r *row.Request) {
	if r.Conversation <= 0 {
		return
	}
	t.idle.Add(r.Sent, r.End)
	t.lastSent = max(t.lastSent, r.Sent)
	t.pauses = t.pauses || r.Delay > 0
	t.late.Add(seconds(t.lateness(r.Due, r.Released, r.Sent)))
	one := t.open[r.Conversation]
	if one == nil {
		one = &openJob{}
		t.open[r.Conversation] = one
	}
	if one.lost = one.lost || t.kept >= maxOpenTurns; one.lost {
		t.kept -= len(one.turns)
		one.turns = nil
		return
	}
	t.kept++
	one.turns = append(one.turns, job.NewTurn(r))
	one.hits.add(r)
	if !r.Row.OK {
		return
	}
	one.requests++
	one.output += int64(r.Row.Output)
	if r.Row.Counted >= 0 {
		one.counted++
		one.prompt += int64(r.Row.Counted)
	}
	one.cached.add(&r.Row)
}

// lateness is what the client was late by: the wait for a slot is not in it.
func (t *jobs) lateness(due, released, sent int64) int64 {
	if t.limited {
		return max(released-due, 0)
	}
	return max(sent-due, 0)
}

// ended takes in the line of a conversation, which comes after those of its requests.
func (t *jobs) ended(c *journal.Conversation) {
	one := t.open[c.Number]
	delete(t.open, c.Number)
	if one == nil {
		one = &openJob{lost: true}
	}
	t.kept -= len(one.turns)
	t.out.Begun++
	if c.Before > 0 {
		t.out.Inside++
	}
	if c.Trace != "" && len(t.traces) < maxTraces {
		t.traces[c.Trace] = true
	}
	n := &t.out.Turns
	n.Planned += int64(c.Turns)
	n.Sent += int64(c.Sent)
	n.Skipped += int64(c.Skipped)
	n.Complete += int64(c.Complete)
	t.out.Idle.JobSkipped += seconds(c.IdleSkipped)
	t.out.Idle.JobSkips += c.IdleSkips
	t.turns.add(float64(c.Complete))
	t.branches.add(float64(max(len(c.Branches), 1)))
	if c.Before == 0 && len(t.seen) < t.time.Limit {
		t.seen = append(t.seen, seenJob{c.Begin, c.End, c.Outcome})
	}
	var path []job.Step
	switch c.Outcome {
	case journal.ConversationComplete:
		t.out.Complete++
		path = t.done(c, one)
	case journal.ConversationAbandoned:
		t.out.Cut++
	default:
		t.out.Failed++
	}
	t.byKind(c, one, path)
}

// done takes in a complete one and gives its critical path; nil: it is not known, or of a part of the job alone.
func (t *jobs) done(c *journal.Conversation, one *openJob) []job.Step {
	all := int32(c.Sent)
	if one.requests == all {
		t.given.add(float64(one.output))
	}
	if one.counted == all {
		t.prompt.add(float64(one.prompt))
	}
	if v, ok := one.cached.Share(); ok && one.cached.Known == int(all) {
		t.measured.add(v)
	}
	shares := one.hits.shares()
	if shares.Planned != nil {
		t.planned.add(*shares.Planned)
	}
	if shares.Sent != nil {
		t.sent.add(*shares.Sent)
	}
	if !one.lost {
		t.atOnce.add(float64(atOnce(one.turns)))
	}
	if c.Before > 0 {
		return nil
	}
	took := c.End - c.Begin
	t.time.Add(seconds(took))
	t.times.add(c.End, took)
	path := job.Path(c.Begin, one.turns, t.limited)
	var split job.Split
	for i := range path {
		split.Add(&path[i].Split)
	}
	if path == nil || split.Time() != took { // its line says another end than its requests
		t.limits.add(took, -1)
		return nil
	}
	t.limits.add(took, split.Model())
	t.path.Add(&split)
	t.paths++
	t.model.Add(seconds(split.Model()))
	t.models.add(c.End, split.Model())
	return path
}

// atOnce is the most turns that were in flight at one moment.
func atOnce(turns []job.Turn) int {
	type change struct {
		at int64
		by int
	}
	list := make([]change, 0, 2*len(turns))
	for i := range turns {
		list = append(list, change{turns[i].Sent, 1}, change{turns[i].End, -1})
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	now, most := 0, 0
	for _, c := range list {
		now += c.by
		most = max(most, now)
	}
	return most
}

// begun says that the run had conversations.
func (t *jobs) begun() bool { return t.out.Begun > 0 || len(t.open) > 0 }

// result is nil in a run without conversations.
func (t *jobs) result(r *Result, percentiles []float64) *Jobs {
	if !t.begun() {
		return nil
	}
	out := t.out
	out.Open = len(t.open)
	out.Begun += out.Open
	out.PerHour = 3600 * perSecond(out.Complete, r.Duration)
	latency := func(s *sample.Sample) GroupLatency { return GroupLatency{summarize(s), askedBeyond(s, percentiles)} }
	out.Time, out.Model = latency(t.time), latency(t.model)
	out.Path, out.Survival, out.Good = t.pathResult(), t.survival(), t.limits.result(&out, r)
	out.TurnsEach, out.Branches, out.AtOnce = t.turns.result(), t.branches.result(), t.atOnce.result()
	out.PromptTokens, out.OutputTokens = t.prompt.result(), t.given.result()
	out.Hits = JobHits{t.planned.result(), t.sent.result(), t.measured.result()}
	out.Kinds, out.Lateness = t.kindResults(percentiles), t.late.Spread()
	out.Traces, out.Touched = r.Run.Options.Traces, len(t.traces)
	out.Idle.Nothing = seconds(t.idle.Time(int64(math.Round(r.Duration * 1e9))))
	if r.End != nil {
		for _, s := range r.End.Skips {
			out.Idle.Skipped += seconds(s.By)
			out.Idle.Skips++
		}
	}
	if n := r.Run.Options.GPUs; n > 0 {
		out.PerGPUHour = new(out.PerHour / float64(n))
	}
	return &out
}

func (t *jobs) pathResult() JobPath {
	n := float64(t.paths)
	if t.paths == 0 {
		return JobPath{}
	}
	mean := func(ns int64) float64 { return float64(ns) / 1e6 / n }
	s := &t.path
	p := JobPath{
		Known: t.paths, Pause: mean(s.Pause), Held: mean(s.Held), Late: mean(s.Late), Slot: mean(s.Slot),
		Prefill: mean(s.Prefill), Decode: mean(s.Decode), Whole: mean(s.Whole), Turns: float64(s.Turns) / n,
	}
	if s.Queued == s.Turns {
		p.Queue = new(mean(s.Queue))
	} else {
		p.Prefill += mean(s.Queue)
	}
	return p
}

// survival counts jobs up to the last moment at which a turn was sent: of those that were open then, the ones that were
// waited for are the ones near their end, and would be a choice.
func (t *jobs) survival() *JobSurvival {
	if t.out.Cut == 0 || len(t.seen) == 0 {
		return nil
	}
	out := &JobSurvival{Jobs: len(t.seen)}
	list := make([]job.Seen, 0, len(t.seen))
	for _, s := range t.seen {
		one := job.Seen{Time: seconds(min(s.end, t.lastSent) - s.begin), Done: s.outcome == journal.ConversationComplete && s.end <= t.lastSent}
		if s.outcome == journal.ConversationAbandoned {
			one.Time = seconds(t.lastSent - s.begin)
			out.Cut++
		}
		list = append(list, one)
	}
	s := job.NewSurvival(list)
	at := func(p float64) *float64 {
		v := s.Percentile(p) * 1000
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	out.all, out.P50, out.P90, out.P99 = s, at(50), at(90), at(99)
	return out
}

// jobModel is the metric of Jobs.Model.
const jobModel = "job_model"

// sample is the values of a metric per job, and what its intervals are made of.
func (t *jobs) sample(name string) (*sample.Sample, stats.Chain) {
	if name == jobModel {
		return t.model, t.models.chain()
	}
	return t.time, t.times.chain()
}
