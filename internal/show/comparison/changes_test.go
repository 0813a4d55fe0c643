package comparison

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/table"
)

// drawnChanges is a comparison of a side with one change of each kind.
func drawnChanges() *compare.Comparison {
	row := func(key string, higher bool, ch *compare.Change) compare.Row {
		return compare.Row{Metric: compare.Metric{Key: key, Label: key, Higher: higher}, Cells: []compare.Cell{{Known: true, Value: 10}, {Known: true, Value: 10 * (1 + ch.Ratio), Change: ch}}}
	}
	return &compare.Comparison{Names: []string{"before", "after"}, Sides: make([]compare.Side, 0), Rows: []compare.Row{
		row("output_throughput", true, &compare.Change{Ratio: 0.2, Bounded: true, Low: 0.1, High: 0.3, Call: compare.Real}),
		row("median_ttft_ms", false, &compare.Change{Ratio: 4, Bounded: true, Low: 3, High: 5, Call: compare.Differs}),
		row("median_itl_ms", false, &compare.Change{Ratio: 0.01, Bounded: true, Low: -0.02, High: 0.04, Call: compare.Unclear}),
		row("p99_ttft_ms", false, &compare.Change{Ratio: -0.1, Call: compare.Unknown}),
	}}
}

// Better, worse and undecided changes are told apart, what is far off is at the edge, and what has no interval is not drawn.
func TestChangesAreDrawn(t *testing.T) {
	c := changes(drawnChanges(), 1)
	at := func(name string) *chart.Series {
		i := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("no series %s in %+v", name, c.Series)
		}
		return &c.Series[i]
	}
	if b, w, o := at("better"), at("worse"), at("not decided"); b.X[0] != 20 || w.X[0] != 200 || w.Low[0] != 200 || o.Low[0] != -2 || o.High[0] != 4 {
		t.Errorf("%+v\n%+v\n%+v", b, w, o)
	}
	if len(c.Y.Ticks) != 3 || !strings.Contains(c.Note, "200 %") {
		t.Errorf("%d metrics, note %q", len(c.Y.Ticks), c.Note)
	}
	none := drawnChanges()
	none.Rows = none.Rows[3:]
	if c := changes(none, 1); c != nil {
		t.Errorf("a picture without a change: %+v", c)
	}
}

// The cards say how sure each change is, and results that can't be compared have none.
func TestCards(t *testing.T) {
	c := drawnChanges()
	d, err := Document(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, card := range d.Cards {
		got = append(got, strings.Join(append([]string{card.Text, card.Class}, card.Notes...), "|"))
	}
	want := []string{
		"+20.0 %|" + table.Good + "|12 against 10|real: +10.0 to +30.0 %", "+400.0 %|" + table.Bad + "|50 against 10|differs: +300.0 to +500.0 %",
		"-10.0 %||9 against 10|its error is not known", "+1.0 %||10.1 against 10|unclear: -2.0 to +4.0 %",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c.Doubts = []compare.Doubt{{Side: "after", Sentence: "another model", Severe: true}}
	if d, err := Document(c, nil); err != nil || len(d.Cards) > 0 {
		t.Errorf("%v: what can't be compared has cards: %+v", err, d.Cards)
	}
}
