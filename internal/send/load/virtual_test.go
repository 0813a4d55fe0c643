package load

import (
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// An hour's load in virtual time: each request leaves at its very nanosecond, and its times are the simulator's.
func TestAnHour(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const n, first, next = 3600, 50 * time.Millisecond, 10 * time.Millisecond
		s := startSim(t, func(c *sim.Config) { c.TTFT, c.ITL = random.Constant(first), random.Constant(next) })
		cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 1}}, &prompts{n: n, tokens: 5})
		began := time.Now()
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(began), (n-1)*time.Second+90*time.Millisecond; took != want && took != want+time.Second {
			t.Errorf("took %v, want %v", took, want)
		}
		records, _ := read()
		if len(records) != n {
			t.Errorf("%d requests, want %d", len(records), n)
		}
		events := []int64{int64(first), int64(next), int64(next), int64(next), int64(next), 0} // the last one is the usage
		for i := range records {
			q := &records[i]
			if q.Outcome != journal.Complete || q.Sent != q.Due {
				t.Fatalf("%s: %s, due at %v, sent at %v", q.ID, q.Outcome, time.Duration(q.Due), time.Duration(q.Sent))
			}
			if !slices.Equal(q.Events.At, events) {
				t.Fatalf("%s: events after %v, want %v", q.ID, q.Events.At, events)
			}
		}
	})
}
