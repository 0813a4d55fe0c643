package client

import (
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/load"
)

// A timer that comes late is a hold, one that comes in time is none; the oldest are forgotten.
func TestHolds(t *testing.T) {
	w := &Wakeups{}
	const ms = int64(time.Millisecond)
	w.woke(5*ms, 5*ms+100_000)
	w.woke(10*ms, 14*ms)
	w.woke(19*ms, 60*ms)
	if got := w.Holds(nil, 0, 100*ms); !slices.Equal(got, []load.Hold{{From: 10 * ms, To: 14 * ms}, {From: 19 * ms, To: 60 * ms}}) {
		t.Errorf("%v", got)
	}
	if got := w.Holds(nil, 14*ms, 19*ms); len(got) != 0 {
		t.Errorf("between two: %v", got)
	}
	worst, wakes, late, lateNs := w.Take()
	if worst != 41*ms || wakes != 3 || late != 1 || lateNs != 4*ms { // 41 ms are no turn of another program
		t.Errorf("worst %d, %d timers, %d late by %d", worst, wakes, late, lateNs)
	}
	if worst, _, _, _ := w.Take(); worst != 0 {
		t.Errorf("worst %d again", worst)
	}
	for i := range int64(2 * maxHeld) {
		w.woke(100*ms+i*10*ms, 100*ms+i*10*ms+2*ms)
	}
	if got := w.Holds(nil, 0, 1<<62); len(got) != maxHeld || got[len(got)-1].To <= got[0].To {
		t.Errorf("%d are kept", len(got))
	}
	if got := (*Wakeups)(nil).Holds(nil, 0, 1); got != nil {
		t.Errorf("%v of none", got)
	}
}
