package measure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/journal"
)

// agentTurn is a turn of a branch whose prompt took 10 ms and whose answer took 20 more.
func agentTurn(index, conversation, branch int, due int64, change func(*journal.Request)) *journal.Request {
	r := turn(index, conversation, index+1, due, 100, 50, 10, 30)
	r.Branch, r.Due, r.Released, r.End = branch, due*ms, due*ms, (due+30)*ms
	r.Planned, r.PlannedOf, r.SentBefore, r.SentOf = 60, 100, 64, 100
	if change != nil {
		change(r)
	}
	return r
}

// follow lets a turn wait for others; place is the one that it is due after.
func follow(delay int64, place int, after ...int) func(*journal.Request) {
	return func(r *journal.Request) { r.After, r.Delay, r.Follows = after, delay*ms, place }
}

// agents is a job of a root that thinks, spawns two agents and joins them, and the begin of another one.
//
//	root 0 ─30 ─(20)─ 50 root 80 ─────────(5)── 155 root 185
//	                       └ Explore 80 ─ 110     │
//	                       └(10)─ Plan 90 ─ 120 ─ 150
func agents() *talking {
	run := closedRun(0)
	run.Options.MaxConcurrency, run.Options.GPUs, run.Options.Traces = 0, 2, 10
	return &talking{run: run, end: &journal.End{Skips: []journal.Skip{{At: 1, By: 2e9}, {At: 9, By: 1e9}}}, line: lines(
		agentTurn(0, 1, 0, 0, nil),
		agentTurn(1, 1, 0, 50, follow(20, 0, 0)),
		agentTurn(2, 1, 1, 80, follow(0, 0, 1)),
		agentTurn(3, 1, 2, 90, follow(10, 0, 1)),
		agentTurn(4, 1, 2, 120, follow(0, 0, 3)),
		agentTurn(10, 2, 0, 100, nil),
		agentTurn(5, 1, 0, 155, follow(5, 2, 1, 2, 4)),
		&journal.Conversation{
			Number: 1, Turns: 6, Sent: 6, Complete: 6, Outcome: journal.ConversationComplete, End: 185 * ms, Trace: "a", Play: 1,
			Branches: []journal.Branch{{Name: "root", Kind: "root"}, {Name: "sa:1", Kind: "Explore"}, {Name: "sa:2", Kind: "Plan"}},
		},
		agentTurn(20, 3, 0, 100, nil),
		&journal.Conversation{Number: 3, Turns: 1, Sent: 1, Complete: 1, Outcome: journal.ConversationComplete, Begin: 100 * ms, End: 130 * ms, Trace: "b", Play: 1, Before: 7},
		&journal.Conversation{
			Number: 2, Turns: 3, Sent: 1, Skipped: 2, Complete: 1, Outcome: journal.ConversationAbandoned, Begin: 100 * ms, End: 130 * ms, Trace: "a", Play: 2,
			IdleSkipped: 3e9, IdleSkips: 2,
		},
	)}
}

func TestJobs(t *testing.T) {
	r := measureAll(t, agents(), Options{Goodput: map[string]float64{"job": 185, "job_model": 149, "ttft": 500}})
	j := r.Jobs
	if j.Begun != 3 || j.Complete != 2 || j.Cut != 1 || j.Failed != 0 || j.Inside != 1 || j.Traces != 10 || j.Touched != 2 {
		t.Errorf("%+v", j)
	}
	// The one that was begun inside its recording counts in rates alone.
	if j.Time.Count != 1 || !close64(j.Time.Mean, 185) || !close64(j.Model.Mean, 150) || !close64(j.PerHour, 2*3600/0.185) || !close64(*j.PerGPUHour, 3600/0.185) {
		t.Errorf("time %+v, model %+v, %v an hour", j.Time, j.Model, j.PerHour)
	}
	if diff := cmp.Diff(JobPath{Known: 1, Pause: 35, Prefill: 50, Decode: 100, Turns: 5}, j.Path); diff != "" {
		t.Error(diff)
	}
	if j.Branches.Max != 3 || j.AtOnce.Max != 2 {
		t.Errorf("branches %+v, at once %+v", j.Branches, j.AtOnce)
	}
	var kinds []string
	onPath := 0.0
	for _, k := range j.Kinds {
		kinds = append(kinds, k.Kind)
		onPath += k.OnPath
	}
	if diff := cmp.Diff([]string{"root", "Plan", "Explore"}, kinds); diff != "" {
		t.Error(diff)
	}
	if k := j.Kinds[1]; k.Turns != 2 || k.Branches != 1 || !close64(k.TTFT.Mean, 10) || !close64(k.E2EL.Mean, 30) || !close64(k.OnPath, 70.0/185) || k.Cached.Tokens != 100 {
		t.Errorf("%+v", k)
	}
	if !close64(onPath, 1) {
		t.Errorf("kinds share %v of the path", onPath)
	}
	if j.Hits.Planned.Mean != 0.6 || j.Hits.Sent.Mean != 0.64 || j.Hits.Measured.Mean != 0.5 {
		t.Errorf("%+v", j.Hits)
	}
	if c := r.Cached; *c.Planned != 0.6 || *c.Sent != 0.64 || *c.Measured != 0.5 || len(c.Course) != 1 || *c.Course[0].Sent != 0.64 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff(JobIdle{Nothing: 0.025, Skipped: 3, Skips: 2, JobSkipped: 3, JobSkips: 2}, j.Idle); diff != "" {
		t.Error(diff)
	}
	if l := j.Lateness; l == nil || l.Max != 0 {
		t.Errorf("%+v", l)
	}
	// 185 ms are met, 150 ms of the model are not.
	if diff := cmp.Diff(&JobGoodput{Jobs: 1, Limits: []Limit{{Metric: "job", MS: 185}, {Metric: "job_model", MS: 149, Broken: 1, Alone: 1}}}, j.Good); diff != "" {
		t.Error(diff)
	}
	if len(r.Limits.Limits) != 1 || r.Limits.Good != 8 {
		t.Errorf("%+v", r.Limits)
	}
	for name, want := range map[string]float64{"median_job": 185, "jobs_per_gpu_hour": 3600 / 0.185, "job_goodput": 0, "sent_cached_share": 64} {
		if v, ok := r.Value(name); !ok || !close64(v, want) {
			t.Errorf("%s is %v, %v, not %v", name, v, ok, want)
		}
	}
}

