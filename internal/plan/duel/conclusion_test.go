package duel

import (
	"errors"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/compare"
)

func TestTheConclusionOfADuel(t *testing.T) {
	row := func(label string, higher bool, c *compare.Change) *compare.Row {
		return &compare.Row{Metric: compare.Metric{Label: label, Higher: higher}, Cells: []compare.Cell{{}, {Change: c}}}
	}
	for _, tt := range []struct {
		row      *compare.Row
		analysed bool
		want     string
	}{
		{row("mean TTFT ms", false, &compare.Change{Ratio: 2, Bounded: true, Low: 1.9, High: 2.1, Call: compare.Real}), true, "mean TTFT is really 200.0 % higher with B, worse (+190.0 to +210.0 %)"},
		{row("mean TTFT ms", false, &compare.Change{Ratio: -0.1, Bounded: true, Low: -0.12, High: -0.08, Call: compare.Real}), true, "mean TTFT is really 10.0 % lower with B, better (-12.0 to -8.0 %)"},
		{row("output tok/s", true, &compare.Change{Ratio: 0.1, Bounded: true, Low: 0.08, High: 0.12, Call: compare.Real}), true, "output tok/s is really 10.0 % higher with B, better (+8.0 to +12.0 %)"},
		{row("output tok/s", true, &compare.Change{Ratio: 0.01, Bounded: true, Low: -0.02, High: 0.03, Call: compare.Same}), true, "output tok/s is the same with B, within -2.0 to +3.0 %"},
		{row("mean TPOT ms", false, &compare.Change{Ratio: 0.01, Bounded: true, Low: -0.2, High: 0.3, Call: compare.Unclear}), true, "mean TPOT is not decided (-20.0 to +30.0 %)"},
		{row("mean TPOT ms", false, &compare.Change{Ratio: 0.01}), false, "mean TPOT is 1.0 % higher with B, which is not decided yet"},
		{row("mean TPOT ms", false, nil), true, "mean TPOT is not known"},
	} {
		if got := difference(tt.row, tt.analysed); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// A duel of which no round counts says why, how often, and what to change.
func TestNoRoundCounts(t *testing.T) {
	d := &Duel{leftOut: []leftOut{
		{1, "B: only 9 of 24 requests completed; hint: look"},
		{2, "A: its own verdict is INVALID (foreign_requests); hint: find out who else uses the server"},
		{3, "A: its own verdict is INVALID (foreign_requests); hint: find out who else uses the server"},
	}}
	err := d.Err()
	const want = "undecided: no round tells anything: 2 of 3 are left out because of A: its own verdict is INVALID (foreign_requests); " +
		"hint: find out who else uses the server; the other reasons stand above, beside their rounds"
	if !errors.Is(err, ErrUndecided) || err.Error() != want {
		t.Errorf("%v", err)
	}
}
