package section

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// TestQuantile: a percentile is said no more exactly than buckets tell it.
func TestQuantile(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		of     *serving.Quantile
		bounds string
	}{
		{nil, "–"},
		{&serving.Quantile{Low: 0, High: v(300), Value: v(150)}, "≤ 300"},
		{&serving.Quantile{Low: 20, High: v(40), Value: v(30)}, "≈ 30 (20 to 40)"},
		{&serving.Quantile{Low: 2560000}, "> 2560000"},
	} {
		if got := quantile(c.of); got != c.bounds {
			t.Errorf("%q, want %q", got, c.bounds)
		}
	}
}

// TestCounted: the server's number stands beside ours.
func TestCounted(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	for want, c := range map[string]*serving.Counted{
		"":                        nil,
		"7":                       {Server: 7},
		"7; ours the same":        {Server: 7, Ours: v(7), Difference: v(0)},
		"9; ours 7: 2 more":       {Server: 9, Ours: v(7), Difference: v(2)},
		"4; ours 5 to 7: 1 fewer": {Server: 4, Ours: v(5), OursMost: v(7), Difference: v(-1)},
		"6; ours 5 to 7":          {Server: 6, Ours: v(5), OursMost: v(7), Difference: v(0)},
		"6, 1.50/s under load":    {Server: 6, PerSecond: v(1.5)},
	} {
		if got := counted(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
