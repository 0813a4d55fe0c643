package report

import (
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setJobs adds what was measured of conversations as a whole; a run without any has no such key.
func setJobs(o *object, c *measure.Jobs) {
	if c == nil {
		return
	}
	jobs := object{
		{"begun", c.Begun},
		{"complete", c.Complete},
		{"failed", c.Failed},
		{"cut", c.Cut},
		{"open", c.Open},
		{"begun_inside", c.Inside},
		{"turns", c.Turns},
		{"per_hour", c.PerHour},
		{"per_gpu_hour", c.PerGPUHour},
		{"time", groupLatency(&c.Time)},
		{"model", groupLatency(&c.Model)},
		{"path", jobPath(&c.Path)},
		{"turns_complete", amountsObject(&c.TurnsEach)},
		{"agents", amountsObject(&c.Branches)},
		{"at_once", amountsObject(&c.AtOnce)},
		{"prompt_tokens", amountsObject(&c.PromptTokens)},
		{"output_tokens", amountsObject(&c.OutputTokens)},
		{"cached_planned", amountsObject(&c.Hits.Planned)},
		{"cached_sent", amountsObject(&c.Hits.Sent)},
		{"cached_measured", amountsObject(&c.Hits.Measured)},
		{"lateness", c.Lateness},
		{"idle", object{
			{"nothing_in_flight_s", c.Idle.Nothing},
			{"skipped_s", c.Idle.Skipped},
			{"skips", c.Idle.Skips},
			{"job_skipped_s", c.Idle.JobSkipped},
			{"job_skips", c.Idle.JobSkips},
		}},
	}
	if c.Traces > 0 {
		jobs.Set("recordings", object{{"total", c.Traces}, {"played", c.Touched}})
	}
	if s := c.Survival; s != nil {
		jobs.Set("time_with_cut", object{{"jobs", s.Jobs}, {"cut", s.Cut}, {"p50_ms", s.P50}, {"p90_ms", s.P90}, {"p99_ms", s.P99}})
	}
	if g := c.Good; g != nil {
		jobs.Set("goodput", object{{"good", g.Good}, {"jobs", g.Jobs}, {"share", g.Share}, {"per_hour", g.PerHour}})
	}
	var kinds []object
	for i := range c.Kinds {
		kinds = append(kinds, jobKind(&c.Kinds[i]))
	}
	if len(kinds) > 0 {
		jobs.Set("kinds", kinds)
	}
	o.Set("jobs", jobs)
}

// jobPath is where the time went, means in ms; null where the jobs have none.
func jobPath(p *measure.JobPath) any {
	if p.Known == 0 {
		return nil
	}
	return object{
		{"jobs", p.Known},
		{"turns", p.Turns},
		{"pause_ms", p.Pause},
		{"queue_ms", p.Queue},
		{"prefill_ms", p.Prefill},
		{"decode_ms", p.Decode},
		{"whole_ms", p.Whole},
		{"slot_ms", p.Slot},
		{"held_ms", p.Held},
		{"late_ms", p.Late},
	}
}

func jobKind(k *measure.JobKind) object {
	o := object{
		{"kind", k.Kind},
		{"agents", k.Branches},
		{"turns", k.Turns},
		{"complete", k.Completed},
		{"output_tokens", k.Output},
		{"share_of_job_time", k.OnPath},
		{"ttft", groupLatency(&k.TTFT)},
		{"tpot", groupLatency(&k.TPOT)},
		{"e2el", groupLatency(&k.E2EL)},
		{"lateness", k.Lateness},
	}
	if v, ok := k.Cached.Share(); ok {
		o.Set("cached_share", v)
	}
	return o
}

// setRollouts adds batches that were waited for as a whole; a run without any has no such key.
func setRollouts(o *object, r *job.Rollouts) {
	if r == nil {
		return
	}
	spread := func(s *job.Spread) object { return object{{"mean_ms", s.Mean}, {"max_ms", s.Max}} }
	o.Set("rollouts", object{
		{"batches", r.Batches},
		{"answers", r.Answers},
		{"makespan", spread(&r.Makespan)},
		{"tail", spread(&r.Tail)},
		{"longest_to_median", r.Longest},
	})
}

func amountsObject(a *measure.Amounts) object {
	v := func(v float64) any { return orUnknown(a.Count, v) }
	return object{{"known", a.Count}, {"mean", v(a.Mean)}, {"p50", v(a.P50)}, {"p90", v(a.P90)}, {"p99", v(a.P99)}, {"max", v(a.Max)}}
}
