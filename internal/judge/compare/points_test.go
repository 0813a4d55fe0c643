package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// pointRun is a run of a point with a TTFT and an error of some percent.
func pointRun(ttft float64, values ...string) PointRun {
	r := PointRun{Name: strings.Join(values, "_"), Values: map[string]string{}}
	for i := 0; i+1 < len(values); i += 2 {
		r.Values[values[i]] = values[i+1]
	}
	r.Run = result.Result{
		Tool: result.Inferometer, Values: map[string]float64{"mean_ttft_ms": ttft},
		Intervals: map[string]result.Interval{"mean_ttft_ms": {Low: ttft * 0.99, High: ttft * 1.01, Level: 0.95}},
		Facts:     result.Facts{Asked: 10, Completed: 10, InputTokens: 100, OutputTokens: 100},
	}
	return r
}

func TestPairPoints(t *testing.T) {
	failed := pointRun(0, "target", "b", "concurrency", "16")
	failed.Why = "failed: it died"
	asked := pointRun(1, "target", "a", "concurrency", "1")
	asked.Part = "eval"
	for _, tt := range []struct {
		name   string
		before []PointRun
		after  []PointRun
		pairs  string
		only   string
		notes  string
	}{
		{
			"the same matrix",
			[]PointRun{pointRun(1, "concurrency", "1"), pointRun(1, "concurrency", "8"), pointRun(1, "concurrency", "8")},
			[]PointRun{pointRun(1, "concurrency", "8"), pointRun(1, "concurrency", "1")},
			"concurrency 1: 1 1; concurrency 8: 2 1", "", "",
		},
		{
			"another target",
			[]PointRun{pointRun(1, "target", "a", "concurrency", "1"), pointRun(1, "target", "a", "concurrency", "8")},
			[]PointRun{pointRun(1, "target", "b", "concurrency", "8"), failed},
			"concurrency 8: 1 1", "concurrency 1: after has no such point; concurrency 16: before has no such point; concurrency 16: after has no result for it: failed: it died", "target is a in before, b in after: the points are paired by the rest",
		},
		{
			"a key more",
			[]PointRun{pointRun(1, "concurrency", "1")},
			[]PointRun{pointRun(1, "concurrency", "1", "tp", "2"), pointRun(1, "concurrency", "1", "tp", "4")},
			"", "the only point: after has no such point; tp 2: before has no such point; tp 4: before has no such point", "",
		},
		{
			"questions are a pair of their own",
			[]PointRun{pointRun(1, "target", "a", "concurrency", "1"), asked},
			[]PointRun{pointRun(1, "target", "a", "concurrency", "1"), asked},
			"the only point: 1 1; the only point, eval: 1 1", "", "",
		},
	} {
		p := PairPoints([]string{"before", "after"}, [][]PointRun{tt.before, tt.after})
		var pairs, only []string
		for _, pair := range p.Pairs {
			pairs = append(pairs, fmt.Sprintf("%s: %d %d", pair.Point, len(pair.Sides[0].Runs), len(pair.Sides[1].Runs)))
		}
		for i := range p.Only {
			only = append(only, p.Only[i].Sentence())
		}
		if got := strings.Join(pairs, "; "); got != tt.pairs {
			t.Errorf("%s: pairs %q, not %q", tt.name, got, tt.pairs)
		}
		if got := strings.Join(only, "; "); got != tt.only {
			t.Errorf("%s: without a partner %q, not %q", tt.name, got, tt.only)
		}
		if got := strings.Join(p.Notes, "; "); got != tt.notes {
			t.Errorf("%s: notes %q, not %q", tt.name, got, tt.notes)
		}
	}
}

// Each table allows for the others, and a point that is gone leaves a gate undecided.
func TestComparePoints(t *testing.T) {
	var before, after []PointRun
	const each = 5 // repeats: one run per side is never called real
	for i := range 20 {
		for r := range each {
			v := 100 + 0.4*math.Sin(float64(i+3*r))
			before, after = append(before, pointRun(v, "c", fmt.Sprint(i))), append(after, pointRun(1.0035*v+0.1*float64(r), "c", fmt.Sprint(i)))
		}
	}
	one := PairPoints([]string{"a", "b"}, [][]PointRun{before[:each], after[:each]})
	all := PairPoints([]string{"a", "b"}, [][]PointRun{before, after})
	gate, err := ParseGate("mean_ttft<+5%")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Points{one, all} {
		if outcome, err := p.Compare(Options{}, gate); err != nil || outcome != Kept {
			t.Errorf("%s, %v: %+v", outcome, err, p.Findings)
		}
	}
	first := func(p *Points) *Change { return p.Pairs[0].Comparison.Rows[0].Cells[1].Change }
	if first(one).Call != Real || first(all).Call == Real || first(all).P < 19*first(one).P {
		t.Errorf("alone %s (%v), of twenty %s (%v)", first(one).Call, first(one).P, first(all).Call, first(all).P)
	}
	gone := PairPoints([]string{"a", "b"}, [][]PointRun{before[:3*each], after[:2*each]})
	if outcome, err := gone.Compare(Options{}, gate); err != nil || outcome != Undecided || len(gone.Findings) != 3 {
		t.Errorf("%s, %v: %+v", outcome, err, gone.Findings)
	}
	more := PairPoints([]string{"a", "b"}, [][]PointRun{before[:2*each], after[:3*each]})
	if outcome, err := more.Compare(Options{}, gate); err != nil || outcome != Kept {
		t.Errorf("a new point: %s, %v", outcome, err)
	}
	// What has no metric in common is named, and hides no other pair.
	bare := pointRun(1, "c", "1")
	bare.Run.Values, bare.Run.Intervals = map[string]float64{"mean_e2el_ms": 3}, nil
	odd := PairPoints([]string{"a", "b"}, [][]PointRun{{before[0], before[each]}, {after[0], {Name: "x", Values: map[string]string{"c": "1"}, Run: result.Result{Tool: result.Inferometer}}}})
	odd.Pairs[1].Sides[0].Runs[0] = result.Result{Tool: result.Inferometer}
	if outcome, err := odd.Compare(Options{}, nil); err != nil || outcome != Kept || len(odd.Pairs) != 1 || len(odd.Only) != 1 || !strings.Contains(odd.Only[0].Why, "no metric in common") {
		t.Errorf("%s, %v: %+v", outcome, err, odd.Only)
	}
	// A limit is held against the pairs that have its metric; one that none has is an error.
	some := PairPoints([]string{"a", "b"}, [][]PointRun{append(before[:each:each], bare), append(after[:each:each], bare)})
	if outcome, err := some.Compare(Options{}, gate); err != nil || outcome != Kept || len(some.Findings) != 1 {
		t.Errorf("%s, %v: %+v", outcome, err, some.Findings)
	}
	none := PairPoints([]string{"a", "b"}, [][]PointRun{{bare}, {bare}})
	if _, err := none.Compare(Options{}, gate); err == nil || !strings.Contains(err.Error(), "no side has the metric") {
		t.Error(err)
	}
}
