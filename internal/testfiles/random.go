package testfiles

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Random draws the same in every run of a test, so that what rests on chance holds or doesn't, on all machines alike.
// INFEROMETER_SEED gives another seed; "fresh" is one that nobody has seen, and the log tells it.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(20261117)
	switch text := os.Getenv("INFEROMETER_SEED"); text {
	case "":
	case "fresh":
		seed = rand.Uint64()
		t.Logf("INFEROMETER_SEED=%d", seed)
	default:
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("INFEROMETER_SEED: %v", err)
		}
	}
	name := fnv.New64a() // so that each test has draws of its own
	_, _ = name.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}
