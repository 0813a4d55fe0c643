package bench_test

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// Coordinated omission: eight requests, due each 100 ms, to a server that takes
// 500 ms, one at a time. The k-th is due at 0.1·k and ends at 0.1 + 0.5·k, so its user
// waits 0.1 + 0.4·k seconds: 1.9 on average. From the moment of sending it is 0.5.
func TestCoordinatedOmission(t *testing.T) {
	play(t, func(s *stage) {
		at, _ := s.sim(func(c *sim.Config) { c.TTFT = random.Constant(500 * time.Millisecond) })
		r := s.bench(at, `"dataset":{"name":"random","input_len":16,"output_len":1},"pace":{"name":"constant","rate":10},"load":{"num_prompts":8,"max_concurrency":1}`)
		for from, want := range map[string]float64{"sent": 500, "due": 1900} {
			shown := regexp.MustCompile(`(?m)^E2EL, ` + from + ` +([0-9.]+) `).FindStringSubmatch(r.console)
			if shown == nil {
				t.Errorf("the console does not show E2EL, %s:\n%s", from, r.console)
				continue
			}
			if got, err := strconv.ParseFloat(shown[1], 64); err != nil || got != want {
				t.Errorf("mean end-to-end latency from %s is %v ms, want %v", from, got, want)
			}
		}
		if k := r.verdict.Check("rate"); k.Level != verdict.Invalid {
			t.Errorf("rate is %s: %s", k.Level, k.Sentence)
		}
	})
}
