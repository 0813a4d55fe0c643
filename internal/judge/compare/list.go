package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// List is many runs under each other, one line each: what a note full of results
// comes to. There is no baseline, so there are no changes; doubts are there.
type List struct {
	Kind    string
	Runs    []result.Result
	Metrics []Metric
	Front   *Front   // of accuracy against throughput; nil: there is none
	Notes   []string // doubts, and what the marks mean

	lack []string // metrics that were asked for and that no run has
	best map[place]bool
}

// place is one number of a list.
type place struct {
	run int
	key string
}

// Best says that a run is the best in a metric, of those under the same load.
func (l *List) Best(run int, key string) bool { return l.best[place{run, key}] }

// The kinds of lists.
const (
	Serving  = "serving"
	batches  = "batches"
	shapes   = "shapes"
	accuracy = "accuracy"
)

func kindOf(r *result.Result) string {
	switch r.Tool {
	case result.LlamaBench:
		return shapes
	case result.LMEval:
		return accuracy
	case result.BatchLatency:
		return batches
	}
	return Serving
}

// Lists sorts runs into tables whose runs share their metrics: those of serving,
// those by shape, scores. Their order is that of the first run of each. asked are the
// metrics to show; nil: the usual ones.
func Lists(runs []result.Result, asked []string) []List {
	var lists []List
	for i := range runs {
		kind := kindOf(&runs[i])
		at := slices.IndexFunc(lists, func(l List) bool { return l.Kind == kind })
		if at < 0 {
			at = len(lists)
			lists = append(lists, List{Kind: kind})
		}
		lists[at].Runs = append(lists[at].Runs, runs[i])
	}
	for i := range lists {
		l := &lists[i]
		l.sortByLoad()
		l.columns(asked)
		l.markBest(Options{}.withDefaults().Level)
		l.Front, l.Notes = l.front(), l.notes()
	}
	return lists
}

// sortByLoad puts runs under the same load together, in the order of the first of each.
func (l *List) sortByLoad() {
	if l.Kind != Serving {
		return
	}
	at := map[string]int{}
	for i := range l.Runs {
		if load := l.Runs[i].Facts.Load(); at[load] == 0 {
			at[load] = i + 1
		}
	}
	slices.SortStableFunc(l.Runs, func(a, b result.Result) int { return at[a.Facts.Load()] - at[b.Facts.Load()] })
}

// listed are the columns of a table of serving runs; more would not fit a page.
func listed() []string { return usual(func(u *metric.Usual) []string { return u.List }) }

func (l *List) columns(asked []string) {
	sides := []Side{{Runs: l.Runs}}
	in := inventoryOf(sides)
	keys := asked
	if len(asked) == 0 && l.Kind == Serving {
		keys = append(listed(), in.others...)
	}
	for _, m := range chosen(sides, keys) {
		switch {
		case in.has[m.Key]:
			l.Metrics = append(l.Metrics, m)
		case len(asked) > 0:
			l.lack = append(l.lack, m.Key)
		}
	}
}

// able says whether a run did its work: else it can't be the best.
func able(r *result.Result) bool { return r.Facts.Missing() == 0 && r.Facts.Verdict != "INVALID" }

// markBest marks in each column the best of the runs under the same load. Loads that
// nobody tells are not the same, as far as anyone knows.
func (l *List) markBest(level float64) {
	l.best = map[place]bool{}
	groups := map[string][]int{}
	for i := range l.Runs {
		load := kindOf(&l.Runs[i])
		if load == Serving {
			load = l.Runs[i].Facts.Load()
		}
		if load != "" && able(&l.Runs[i]) {
			groups[load] = append(groups[load], i)
		}
	}
	for _, m := range l.Metrics {
		for _, group := range groups {
			if len(group) < 2 || m.Unsure || l.unlikePrompts(group) {
				continue
			}
			of, known := make([]estimate, len(group)), []int(nil)
			for k, i := range group {
				if r := repeatsOf(&Side{Runs: l.Runs[i : i+1]}, m, level); len(r.runs) > 0 {
					of[k], known = r.runs[0], append(known, k)
				}
			}
			if len(known) < 2 {
				continue
			}
			share := (1 - level) / float64(len(known)-1)
			for _, k := range winners(m, of, known, func(a, b int) bool { return apart(of[a], of[b], share) }) {
				l.best[place{group[k], m.Key}] = true
			}
		}
	}
}

