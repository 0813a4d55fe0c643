package scenario

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// TestShareOfNothing: what a run does not have is unknown, and no share of zero.
func TestShareOfNothing(t *testing.T) {
	m := &measured{Result: result.Result{Numbers: map[string]float64{"completed": 9, "failed": 1}}}
	if v, ok := m.value("failed_share"); !ok || v != 0.1 {
		t.Errorf("failed: %v, %v", v, ok)
	}
	for _, name := range []string{"no_answer_share", "cut_off_share", "cached_share", "accuracy"} {
		if v, ok := m.value(name); ok {
			t.Errorf("%s is said to be %v", name, v)
		}
	}
	m.Numbers["no_answer_share"] = 0.25
	if v, ok := m.value("no_answer_share"); !ok || v != 0.25 {
		t.Errorf("no answer: %v, %v", v, ok)
	}
}
