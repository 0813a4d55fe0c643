package verdict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// samples holds each percentile asked for against the values that it rests on. One
// that rests on too few is no reason to doubt the rest of the run: it is left out
// of tables, and Verdict.Unsupported names it.
type samples struct {
	manyTokens  int64
	first       int64 // turns of conversations; of these is the largest possible number of conversations
	later       int64
	unsupported []string
}

func (c *samples) add(v *view) {
	if n, _ := v.got(); !v.Warmup && v.complete && max(n, v.TextTokens, len(v.Chunks)) > 1 {
		c.manyTokens++
	}
	switch {
	case v.Warmup || !v.complete:
	case v.Turn == 1:
		c.first++
	case v.Turn > 1:
		c.later++
	}
}

// Needs is how many values a percentile takes: so many that one lies beyond it. With
// fewer it is a name for the largest of them.
func Needs(p float64) int64 {
	tail := min(p, 100-p) / 100
	if tail <= 0 { // the smallest or largest value is what it is
		return 1
	}
	return int64(math.Ceil(1/tail - 1e-6))
}

// What a run of conversations is reported with, whatever was asked for.
const (
	jobTime  = "job"
	jobModel = "job_model"
)

// have is how many values a metric has.
func (c *samples) have(f *facts, metric string) int64 {
	switch metric {
	case "itl":
		return f.gaps
	case "tpot":
		return c.manyTokens
	case "ttft_first_turn":
		return c.first
	case jobTime:
		return c.jobs(f, func(j *measure.Jobs) int { return j.Time.Count })
	case jobModel:
		return c.jobs(f, func(j *measure.Jobs) int { return j.Model.Count })
	case "ttft_later_turns":
		return c.later
	}
	return f.complete
}

// jobs is how many have a value; where they were not measured, it is at most so many as began.
func (c *samples) jobs(f *facts, of func(*measure.Jobs) int) int64 {
	if f.jobs == nil {
		return c.first
	}
	return int64(of(f.jobs))
}

func (c *samples) result(f *facts, _ limits) Check {
	switch {
	case f.measured == 0:
		return Check{Level: Invalid, Figure: "0 requests", Sentence: "no request was measured", Brief: "no request was measured"}
	case f.complete == 0:
		return skip("no request completed, see outcomes")
	}
	var few []string
	least := f.complete
	asked := f.opt.PercentileMetrics
	if c.first > 0 { // the result has these unasked
		asked = append(slices.Clone(asked), jobTime, jobModel)
	}
	for _, m := range asked {
		n := c.have(f, m)
		for _, p := range f.opt.Percentiles {
			if n > 0 && n < Needs(p) { // a metric without values shows none
				few = append(few, fmt.Sprintf("p%g of %s (%d < %d)", p, m, n, Needs(p)))
				c.unsupported = append(c.unsupported, percentileName(p)+"_"+m)
				least = min(least, n)
			}
		}
	}
	value := float64(least)
	k := Check{Level: OK, Value: &value, Figure: fmt.Sprintf("%d requests", f.complete), Sentence: "every percentile asked for has enough samples"}
	if len(few) > 0 {
		k.Figure = fmt.Sprintf("%d samples", least)
		k.Sentence = "too few samples for " + strings.Join(few, ", ") + ": shown as n/a; the other numbers stand"
	}
	return k
}

// percentileName is a percentile as results and SLOs name it.
func percentileName(p float64) string {
	if p == 50 {
		return "median"
	}
	return "p" + strconv.FormatFloat(p, 'f', -1, 64)
}

// jobsGroup are the checks of jobs.
const jobsGroup = "jobs"

// cutJobs holds the median time of the jobs that ended against that of all, the cut ones counted for as long as they were seen.
func cutJobs(f *facts, l limits) Check {
	j := f.jobs
	if j.Cut == 0 {
		return found(l, 0, "none", "the end of the run cut no job off")
	}
	of := fmt.Sprintf("%d of %d", j.Cut, j.Begun)
	s := j.Survival
	if j.Time.Count == 0 || s == nil || s.P50 == nil {
		k := found(l, 1, of, "the end of the run cut %s jobs off: how long half of all take is not known", of)
		k.Effect = "the time of a job is that of the short ones; how much longer the others are is not known"
		return k
	}
	more := *s.P50/j.Time.P50 - 1
	k := found(l, more, of, "the end of the run cut %s jobs off; the median time of a job is %s of those that ended and %s with the others counted for as long as they were seen",
		of, ms(j.Time.P50*1e6), ms(*s.P50*1e6))
	k.Effect = noted(k, "the median time of a job would be %s longer", percent(more))
	return k
}

// skippedIdle says how much waiting was left out, of all jobs at once or of single ones.
func skippedIdle(f *facts, l limits) Check {
	i := &f.jobs.Idle
	if i.Skips+i.JobSkips == 0 {
		return found(l, 0, "none", "no waiting time was skipped")
	}
	run := float64(f.lastEnd) / 1e9
	words := fmt.Sprintf("%.4g s of waiting in %d jumps", i.Skipped, i.Skips)
	value := ratio(i.Skipped, i.Skipped+run)
	if i.JobSkips > 0 {
		words += fmt.Sprintf(", and %.4g s of single jobs in %d", i.JobSkipped, i.JobSkips)
		lived := float64(max(f.jobs.Begun-f.jobs.Open, 1)) * run // no job lives longer
		value = max(value, ratio(i.JobSkipped, i.JobSkipped+lived))
	}
	k := found(l, value, words, "nothing was in flight, and %s were skipped", words)
	k.Effect = noted(k, "the load was heavier than the recording's, and a job took less time than it would have")
	return k
}
