package metric

import (
	"math"
	"testing"
)

// Prompts that nobody counted have no number: a request that succeeded had one of some length.
func TestUncountedPromptsAreUnknown(t *testing.T) {
	for _, m := range numbers() {
		if m.Name != "total_input_tokens" && m.Name != "total_token_throughput" {
			continue
		}
		for _, c := range []struct {
			totals  Totals
			unknown bool
		}{
			{Totals{Completed: 4, OutputTokens: 8, Duration: 1}, true},
			{Totals{Completed: 4, InputTokens: 5, OutputTokens: 8, Duration: 1}, false},
			{Totals{Failed: 4, Duration: 1}, false}, // of no success there are none
		} {
			if v, _ := m.Run(&c.totals); math.IsNaN(v) != c.unknown {
				t.Errorf("%s of %+v is %v", m.Name, c.totals, v)
			}
		}
	}
}
