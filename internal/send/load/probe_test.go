package load

import (
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
)

// Probes are sent beside the load, whose slots are all taken, and are no part of it.
func TestProbesAreBesideTheLoad(t *testing.T) {
	virtual(t, func(t *testing.T) {
		sums := map[bool]string{}
		for _, probing := range []bool{false, true} {
			s := startSim(t, func(*sim.Config) {})
			cfg, read := setup(t, s, "openai-chat", closed(), &prompts{n: 20, tokens: 16})
			cfg.Concurrency = 1
			if probing {
				cfg.Probe = &Probe{Request: workload.Request{Prompt: "Hi", PromptTokens: 1, OutputTokens: 1}, Pause: time.Millisecond}
			}
			res, err := Run(t.Context(), nil, cfg)
			if err != nil {
				t.Fatal(err)
			}
			sums[probing] = res.WorkloadSHA
			if res.Sent != 20 || res.PeakInFlight != 1 || res.Interrupted != "" {
				t.Errorf("the result has something of the probes: %+v", res)
			}
			records, _ := read()
			truth := s.truth()
			probes, measured, last := 0, 0, int64(0)
			for _, q := range records {
				if !q.Probe {
					measured++
					last = max(last, q.End)
					continue
				}
				probes++
				if !q.Warmup || q.Sent < 0 || q.Outcome != journal.Complete || q.UsageOutput != 1 {
					t.Errorf("a probe is written as %+v", q)
				}
				if _, known := truth[q.ID]; !known || !strings.HasPrefix(q.ID, "t-probe-") {
					t.Errorf("the server knows nothing of %s", q.ID)
				}
			}
			if measured != 20 || res.End != last || probing != (probes > 1) {
				t.Errorf("%d requests and %d probes, the last request at %d, the run's end at %d", measured, probes, last, res.End)
			}
		}
		if sums[true] != sums[false] {
			t.Error("the workload's hash changed with probes")
		}
	})
}

// A probe that hangs is cancelled with the run, and leaves nothing behind (TestMain looks).
func TestProbesEndWithTheRun(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) { c.Faults, c.Stall = sim.Faults{sim.FaultStall: 1}, time.Hour })
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 3, tokens: 4})
		cfg.Probe, cfg.Deadline = &Probe{Request: workload.Request{Prompt: "Hi", OutputTokens: 4}}, 50*time.Millisecond
		res, err := Run(t.Context(), nil, cfg)
		if err != nil || res.Interrupted != "deadline" {
			t.Fatalf("%+v, %v", res, err)
		}
		records, _ := read()
		probes := 0
		for _, q := range records {
			if q.Probe {
				probes++
			}
			if q.Outcome != journal.Cancelled || q.End != int64(cfg.Deadline) {
				t.Errorf("%s ended in %s at %v", q.ID, q.Outcome, time.Duration(q.End))
			}
		}
		if probes != 1 || len(records) != 4 {
			t.Errorf("%d probes, %d records", probes, len(records))
		}
	})
}

// What is to be done between the warm-ups and the load is done there.
func TestWarmedUp(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 3, tokens: 2})
		cfg.Warmups = []*workload.Request{{Prompt: "warm", OutputTokens: 2}}
		at, started := int64(0), cfg.Started
		cfg.WarmedUp = func() { at = cfg.Clock.Now() }
		moved := int64(0)
		cfg.Started = func() error { moved = cfg.Clock.Now(); return started() }
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		read()
		if at == 0 || moved > at {
			t.Errorf("warmed up at %d before the clock's restart, which came at %d", at, moved)
		}
	})
}
