package clock

import (
	"testing"
	"time"
)

// TestNow: the time goes on in small steps, never back, and is that of the day.
func TestNow(t *testing.T) {
	first := Now()
	if apart := time.Since(first).Abs(); apart > time.Second {
		t.Errorf("%v apart from package time", apart)
	}
	least, last := time.Hour, first
	for i := 0; i < 100_000 || Since(first) < 20*time.Millisecond; i++ {
		now := Now()
		switch step := now.Sub(last); {
		case step < 0:
			t.Fatalf("back by %v", -step)
		case step > 0:
			least = min(least, step)
		}
		last = now
	}
	if least > 100*time.Microsecond {
		t.Errorf("the smallest step is %v", least)
	}
}
