package history

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Key is what runs of a series have in common: what was measured, how hard, and
// with what. Lengths and the number of requests are rounded to the nearest power of
// two, as they differ a little from run to run.
type Key struct {
	Tool                              result.Tool
	Model, Backend, Dataset, Hardware string
	Requests, Input, Output           int64 // asked for; tokens of a request
	Concurrency                       int
	Rate                              float64
	Name                              string // the metadata "series"
	More                              string // what Group was asked to look at too
}

// Series are runs that measured the same, in the order of time.
type Series struct {
	ID   string
	Key  Key
	Runs []Run
}

// keyOf is the series that a run belongs to. By are further things that tell
// series apart: label, or keys of the metadata.
func keyOf(r *Run, by []string) Key {
	f := &r.Facts
	k := Key{
		Tool: r.Tool, Model: f.Model, Backend: f.Backend, Dataset: f.Dataset, Hardware: f.Hardware, Requests: about(int64(f.Asked)),
		Concurrency: f.Concurrency, Rate: f.Rate, Name: r.Metadata["series"],
	}
	if r.Eval != nil { // two tasks are two things, whatever the load
		k.Dataset = strings.TrimSpace(k.Dataset + " " + r.Eval.Task)
	}
	if f.Completed > 0 {
		k.Input, k.Output = about(f.InputTokens/int64(f.Completed)), about(f.OutputTokens/int64(f.Completed))
	}
	var more []string
	for _, name := range by {
		value := r.Metadata[name]
		if name == "label" {
			value = r.Name
		}
		if value != "" {
			more = append(more, name+" "+value)
		}
	}
	k.More = strings.Join(more, ", ")
	return k
}

// about is the nearest power of two.
func about(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return int64(math.Exp2(math.Round(math.Log2(float64(n)))))
}

// Group puts runs into series: those with the newest run first.
func Group(runs []Run, by []string) []Series {
	byKey := map[Key]*Series{}
	for i := range runs {
		k := keyOf(&runs[i], by)
		if byKey[k] == nil {
			byKey[k] = &Series{ID: shortHash(fmt.Sprintf("%#v", k)), Key: k}
		}
		byKey[k].Runs = append(byKey[k].Runs, runs[i])
	}
	var out []Series
	for s := range maps.Values(byKey) {
		slices.SortFunc(s.Runs, byTime)
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Series) int {
		return cmp.Or(byTime(*b.Last(), *a.Last()), strings.Compare(a.ID, b.ID))
	})
	return out
}

func byTime(a, b Run) int {
	return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Path, b.Path), a.Index-b.Index)
}

// Last is the newest run.
func (s *Series) Last() *Run { return &s.Runs[len(s.Runs)-1] }

// ByCommit are the runs with a commit, in the order of commits: by the time of the
// commit where all runs tell it, else by the first run of each. Runs of one commit
// stand together.
func (s *Series) ByCommit() []Run {
	when, told := map[string]time.Time{}, true
	var out []Run
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Commit == "" {
			continue
		}
		out = append(out, *r)
		told = told && !r.CommitTime.IsZero()
	}
	for i := range out {
		at := out[i].Start
		if told {
			at = out[i].CommitTime
		}
		if old, ok := when[out[i].Commit]; !ok || at.Before(old) {
			when[out[i].Commit] = at
		}
	}
	slices.SortStableFunc(out, func(a, b Run) int {
		return cmp.Or(when[a.Commit].Compare(when[b.Commit]), strings.Compare(a.Commit, b.Commit))
	})
	return out
}

// Values are a metric's values, run by run: NaN where a run has none, or is not to be trusted.
func Values(runs []Run, metric string) []float64 {
	out := make([]float64, len(runs))
	for i := range runs {
		v, ok := runs[i].Values[metric]
		if !ok || !runs[i].Counts() {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}

// Title is what was measured.
func (s *Series) Title() string {
	return join(cmp.Or(s.Key.Model, "model not told"), s.Key.Backend, s.Key.Name, s.Key.More)
}

// Load is how hard, and with what. Lengths are those of the newest run.
func (s *Series) Load() string {
	f, words := &s.Last().Facts, []string{}
	switch {
	case s.Key.Rate > 0 && s.Key.Concurrency > 0:
		words = append(words, fmt.Sprintf("%g req/s, at most %d at once", s.Key.Rate, s.Key.Concurrency))
	case s.Key.Rate > 0:
		words = append(words, fmt.Sprintf("%g req/s", s.Key.Rate))
	case s.Key.Concurrency > 0:
		words = append(words, fmt.Sprintf("%d at once", s.Key.Concurrency))
	}
	if s.Key.Requests > 0 {
		words = append(words, fmt.Sprintf("%d requests", f.Asked))
	}
	if f.Completed > 0 && f.InputTokens+f.OutputTokens > 0 {
		words = append(words, fmt.Sprintf("%d tokens in, %d out", f.InputTokens/int64(f.Completed), f.OutputTokens/int64(f.Completed)))
	}
	words = append(words, s.Key.Dataset, s.Key.Hardware)
	if s.Key.Tool != result.Inferometer {
		words = append(words, "by "+string(s.Key.Tool))
	}
	return join(words...)
}

func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
