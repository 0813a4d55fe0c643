package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/inferometer/inferometer/internal/journal"
)

// Only successes that ended after all users were there count, as in fw-ai/benchmark.
func TestMeasureLoadTest(t *testing.T) {
	ended := func(r *journal.Request, at int64) *journal.Request { r.End = at * milli; return r }
	early := ended(answer(0, 0, 9, 0, 1, 2), 5)
	one := ended(answer(1, 10, 10, 4, 20, 40), 41)
	two := ended(answer(2, 10, 30, 0, 30, 40, 50, 70), 110)
	bad := ended(broke(answer(3, 10, 10, 0, 20), journal.Truncated, "cut"), 60)
	got, err := MeasureLoadTest(memoryOf(early, one, two, bad), 10*milli)
	if err != nil {
		t.Fatal(err)
	}
	want := &LoadTest{
		Requests: 2, QPS: 20, // from 10 to 110 ms
		TTFT: 15, TotalLatency: 45, // (10, 20) and (30, 60)
		LatencyPerToken:        (20.0/2 + 40.0/4) / 2,
		OverallLatencyPerToken: (30.0/2 + 60.0/4) / 2,
		OutputTokens:           3, PromptTokens: 20, CachedTokens: 2,
		TTFTPercentiles:  []float64{15, 19, 19.5, 19.9, 19.99},
		TotalPercentiles: []float64{45, 57, 58.5, 59.7, 59.97},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if none, err := MeasureLoadTest(memoryOf(early), 10*milli); err != nil || none.Requests != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}
