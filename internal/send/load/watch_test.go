package load

import (
	"sync/atomic"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/sim"
)

// after stops a run when so many requests have ended.
type after struct {
	enough int64
	ended  atomic.Int64
	judged atomic.Int64
}

func (a *after) Ended(r *journal.Request) bool {
	return !r.Warmup && a.ended.Add(1)%5 == 0
}

func (a *after) Judge() string {
	a.judged.Add(1)
	if a.ended.Load() >= a.enough {
		return "enough"
	}
	return ""
}

// A watch ends a run as planned: what is in flight comes to its end, nothing is
// cancelled, and the run is not an interrupted one. In a closed and in an open loop.
func TestWatchEndsARun(t *testing.T) {
	for name, spec := range map[string]pace.Spec{
		"closed": closed(),
		"open":   {Name: pace.Constant, Own: &pace.RateOptions{Rate: 500}},
		"slow":   {Name: pace.Constant, Own: &pace.RateOptions{Rate: 20}}, // the stop comes while the dispatcher sleeps
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(*sim.Config) {})
				source := &prompts{n: 100_000, tokens: 4}
				cfg, read := setup(t, s, "vllm", spec, source)
				cfg.Concurrency = 8
				cfg.Warmups = append(cfg.Warmups, source.request(0))
				watch := &after{enough: 20}
				cfg.Watch = watch
				res, err := Run(t.Context(), nil, cfg)
				if err != nil {
					t.Fatal(err)
				}
				records, _ := read()
				if res.Stopped != "enough" || res.Interrupted != "" {
					t.Errorf("stopped %q, interrupted %q", res.Stopped, res.Interrupted)
				}
				if res.Sent < 20 || res.Sent > 50_000 || len(records) != res.Sent+1 || watch.ended.Load() != int64(res.Sent) {
					t.Errorf("%d sent, %d shown, %d in the journal", res.Sent, watch.ended.Load(), len(records))
				}
				for i := range records {
					if records[i].Outcome != journal.Complete {
						t.Errorf("request %d: %s", records[i].Index, records[i].Outcome)
					}
				}
			})
		})
	}
}

// A watch that never says stop changes nothing.
func TestWatchThatLooksOn(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 50, tokens: 4})
		watch := &after{enough: 1 << 40}
		cfg.Watch = watch
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if records, _ := read(); res.Stopped != "" || res.Sent != 50 || len(records) != 50 || watch.judged.Load() == 0 {
			t.Errorf("%+v, %d records, %d judgements", res, len(records), watch.judged.Load())
		}
	})
}
