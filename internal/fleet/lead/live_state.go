package lead

import (
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

const (
	stateEvery = 500 * time.Millisecond
	rateSpan   = 10 * time.Second // that rates are over
)

// course is what the agents together had counted at a moment.
type course struct {
	at  time.Time
	sum load.Snapshot
}

// stateTeller makes the states of a fleet's run from what its agents told last. Agents send
// histograms of the whole run: so the percentiles are of the whole run, and of what has ended.
type stateTeller struct {
	l     *leader
	past  []course // of the last ten seconds, one a state
	ended bool
}

// tell tells of the run now, if anybody listens, twice a second.
func (t *stateTeller) tell() {
	feed := t.l.host.Live
	if feed == nil {
		return
	}
	now := time.Now()
	if n := len(t.past); n > 0 && now.Sub(t.past[n-1].at) < stateEvery && !t.ended {
		return
	}
	feed.Tell(t.state(now))
}

// end tells the last state.
func (t *stateTeller) end() {
	t.ended = true
	t.tell()
}

func (t *stateTeller) state(now time.Time) *live.State {
	l, sum := t.l, t.l.sum()
	s := &live.State{
		Time: now.UnixNano(), At: now.Sub(l.began).Seconds(), Name: filepath.Base(l.folder.path),
		Length: l.plan.Spec.Length().Seconds(), Total: len(l.list.requests),
		Sent: sum.Sent, InFlight: sum.InFlight, Completed: sum.Completed, Failed: sum.Failed, HungUp: sum.HungUp, Tokens: sum.Tokens,
		Note: "percentiles are of the whole run",
	}
	if l.plan.Spec.Unbounded {
		s.Total = 0
	}
	t.rates(s, course{now, sum})
	var ttft, itl *hist.Histogram
	for _, a := range l.agents {
		v := a.look()
		s.Agents = append(s.Agents, live.Agent{
			Name: outside.Word(a.title()), Phase: outside.Word(string(v.status.Phase)), Sent: int64(v.status.Sent), Ended: int64(v.status.Done + v.status.Failed + v.status.HungUp),
			Silent: !v.over() && v.silent > silentAfter,
		})
		ttft, itl = merged(ttft, v.status.Live["ttft"]), merged(itl, v.status.Live["itl"])
	}
	s.TTFT, s.ITL = windowOf(ttft), windowOf(itl)
	s.Phase = t.phase(s)
	s.Left = s.Estimate(sum.Done(s.Total), 0)
	return s
}

// rates are over the last ten seconds, or over the run where it is younger.
func (t *stateTeller) rates(s *live.State, now course) {
	for len(t.past) > 0 && now.at.Sub(t.past[0].at) > rateSpan {
		t.past = t.past[1:]
	}
	before := course{at: t.l.began}
	if len(t.past) > 0 && s.At > rateSpan.Seconds() {
		before = t.past[0]
	}
	if seconds := now.at.Sub(before.at).Seconds(); seconds > 0 {
		s.TokensPerS = max(float64(now.sum.Tokens-before.sum.Tokens)/seconds, 0)
		s.RequestsPerS = max(float64(now.sum.Completed-before.sum.Completed)/seconds, 0)
	}
	t.past = append(t.past, now)
}

// phase is that of the agent that has the longest way to go.
func (t *stateTeller) phase(s *live.State) live.Phase {
	phases := map[message.Phase]int{}
	for _, a := range s.Agents {
		phases[message.Phase(a.Phase)]++
	}
	switch {
	case t.ended:
		return live.Ended
	case phases[message.Running] > 0:
		return live.Running
	case s.At < 0 || phases[message.Preparing]+phases[message.Ready] > 0:
		return live.Preparing
	}
	return live.Draining // journals are on their way
}

// windowOf is in milliseconds.
func windowOf(h *hist.Histogram) live.Window {
	if h == nil || h.Count() == 0 {
		return live.Window{}
	}
	return live.Window{Count: int64(h.Count()), P50: h.Percentile(50) / 1e6, P99: h.Percentile(99) / 1e6}
}
