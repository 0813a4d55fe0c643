package load

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

func TestWarmupsComeBeforeTimeZero(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		p := &prompts{n: 3, tokens: 2}
		cfg, read := setup(t, s, "vllm", closed(), p)
		cfg.Warmups, cfg.Progress = []*workload.Request{p.request(100), p.request(101)}, &Progress{}
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		if s := cfg.Progress.Snapshot(); s.Tokens != 6 || s.Finished != 6 {
			t.Errorf("three requests of two tokens each are %d tokens, %d of those that ended", s.Tokens, s.Finished)
		}
		records, _ := read()
		warm := 0
		for _, q := range records {
			if q.Warmup {
				warm++
			}
			if q.Warmup != (q.End <= 0) || q.Warmup != (q.Sent < 0) {
				t.Errorf("warm-up %v, but sent at %d and ended at %d", q.Warmup, q.Sent, q.End)
			}
		}
		if warm != 2 || len(records) != 5 {
			t.Errorf("%d warm-ups of %d records", warm, len(records))
		}
	})
}

// Drain: nothing new is sent, what is in flight comes to its end.
func TestDrainGivesAResult(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const ttft = 300 * time.Millisecond
		s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(ttft) })
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 1000, tokens: 2})
		cfg.Concurrency, cfg.Progress = 4, &Progress{}
		drain := make(chan struct{})
		time.AfterFunc(ttft/2, func() {
			if n := cfg.Progress.Snapshot().InFlight; n != 4 {
				t.Errorf("%d in flight", n)
			}
			close(drain)
		})
		res, err := Run(t.Context(), drain, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if res.Interrupted != "signal" || res.Sent != 4 || len(records) != 4 {
			t.Errorf("result %+v, %d records", res, len(records))
		}
		for _, q := range records {
			if q.Outcome != journal.Complete || q.End != int64(ttft+time.Millisecond) {
				t.Errorf("%s: %s at %v", q.Outcome, q.Error, time.Duration(q.End))
			}
		}
	})
}

// A second stop, and the deadline, cancel what is in flight: those requests are shown as cancelled.
func TestStopsCancel(t *testing.T) {
	const after = 50 * time.Millisecond
	for _, by := range []string{"signal", "deadline"} {
		t.Run(by, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(time.Hour) })
				cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 100, tokens: 2})
				cfg.Concurrency = 4
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if by == "deadline" {
					cfg.Deadline = after
				} else {
					time.AfterFunc(after, cancel)
				}
				res, err := Run(ctx, nil, cfg)
				if err != nil {
					t.Fatal(err)
				}
				records, _ := read()
				if res.Interrupted != by || len(records) != 4 || res.Sent != 4 {
					t.Errorf("result %+v, %d records", res, len(records))
				}
				for _, q := range records {
					if q.Outcome != journal.Cancelled || q.End != int64(after) {
						t.Errorf("%s: %s at %v", q.Outcome, q.Error, time.Duration(q.End))
					}
				}
			})
		})
	}
}

func TestOpenLoopKeepsItsDueTimes(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		spec := pace.Spec{Name: pace.Poisson, Own: &pace.RateOptions{Rate: 200}, N: 50, Seed: 3}
		cfg, read := setup(t, s, "vllm", spec, &prompts{n: 50, tokens: 2})
		cfg.Concurrency = 0
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		want, err := pace.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		for i, q := range byIndex(records) {
			due, _ := want.Next()
			if q.Due != int64(due) || q.Sent != q.Due || q.Released != q.Due || q.Index != i {
				t.Errorf("request %d: due %d (want %d), released %d, sent %d", q.Index, q.Due, due, q.Released, q.Sent)
			}
		}
		if len(records) != 50 {
			t.Errorf("%d records", len(records))
		}
	})
}

// Who waits for a slot was let go when it was due: what it waits for is not our lateness.
func TestAWaitForASlotIsNotLateness(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(40 * time.Millisecond) })
		cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 100}, N: 10}, &prompts{n: 10, tokens: 1})
		cfg.Concurrency = 1
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		for i, q := range byIndex(records) {
			// Each waits 30 ms longer than the one before.
			if waited := time.Duration(q.Sent - q.Released); q.Released != q.Due || waited != time.Duration(i)*30*time.Millisecond {
				t.Errorf("request %d: due %d, released %d, waited %v for a slot", q.Index, q.Due, q.Released, waited)
			}
		}
		if len(records) != 10 {
			t.Errorf("%d records", len(records))
		}
	})
}

func TestClosedLoopEndsAfterItsDuration(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const duration, answer = 300 * time.Millisecond, 3 * time.Millisecond
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", pace.Spec{Name: pace.Closed, Duration: duration}, &prompts{n: 1 << 30, tokens: 2})
		cfg.Concurrency = 2
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if want := cfg.Concurrency * int(duration/answer); res.Interrupted != "" || len(records) != want {
			t.Errorf("result %+v, %d records, want %d", res, len(records), want)
		}
		for i, q := range byIndex(records) {
			if sent := time.Duration(q.Sent); sent != time.Duration(i/2)*answer || q.Outcome != journal.Complete {
				t.Errorf("sent at %v: %s", sent, q.Outcome)
			}
		}
	})
}

// Two runs with the same hash sent the same bytes at the same times.
func TestWorkloadHash(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		hash := func(n, tokens int, spec pace.Spec) string {
			cfg, read := setup(t, s, "vllm", spec, &prompts{n: n, tokens: tokens})
			res, err := Run(t.Context(), nil, cfg)
			if err != nil {
				t.Fatal(err)
			}
			read()
			return res.WorkloadSHA
		}
		base := hash(5, 2, closed())
		if again := hash(5, 2, closed()); again != base {
			t.Error("the same workload has another hash")
		}
		for name, other := range map[string]string{
			"more requests": hash(6, 2, closed()), "other bodies": hash(5, 3, closed()),
			"other due times": hash(5, 2, pace.Spec{Name: pace.Poisson, Own: &pace.RateOptions{Rate: 500}, N: 5}),
		} {
			if other == base {
				t.Errorf("%s: the same hash", name)
			}
		}
	})
}

func TestASourceThatFailsEndsTheRun(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		broken := errors.New("the file is broken")
		cfg, read := setup(t, s, "vllm", closed(), failing{broken})
		if _, err := Run(t.Context(), nil, cfg); !errors.Is(err, broken) {
			t.Errorf("err = %v", err)
		}
		read()
	})
}

type failing struct{ err error }

func (f failing) Next() (*workload.Request, error) { return nil, f.err }
