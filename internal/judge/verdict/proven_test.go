package verdict

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// The claim that is told is the narrowest that covers the run.
func TestProvenRangeTellsTheNarrowestClaim(t *testing.T) {
	w := openLoop() // 24 streams, 2000 chunks a second
	w.run.Proven = &journal.Proven{Points: []journal.ProvenPoint{
		{Streams: 5, TokensPerS: 9000, TTFTMS: 1, ITLMS: 0.1},
		{Streams: 1000, TokensPerS: 100_000, TTFTMS: 4, ITLMS: 0.4},
		{Streams: 50, TokensPerS: 5000, TTFTMS: 2, ITLMS: 0.2},
		{Streams: 200, TokensPerS: 20_000, TTFTMS: 3, ITLMS: 0.3},
	}}
	w.derive()
	k := w.judge(t, Options{}).Check("proven_range")
	for _, want := range []string{"up to 50 streams at 5000", "±2 ms", "±0.2 ms"} {
		if k.Level != OK || !strings.Contains(k.Sentence, want) {
			t.Errorf("%s: %q does not say %q", k.Level, k.Sentence, want)
		}
	}
}

// A claim made on a busy machine is a lower bound: a larger load is no doubt about a run.
func TestProvenRangeOfABusyMachine(t *testing.T) {
	for busy, want := range map[string]Level{"": Noted, "other programs used 60 % of its processors": NotChecked} {
		w := openLoop() // 24 streams, 2000 chunks a second
		w.run.Proven = &journal.Proven{Busy: busy, Points: []journal.ProvenPoint{{Streams: 10, TokensPerS: 1000, TTFTMS: 5, ITLMS: 1}}}
		w.derive()
		if k := w.judge(t, Options{}).Check("proven_range"); k.Level != want || !strings.Contains(k.Sentence, busy) {
			t.Errorf("busy %q: %s, %s", busy, k.Level, k.Sentence)
		}
	}
}

// A run of days keeps no more slots than one of minutes, and the same mean rate.
func TestProvenRangeIsBounded(t *testing.T) {
	c := newProvenRange(&facts{run: &journal.Run{}}).(*provenRange)
	const seconds = 100_000
	for s := range int64(seconds) {
		*c.chunks.At(s * 1e9)++
		*c.chunks.At(s*1e9 + 5e8)++
	}
	if n := len(c.chunks.Cells); n > maxSlots {
		t.Errorf("%d slots, more than %d", n, maxSlots)
	}
	if got := c.busiest(seconds * 1e9); got != 2 {
		t.Errorf("%v chunks a second, want 2", got)
	}
}
