// Package judged reads the journal of a run into its result and its verdict, in one pass.
package judged

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Run is a run that was read to its end.
type Run struct {
	Result   *measure.Result
	Verdict  *verdict.Verdict
	Explain  *explain.Explanation // what limited it
	Samples  []journal.Sample
	Scrapes  []journal.Scrape
	Hardware []journal.Hardware
}

// Read computes the result and the verdict of the run in a folder. Others may look at
// the same requests in the same pass.
func Read(folder string, opt measure.Options, also ...row.Collector) (*Run, error) {
	j, err := Open(folder)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	return Journal(j, opt, also...)
}

// Result computes the result of the run in a folder, as comparisons take it: with the latencies and percentiles that the
// run asked for, and those that the names of metrics ask for, such as ttft and p99_ttft.
func Result(folder string, metrics ...string) (result.Result, error) {
	j, err := Open(folder)
	if err != nil {
		return result.Result{}, err
	}
	defer j.Close()
	opt := measure.Options{PercentileMetrics: slices.Clone(j.Run().Options.ReportedMetrics()), Percentiles: slices.Clone(j.Run().Options.ReportedPercentiles())}
	for _, word := range metrics {
		n, ok := metric.ParseName(word)
		if !ok || !n.Metric.Reported() {
			continue
		}
		if !slices.Contains(opt.PercentileMetrics, n.Metric.Name) {
			opt.PercentileMetrics = append(opt.PercentileMetrics, n.Metric.Name)
		}
		if p, ok := n.Statistic.Percentile(); ok && n.Statistic != metric.Median && !slices.Contains(opt.Percentiles, p) {
			opt.Percentiles = append(opt.Percentiles, p)
		}
	}
	r, err := Journal(j, opt)
	if err != nil {
		return result.Result{}, err
	}
	return result.Of(folder, r.Result, r.Verdict), nil
}

// Open opens the journal of the run in a folder.
func Open(folder string) (*journal.Reader, error) {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if errors.Is(err, journal.ErrNoRun) {
		return nil, fmt.Errorf("%w; the run was killed before its first second was over, or its disk was full", err)
	}
	return j, err
}

// Journal reads a journal to its end.
func Journal(j *journal.Reader, opt measure.Options, also ...row.Collector) (*Run, error) {
	e := explain.NewCollector()
	v := verdict.NewCollector(j.Run(), verdict.Options{Percentiles: opt.Percentiles, PercentileMetrics: opt.PercentileMetrics})
	r, err := measure.Measure(j, opt, append([]row.Collector{v, e}, also...)...)
	if err != nil {
		return nil, err
	}
	v.Hardware(r.Hardware)
	v.Bounds(r.Bounds)
	v.Jobs(r.Jobs)
	v.Recovery(r.Recovery)
	if j.Damage() != nil {
		r.Warnings = append([]string{fmt.Sprintf("the journal can't be read to its end (%v): what a killed run loses is its last second", j.Damage())}, r.Warnings...)
	}
	if n, why := j.Skipped(); n > 0 {
		r.Warnings = append([]string{fmt.Sprintf("lines of the journal that are left out: %d (%v)", n, why)}, r.Warnings...)
	}
	run := &Run{Result: r, Verdict: v.Verdict(j.End(), j.Samples(), j.Scrapes()), Samples: j.Samples(), Scrapes: j.Scrapes(), Hardware: j.Hardware()}
	run.Explain = e.Explain(explain.Input{Run: j.Run(), End: j.End(), Samples: run.Samples, Scrapes: run.Scrapes, Verdict: run.Verdict, Bounds: r.Bounds})
	return run, nil
}

// SLO holds a run against an SLO; nil: there is none. What the result does not have,
// since it was not asked for, is measured once more from the journal; what that does
// not tell either stays unknown.
func SLO(objective slo.SLO, folder string, res *measure.Result, opt measure.Options) *slo.Judgement {
	if objective == nil {
		return nil
	}
	j := objective.Judge(res.Value)
	missing := slices.ContainsFunc(j.Checks, func(c slo.Check) bool { return c.Status == slo.Unknown })
	bounds := res.BoundsOf
	if missing && res.Completed > 0 && len(objective.Latencies()) > 0 {
		opt.PercentileMetrics, opt.Percentiles, opt.Detailed = objective.Latencies(), objective.Percentiles(), false
		more, err := Read(folder, opt)
		if err != nil {
			j = j.Within(bounds)
			return &j
		}
		bounds = func(metric string) (low, high float64, ok bool) {
			if low, high, ok = res.BoundsOf(metric); !ok {
				low, high, ok = more.Result.BoundsOf(metric)
			}
			return low, high, ok
		}
		j = objective.Judge(func(metric string) (float64, bool) {
			if v, ok := res.Value(metric); ok {
				return v, ok
			}
			return more.Result.Value(metric)
		})
	}
	j = j.Within(bounds)
	return &j
}
