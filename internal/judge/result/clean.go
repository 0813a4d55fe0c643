package result

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// maxMetrics is how many numbers of one run are kept: a result of vLLM has some forty.
const maxMetrics = 1000

// most is beyond all that anyone has counted or measured of a server.
const most = 1e15

// count is a number of things; zero, as if it were not told, if it can be none.
func Count(v float64) int {
	if !(v > 0 && v < most) {
		return 0
	}
	return int(v)
}

// clean makes the words of a file safe to show: it is someone else's, and its labels,
// models and the names of its metrics may hold whatever its author likes. This is the one
// place where they enter. Counts that can be none are left out too.
func (r *Result) Clean() {
	f := &r.Facts
	for _, word := range []*string{
		&r.Name, &f.Model, &f.Backend, &f.Server, &f.Dataset, &f.Hardware, &f.Environment, &f.Date, &f.Workload.SHA, &f.Workload.Tokenizer, &f.Verdict, &f.ToDo,
	} {
		*word = outside.Word(*word)
	}
	if p := r.Replicas; p != nil {
		p.Balance, p.Each = outside.Word(p.Balance), p.Each[:min(len(p.Each), maxMetrics)]
		for i := range p.Each {
			one := &p.Each[i]
			one.Name, one.Requests, one.Failed = outside.Word(one.Name), Count(float64(one.Requests)), Count(float64(one.Failed))
		}
	}
	for i := range f.Reasons {
		f.Reasons[i] = outside.Word(f.Reasons[i])
	}
	if len(f.Reasons) > maxMetrics {
		f.Reasons = f.Reasons[:maxMetrics]
	}
	for _, n := range []*int{&f.Concurrency, &f.Asked, &f.Completed, &f.HungUp, &f.Lost, f.Failed} {
		if n != nil {
			*n = Count(float64(*n))
		}
	}
	f.InputTokens, f.OutputTokens = int64(Count(float64(f.InputTokens))), int64(Count(float64(f.OutputTokens)))
	if !(f.Rate > 0 && f.Rate < most) {
		f.Rate = 0
	}
	if !(f.Duration > 0 && f.Duration < most) {
		f.Duration = 0
	}
	r.Values, r.Higher, r.Samples, r.Intervals = cleanKeys(r.Values), cleanKeys(r.Higher), cleanKeys(r.Samples), cleanKeys(r.Intervals)
	r.Lacking, r.Bounds = cleanKeys(r.Lacking), cleanKeys(r.Bounds)
	for metric, why := range r.Lacking {
		r.Lacking[metric] = outside.Sentence(why)
	}
	for metric, values := range r.Samples {
		if slices.ContainsFunc(values, func(v float64) bool { return !(v > -most && v < most) }) {
			delete(r.Samples, metric) // one absurd value spoils all that is made of them
		}
	}
	f.Workload.Keys = cleanKeys(f.Workload.Keys)
	for _, words := range []map[string]string{f.Workload.Told, f.Workload.Keys} {
		for key, v := range words {
			words[key] = outside.Word(v)
		}
	}
	cleanEval(r.Eval)
	r.Metadata = cleanKeys(r.Metadata)
	for key, v := range r.Metadata {
		r.Metadata[key] = outside.Sentence(v)
	}
	r.measured()
}

// statistic of a latency, as in p99_ttft_ms.
var latencyKey = regexp.MustCompile(`^(?:mean|median|std|p[0-9.]+)_.+_ms$`)

// measured drops what was not: numbers that are none, and latencies of zero, which tools
// write where no request had one (none completed, or all answers were of one token).
func (r *Result) measured() {
	for key, v := range r.Values {
		absurd := !(v >= 0 && v < most) // also what is no number
		if absurd || v == 0 && latencyKey.MatchString(key) && !strings.HasPrefix(key, "std_") {
			delete(r.Values, key)
		}
	}
}

// cleanKeys cleans the names of a map, and leaves out what is too much.
func cleanKeys[V any](m map[string]V) map[string]V {
	dirty := len(m) > maxMetrics
	for key := range m {
		dirty = dirty || outside.Word(key) != key
	}
	if !dirty {
		return m
	}
	out := map[string]V{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if len(out) < maxMetrics {
			out[outside.Word(key)] = m[key]
		}
	}
	return out
}
