package harness

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 2: {3, 2, 1}, 2.5: {4, 1, 2, 3}} {
		if got := Median(values); got != want {
			t.Errorf("%v: %v, want %v", values, got, want)
		}
	}
	if Median([]time.Duration{3, 1, 2}) != 2 {
		t.Error("durations")
	}
}

func TestRun(t *testing.T) {
	if c, err := Run("true"); err != nil || c.Wall <= 0 || c.PeakMB <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Run("sh", "-c", "echo why; exit 3"); err == nil || err.Error() != "sh: exit status 3\nwhy\n" {
		t.Errorf("%v", err)
	}
}