// What is not told is not known: no GPUs, no path where a request is missing, no queue where the server is silent.
func TestJobsUnknown(t *testing.T) {
	j := agents()
	j.run.Options.GPUs = 0
	whole := j.line
	j.line = func(i int) any { // without the first request
		return whole(i + 1)
	}
	r := measureAll(t, j, Options{Goodput: map[string]float64{"job_model": 1000}})
	if r.Jobs.PerGPUHour != nil || r.Jobs.Path.Known != 0 || r.Jobs.Model.Count != 0 || r.Jobs.Time.Count != 1 {
		t.Errorf("%+v", r.Jobs)
	}
	if _, ok := r.Value("jobs_per_gpu_hour"); ok {
		t.Error("jobs per GPU-hour of nobody knows how many")
	}
	if g := r.Jobs.Good; g.Good != 0 || g.Limits[0].Unknown != 1 {
		t.Errorf("%+v", g)
	}
}

// The server's own times part the wait in its queue from prefill, if it tells them of each turn.
func TestJobsQueue(t *testing.T) {
	for _, every := range []bool{true, false} {
		j := agents()
		for i := 0; ; i++ {
			r, ok := j.line(i).(*journal.Request)
			if j.line(i) == nil {
				break
			}
			if ok && (every || r.Index != 4) {
				r.ServerPromptNs = 4 * ms
			}
		}
		p := measureAll(t, j, Options{}).Jobs.Path
		switch {
		case every && (p.Queue == nil || !close64(*p.Queue, 30) || !close64(p.Prefill, 20)):
			t.Errorf("%+v", p)
		case !every && (p.Queue != nil || !close64(p.Prefill, 50)):
			t.Errorf("%+v", p)
		}
	}
}

// Jobs that the run's end cut off count for as long as they were seen.
func TestJobsSurvival(t *testing.T) {
	var list []any
	for i, took := range []int64{100, 200, 300, 400} { // the last one is cut off at 350, when the last turn was sent
		r := turn(i, i+1, 1, 0, 10, 0, took)
		r.End = took * ms
		c := &journal.Conversation{Number: i + 1, Turns: 1, Sent: 1, Complete: 1, Outcome: journal.ConversationComplete, End: took * ms}
		if i == 3 {
			c.Turns, c.Skipped, c.Outcome = 2, 1, journal.ConversationAbandoned
			last := turn(9, 4, 2, 350, 10, 0, 5)
			list = append(list, last)
		}
		list = append(list, r, c)
	}
	s := measureAll(t, &talking{run: closedRun(0), end: &journal.End{}, line: lines(list...)}, Options{}).Jobs.Survival
	if s == nil || s.Jobs != 4 || s.Cut != 1 || s.P50 == nil || math.Abs(*s.P50-200) > 1e-9 || s.P90 != nil {
		t.Errorf("%+v", s)
	}
	if s := measureAll(t, &talking{run: closedRun(0), end: &journal.End{}, line: lines(list[:6]...)}, Options{}).Jobs.Survival; s != nil {
		t.Errorf("nothing was cut off: %+v", s)
	}
}
