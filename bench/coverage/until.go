package main

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// untilBound is where a simulated run with a goal gives up.
const untilBound = 30_000

// untilRun is a run that --until ends: its length depends on what it sees. It is
// nil where the bound came first.
func (m *model) untilRun(seed uint64, goals []condition.Clause) (*measure.Result, error) {
	j := &inMemory{run: journal.Run{Options: m.options(untilBound)}}
	watch := measure.NewUntil(&j.run.Options, goals)
	random, seen, start, reached := seeded(seed), 0, 0.0, false
	m.simulate(random, func(a arrival) bool {
		if seen++; seen <= settle {
			start = a.sent
			return true
		}
		j.requests = append(j.requests, journal.Request{})
		req := &j.requests[len(j.requests)-1]
		a.record(len(j.requests)-1, start, random, req)
		reached = watch.Ended(req) && watch.Judge() != ""
		return !reached && len(j.requests) < untilBound
	})
	if !reached {
		return nil, nil
	}
	return measure.Measure(j, measure.Options{})
}

// untilCoverage is how the interval of one number does in runs that end when it is
// narrow, and how many requests they take.
func (m *model) untilCoverage(runs int, goal, key string, truth float64) (t tally, requests float64, err error) {
	goals, err := condition.Parse(goal, condition.Width)
	if err != nil {
		return t, 0, err
	}
	t.Key = key
	for i := range runs {
		r, err := m.untilRun(m.first+uint64(i)+1, goals)
		if err != nil {
			return t, 0, err
		}
		if r == nil {
			continue
		}
		for k := range r.Confidence.Intervals {
			if in := &r.Confidence.Intervals[k]; in.Key == key {
				t.add(&in.Interval, truth)
				requests += float64(in.N)
			}
		}
	}
	t.mean()
	return t, requests / float64(max(t.Runs, 1)), nil
}
