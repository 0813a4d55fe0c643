package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/sim"
)

// Clients that hang up make a run neither worse nor doubtful, whatever the server goes on to do, and what it generated for nobody is what its
// counters say: nothing where it stops, all that was left where it does not notice.
func TestHangUps(t *testing.T) {
	const tokens, got = 32, 5
	for _, goesOn := range []bool{false, true} {
		t.Run(fmt.Sprintf("goes on %v", goesOn), func(t *testing.T) {
			t.Parallel()
			play(t, func(s *stage) {
				address, stop := s.sim(func(c *sim.Config) { c.IgnoreDisconnect = goesOn })
				defer stop()
				p := s.bench(address, strings.Replace(usual, `"num_prompts":120`, fmt.Sprintf(`"num_prompts":400,"seed":3,"request_cancellation_rate":25,"request_cancellation_tokens":%d`, got), 1))
				h := p.Result.HangUps
				if h == nil || h.Requests < 70 || h.Requests > 130 || h.Planned != h.Requests || h.Received != int64(got*h.Requests) || h.Left != int64((tokens-got)*h.Requests) {
					t.Fatalf("%+v", h)
				}
				if p.Result.Failed != 0 || p.Result.HungUp != h.Requests || p.Result.Completed != 400-h.Requests {
					t.Errorf("%d completed, %d failed, %d hung up", p.Result.Completed, p.Result.Failed, p.Result.HungUp)
				}
				n := h.ForNobody
				switch {
				case n == nil || n.Low != n.High:
					t.Errorf("for nobody: %+v", n)
				case goesOn && (n.High > float64(h.Left) || n.High < float64(h.Left)-8*(tokens-got)): // those in flight at the end may not be over
					t.Errorf("for nobody: %v of %d", *n, h.Left)
				case !goesOn && n.High > float64(h.Requests): // one may be on its way
					t.Errorf("for nobody: %v of %d", *n, h.Left)
				}
				for i := range p.verdict.Checks {
					if k := &p.verdict.Checks[i]; k.Level.Bad() && slices.Contains([]string{"outcomes", "foreign_requests", "foreign_tokens", "repeated_work", "cancelled"}, k.Name) {
						t.Errorf("%s: %s: %s", k.Name, k.Level, k.Sentence)
					}
				}
				if p.verdict.Level == verdict.TrustInvalid || !strings.Contains(p.console, "Hung up on purpose") {
					t.Errorf("%v: %s", p.verdict.Level, p.console)
				}
				for name, want := range map[string]float64{"hung_up": float64(h.Requests), "tokens_for_nobody": n.High, "failed": 0, "hung_up_share": float64(h.Requests) / 400} {
					if v, ok := p.Result.Value(name); !ok || v != want {
						t.Errorf("%s is %v %v, want %v", name, v, ok, want)
					}
				}
			})
		})
	}
}
