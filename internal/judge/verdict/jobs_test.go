package verdict

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// Jobs that were cut off, and time that was skipped, are noted with what they do; neither spoils the run.
func TestJobChecks(t *testing.T) {
	timed := func(n int, p50 float64) measure.GroupLatency {
		return measure.GroupLatency{Summary: measure.Summary{Count: n, P50: p50}}
	}
	of := func(ms float64) *float64 { return &ms }
	for name, c := range map[string]struct {
		jobs   measure.Jobs
		check  string
		level  Level
		effect string
	}{
		"none was cut off":   {measure.Jobs{Begun: 5, Complete: 5, Time: timed(5, 100)}, "cut_jobs", OK, ""},
		"few were":           {measure.Jobs{Begun: 50, Cut: 2, Time: timed(48, 100), Survival: &measure.JobSurvival{P50: of(105)}}, "cut_jobs", OK, ""},
		"many were":          {measure.Jobs{Begun: 50, Cut: 20, Time: timed(30, 100), Survival: &measure.JobSurvival{P50: of(140)}}, "cut_jobs", Noted, "the median time of a job would be 40.0 % longer"},
		"most were":          {measure.Jobs{Begun: 50, Cut: 40, Time: timed(10, 100), Survival: &measure.JobSurvival{}}, "cut_jobs", Noted, "is not known"},
		"all were":           {measure.Jobs{Begun: 50, Cut: 50}, "cut_jobs", Noted, "is not known"},
		"nothing skipped":    {measure.Jobs{Begun: 5}, "skipped_idle", OK, ""},
		"a third skipped":    {measure.Jobs{Begun: 5, Idle: measure.JobIdle{Skipped: 5, Skips: 2}}, "skipped_idle", Noted, "heavier"},
		"a moment skipped":   {measure.Jobs{Begun: 5, Idle: measure.JobIdle{Skipped: 0.05, Skips: 1}}, "skipped_idle", OK, ""},
		"of single jobs":     {measure.Jobs{Begun: 5, Idle: measure.JobIdle{JobSkipped: 60, JobSkips: 2}}, "skipped_idle", Noted, "heavier"},
		"of few single jobs": {measure.Jobs{Begun: 500, Idle: measure.JobIdle{JobSkipped: 3, JobSkips: 2}}, "skipped_idle", OK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := closedTalks(talks{n: 1, turns: 1, slots: 1})
			col := NewCollector(&w.run, Options{})
			col.facts.lastEnd = 10e9
			col.Jobs(&c.jobs)
			v := col.Verdict(nil, nil, nil)
			k := v.Check(c.check)
			if k.Level != c.level || !strings.Contains(k.Effect, c.effect) || c.effect == "" && k.Effect != "" {
				t.Errorf("%+v", k)
			}
			for _, reason := range v.Reasons {
				if reason == c.check {
					t.Errorf("%s spoils the run", reason)
				}
			}
		})
	}
}

// Nobody knows how many prompt tokens a server took in of a request that was cut off and whose prompt was not counted:
// that is no reason to say that others used it.
func TestTokensOfCutRequests(t *testing.T) {
	for prompt, want := range map[int]Level{0: NotChecked, 100: Invalid} {
		cut := every(400, func(r *journal.Request) {
			fail(journal.Cancelled, "cancelled by us")(r)
			r.PromptTokens = prompt
		})
		w := (&spoiled{"server_prompt_tokens", want, openLoop, cut, after("vllm:prompt_tokens_total", 10_000)}).world()
		if k := w.judge(t, Options{}).Check("server_prompt_tokens"); k.Level != want {
			t.Errorf("a prompt of %d tokens: %+v", prompt, k)
		}
	}
}

// A run without conversations has no checks of jobs.
func TestNoJobs(t *testing.T) {
	w := closedTalks(talks{n: 1, turns: 1, slots: 1})
	v := NewCollector(&w.run, Options{}).Verdict(nil, nil, nil)
	if v.Check("cut_jobs") != nil || v.Check("samples") == nil {
		t.Errorf("%+v", v.Checks)
	}
}
