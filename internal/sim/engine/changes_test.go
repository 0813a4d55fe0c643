package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/random"
)

func TestParseChanges(t *testing.T) {
	got, err := ParseChanges(" 5s=3, 1m=0.5")
	if want := []Change{{5 * time.Second, 3}, {time.Minute, 0.5}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := ParseChanges(""); err != nil || got != nil {
		t.Errorf("nothing is %v, %v", got, err)
	}
	for in, word := range map[string]string{
		"5s": "no factor", "5=3": "not a duration", "5s=x": "not a number", "5s=0": "above 0", "5s=-1": "above 0",
		"5s=NaN": "above 0", "5s=Inf": "above 0", "-5s=2": "before the first", "5s=2,5s=3": "order", "9s=2,5s=3": "order",
	} {
		if _, err := ParseChanges(in); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", in, err, word)
		}
	}
}

// TestFixedChanges: waits that begin after a moment take as many times as long, and the moment counts from the first
// request, however long the server had been there.
func TestFixedChanges(t *testing.T) {
	p := &pump{base: time.Now().Add(-time.Hour)}
	e := &Fixed{
		ttft: random.Constant(50 * time.Millisecond), itl: random.Constant(10 * time.Millisecond), pumps: []*pump{p},
		changes: NewChanges([]Change{{65 * time.Millisecond, 3}, {100 * time.Millisecond, 0.5}}),
	}
	j := testJob(1, 0, 5, 6)
	j.PerChunk, j.Sink = 1, &noter{}
	e.Submit(j)
	var after []time.Duration
	for _, at := range runAll(p, onTime) {
		after = append(after, time.Duration(at-j.Started).Round(time.Millisecond)/time.Millisecond)
	}
	if got, want := fmt.Sprint(after), fmt.Sprint([]time.Duration{50, 60, 70, 100, 105, 110}); got != want {
		t.Errorf("tokens after %s ms, want %s", got, want)
	}
}

// TestBatchChanges: a step that begins after the moment takes twice as long.
func TestBatchChanges(t *testing.T) {
	p := stillPump()
	e := newBatch(smallBatch(), NewChanges([]Change{{20 * time.Millisecond, 2}}), p)
	j := testJob(1, 0, 4, 4)
	j.Sink = &noter{}
	e.Submit(j)
	var after []string
	for _, at := range runAll(p, onTime) {
		after = append(after, time.Duration(at-j.Started).String())
	}
	// 14 ms of prefill, a step of 10.104 ms that begins before the moment, and two after it.
	if got, want := strings.Join(after, " "), "14ms 24.104ms 44.314ms 64.526ms"; got != want {
		t.Errorf("tokens after %s, want %s", got, want)
	}
}
