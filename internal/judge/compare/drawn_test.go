package compare_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/bench/judgement/drawn"
)

var drawnTables = flag.Int("drawn", 0, "tables for each number of TestDrawnTables' table of docs/compare.md; 0: no table")

// Runs that are drawn request by request and measured as real ones are: a server that becomes 10 % slower is found where three runs of
// 200 requests a side drift by 1 %, no number of an unchanged server is called real more often than promised, and one run per side never says real.
func TestDrawnTables(t *testing.T) {
	if *drawnTables > 0 {
		var b strings.Builder
		if err := drawn.Table(&b, rand.Uint64(), *drawnTables, 100); err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + b.String())
		return
	}
	random := rand.New(rand.NewPCG(25, 2026))
	pools, err := drawn.NewPools(random, 200, 12)
	if err != nil {
		t.Fatal(err)
	}
	const tables = 40
	for _, tt := range []struct {
		repeats int
		drift   float64
		alarms  float64 // at most
		found   float64 // at least
	}{
		{1, 0.03, 0, 0}, {2, 0.01, 0.1, 0.7}, {3, 0.01, 0.1, 0.8}, {3, 0.03, 0.15, 0.4}, {5, 0.03, 0.15, 0.7},
	} {
		same, err := drawn.Of(random, pools, tables, tt.repeats, tt.drift, drawn.Change{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		slower, err := drawn.Of(random, pools, tables, tt.repeats, tt.drift, drawn.Slower(0.10), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d repeats, %.0f %% drift: %.1f %% of tables have a false alarm, in %.1f %% a change of 10 %% is found", tt.repeats, 100*tt.drift, 100*same.FalseReal, 100*slower.Any)
		if same.FalseReal > tt.alarms || slower.Any < tt.found || tt.repeats == 1 && slower.Any > 0 {
			t.Errorf("%d repeats, %.0f %% drift: %+v, and slower %+v", tt.repeats, 100*tt.drift, same, slower)
		}
	}
}
