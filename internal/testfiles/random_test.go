package testfiles

import "testing"

// Each test draws the same every time and another than its neighbour, and a seed that is asked for changes that.
func TestRandom(t *testing.T) {
	t.Setenv("INFEROMETER_SEED", "")
	first := Random(t).Uint64()
	if again := Random(t).Uint64(); again != first {
		t.Errorf("%d, and then %d", first, again)
	}
	t.Run("neighbour", func(t *testing.T) {
		if other := Random(t).Uint64(); other == first {
			t.Error("two tests draw the same")
		}
	})
	for _, seed := range []string{"7", "fresh"} {
		t.Setenv("INFEROMETER_SEED", seed)
		if other := Random(t).Uint64(); other == first {
			t.Errorf("the seed %s changes nothing", seed)
		}
	}
}