// front is that of accuracy against throughput of the runs; nil: there is none.
func (l *List) front() *Front {
	sides := make([]Side, len(l.Runs))
	for i := range l.Runs {
		sides[i] = Side{Name: l.Runs[i].Name, Runs: l.Runs[i : i+1]}
	}
	return FrontOf(sides, Options{}.withDefaults().Level)
}

// notes are the doubts about each run by itself, one line for all runs with the same; whether
// all were sent the same, and what the marks mean.
func (l *List) notes() []string {
	var sentences []string
	names := map[string][]string{}
	for i := range l.Runs {
		for _, d := range alone(l.Runs[i].Name, &l.Runs[i]) {
			word := "note: "
			if d.Severe {
				word = "NOT COMPARABLE: "
			}
			if names[word+d.Sentence] == nil {
				sentences = append(sentences, word+d.Sentence)
			}
			names[word+d.Sentence] = append(names[word+d.Sentence], d.Side)
		}
	}
	for i, s := range sentences {
		sentences[i] = s + ": " + strings.Join(names[s], "; ")
	}
	sentences = append(sentences, l.sameServers()...)
	if low, high := promptSpread(l.Runs); high > 1.01*low {
		sentences = append(sentences, fmt.Sprintf("note: prompts have from %.0f to %.0f tokens a request: these runs were not sent the same", low, high))
	}
	sentences = append(sentences, l.loadNotes()...)
	for _, key := range l.lack {
		sentences = append(sentences, fmt.Sprintf("note: none of these runs has %s", key))
	}
	return sentences
}

// sameServers tells of runs that look like runs of one server, each beside the first such.
func (l *List) sameServers() []string {
	var out []string
	like := map[string][]int{} // runs that answered alike, by load and tokens
	for i := range l.Runs {
		f := &l.Runs[i].Facts
		key := fmt.Sprint(l.Runs[i].Tool, f.Load(), f.Completed, f.InputTokens, f.OutputTokens)
		for _, j := range like[key] {
			if sentence := sameServer(&l.Runs[j], &l.Runs[i]); sentence != "" {
				out = append(out, fmt.Sprintf("note: these look like the same server: %s; %s: %s", l.Runs[j].Name, l.Runs[i].Name, sentence))
				break
			}
		}
		if len(like[key]) < 100 {
			like[key] = append(like[key], i)
		}
	}
	return out
}

// loadNotes say what the marks mean where loads differ or are not told.
func (l *List) loadNotes() []string {
	if l.Kind != Serving || len(l.Runs) < 2 {
		return nil
	}
	loads, untold := map[string]bool{}, 0
	for i := range l.Runs {
		if load := l.Runs[i].Facts.Load(); load == "" {
			untold++
		} else {
			loads[load] = true
		}
	}
	var out []string
	if len(loads) > 1 {
		out = append(out, "note: the runs were under different loads; marked is the best of those under the same one")
	}
	if untold > 0 {
		out = append(out, fmt.Sprintf("note: the load of %d of %d runs is not told: none of them is marked", untold, len(l.Runs)))
	}
	return out
}

// unlikePrompts says whether prompts of some runs are longer by more than a tenth: that
// alone would decide which is the best.
func (l *List) unlikePrompts(group []int) bool {
	var runs []result.Result
	for _, i := range group {
		runs = append(runs, l.Runs[i])
	}
	low, high := promptSpread(runs)
	return high > 1.1*low
}

// promptSpread are the shortest and the longest prompts, in tokens per request.
func promptSpread(runs []result.Result) (low, high float64) {
	for i := range runs {
		f := &runs[i].Facts
		if f.Completed == 0 || f.InputTokens == 0 {
			continue
		}
		v := float64(f.InputTokens) / float64(f.Completed)
		if low == 0 || v < low {
			low = v
		}
		high = max(high, v)
	}
	return low, high
}
