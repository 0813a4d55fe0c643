package load

import (
	"context"
	"crypto/sha256"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// The end of a run lies on its own clock, also where the warm-up took longer than it.
func TestTheEndIsNotTheWarmups(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) { c.TTFT = random.Constant(time.Millisecond) })
		cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 1, tokens: 1})
		began := time.Now()
		cfg.Warmups = []*workload.Request{{Prompt: "warm up", OutputTokens: 800}}
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		after := cfg.Clock.Now()
		records, _ := read()
		if last := records[len(records)-1].End; res.End != last || res.End != after || time.Since(began) != 801*time.Millisecond {
			t.Errorf("the run ended at %v by its result, at %v by its last request", time.Duration(res.End), time.Duration(last))
		}
	})
}

// counting is a balancer that knows what is on its way.
type counting struct{ picked, done int }

func (c *counting) Pick(uint64) int { c.picked++; return 0 }
func (c *counting) Done(int)        { c.done++ }

func TestSamplesAreGivenBackToTheBalancer(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "vllm", closed(), nil)
		b := &counting{}
		cfg.Targets, cfg.Balance = []string{cfg.URL}, b
		if err := cfg.Started(); err != nil {
			t.Fatal(err)
		}
		source := &prompts{n: 3, tokens: 2}
		if err := Sample(context.Background(), nil, cfg, []*workload.Request{source.request(0), source.request(1)}); err != nil {
			t.Fatal(err)
		}
		read()
		if b.picked != 2 || b.done != 2 {
			t.Errorf("%d picked, %d given back", b.picked, b.done)
		}
	})
}

// slowHash does not get on until it may.
type slowHash struct {
	hash.Hash
	may <-chan struct{}
}

func (h slowHash) Write(b []byte) (int, error) {
	<-h.may
	return h.Hash.Write(b)
}

// The dispatcher hands bodies over; it does not wait until they are hashed.
func TestTheDispatcherWaitsForNoHash(t *testing.T) {
	may := make(chan struct{})
	w := newWorkloadSum(slowHash{sha256.New(), may})
	for i := range 100 {
		w.add(i, 0, [][]byte{[]byte("a long body")}) // would never return
	}
	close(may)
	quick := newWorkloadSum(sha256.New())
	for i := range 100 {
		quick.add(i, 0, [][]byte{[]byte("a long body")})
	}
	if got, want := w.hex(), quick.hex(); got != want {
		t.Errorf("sum %s, want %s", got, want)
	}
}

// A server that does not know the field by which chat asks for a length answers at the
// length that it likes. That is told after some answers, not after all.
func TestAnswersFarTooLongEndTheRun(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) { c.Ignore, c.DefaultMaxTokens = []string{"max_completion_tokens"}, 2000 })
		const n = 40
		cfg, read := setup(t, s, "openai-chat", closed(), &prompts{n: n, tokens: 3})
		cfg.Concurrency = 2
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		long := 0
		for _, r := range records {
			if r.Outcome == journal.Long {
				long++
				if !strings.Contains(r.Error, "3 were asked for") || len(r.Events.At) > 100 {
					t.Errorf("%d events, %q", len(r.Events.At), r.Error)
				}
			}
		}
		if res.Interrupted != Overlong || long < enoughLong || len(records) > n/2 {
			t.Errorf("interrupted %q, %d of %d answers too long", res.Interrupted, long, len(records))
		}
	})
}
