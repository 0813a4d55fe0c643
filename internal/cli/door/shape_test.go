package door

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/prepare"
)

const ms = time.Millisecond

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		first, gap time.Duration // of a small request, under the load that is tried
		atOnce     int
		context    int
		pooling    bool
		want       shape
	}{
		"a GPU":                 {50 * ms, 10 * ms, 8, 32768, false, shape{256, 128, 8, 120, usualTime}},
		"a fast GPU":            {10 * ms, 2 * ms, 8, 0, false, shape{256, 128, 8, 200, usualTime}},
		"a laptop with Ollama":  {300 * ms, 25 * ms, 1, 4096, false, shape{64, 32, 1, 17, usualTime}},
		"a CPU with four slots": {900 * ms, 80 * ms, 4, 2048, false, shape{64, 32, 4, 24, usualTime}},
		"a slow CPU":            {4 * time.Second, 300 * ms, 4, 0, false, shape{64, 32, 2, 12, slowTime}},
		"hardly alive":          {20 * time.Second, 2 * time.Second, 1, 0, false, shape{16, 8, 1, 12, slowTime}},
		"a small context":       {50 * ms, 10 * ms, 8, 400, false, shape{128, 64, 8, 200, usualTime}},
		"a tiny context":        {50 * ms, 10 * ms, 8, 100, false, shape{64, 32, 8, 200, usualTime}},
		"vectors":               {20 * ms, 0, 8, 512, true, shape{256, 0, 8, 200, usualTime}},
		"no time at all":        {0, 0, 8, 0, false, shape{256, 128, 8, 200, usualTime}},
	} {
		small := prepare.Speed{Prompt: smallPrompt, Output: smallAnswer, First: c.first, Gap: c.gap}
		got := choose(&prepare.Found{Context: c.context}, &prepare.Tried{Alone: small, Together: small, AtOnce: c.atOnce}, c.pooling)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A run is over within a minute on any server that answers a small request in three seconds.
func TestChooseWithinAMinute(t *testing.T) {
	for first := ms; first <= 2*time.Second; first *= 2 {
		for gap := ms / 10; gap*smallAnswer <= time.Second; gap *= 2 {
			for atOnce := 1; atOnce <= mostAtOnce; atOnce *= 2 {
				small := prepare.Speed{Prompt: smallPrompt, Output: smallAnswer, First: first, Gap: gap}
				l := choose(&prepare.Found{}, &prepare.Tried{Together: small, AtOnce: atOnce}, false)
				if tail := under(&small, l); l.duration+tail > 55*time.Second || l.requests < fewRequests || l.concurrency < 1 {
					t.Fatalf("first %v, gap %v, %d at once: %+v, and %v at its end", first, gap, atOnce, l, tail)
				}
			}
		}
	}
}
