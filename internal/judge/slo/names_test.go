package slo_test

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// Every metric has its one home in measure; an SLO can name each of them.
func TestNamesAreThoseOfMeasure(t *testing.T) {
	for _, m := range measure.Metrics() {
		if _, err := slo.Parse("p99_" + m.Name + "<=1ms"); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	for _, n := range measure.Numbers() {
		if n.Better == "" {
			continue // neither direction is better: no limit makes sense
		}
		if _, err := slo.Parse(n.Name + ">=1"); err != nil {
			t.Errorf("%s: %v", n.Name, err)
		}
	}
}
