package load

import (
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// Users come one after the other: the k-th request that was in flight beside
// others can't have been sent before user k was there. Each answer takes longer
// than all users need to come, so that the first five requests are five users'.
func TestUsersSpawnAtARate(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const users, rate = 5, 50.0
		s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(300 * time.Millisecond) })
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 2 * users, tokens: 2})
		cfg.Concurrency, cfg.SpawnRate = users, rate
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		var sent []int64
		for _, r := range records {
			sent = append(sent, r.Sent)
		}
		slices.Sort(sent)
		if len(sent) != 2*users || res.PeakInFlight != users {
			t.Fatalf("%d requests, %d at most in flight; want %d and %d", len(sent), res.PeakInFlight, 2*users, users)
		}
		for k := range users {
			if due := int64(float64(k) / rate * 1e9); sent[k] != due {
				t.Errorf("user %d came at %v and sent at %v", k, time.Duration(due), time.Duration(sent[k]))
			}
		}
	})
}

// A run that ends before all users are there waits for none.
func TestSpawningEndsWithTheRun(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 3, tokens: 1})
		cfg.Concurrency, cfg.SpawnRate = 100, 0.001
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if records, _ := read(); len(records) != 3 || res.End != int64(3*2*time.Millisecond) {
			t.Errorf("%d requests, the last ended at %v", len(records), time.Duration(res.End))
		}
	})
}
