package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/sim/engine"
)

// config is a server, a workload and an SLO, all drawn.
type config struct {
	seed          uint64
	closed        bool // the concurrency is searched for; else the rate
	engine        engine.BatchConfig
	input, output int
	spread        float64 // lengths vary by this share up and down
	slo           slo.SLO
}

// draw makes the n-th configuration: engines of 10 to 40 ms a step, prompts of 100
// to 800 tokens, answers of 16 to 64; odd ones search for a concurrency. The limits
// are drawn as multiples of what a single request sees, so that each can bind.
func draw(n int) *config {
	r := rand.New(rand.NewPCG(uint64(n), 20))
	within := func(a, b float64) float64 { return a * math.Pow(b/a, r.Float64()) }
	micro := func(a, b float64) time.Duration {
		return time.Duration(within(a, b) * float64(time.Microsecond)).Round(100 * time.Nanosecond)
	}
	c := &config{
		seed: uint64(n), closed: n%2 == 1,
		engine: engine.BatchConfig{
			Base: micro(10_000, 40_000).Round(time.Millisecond), PerPrefillToken: micro(20, 100), PerSequence: micro(100, 600),
			PerCachedToken: 100 * time.Nanosecond, MaxNumBatchedTokens: 1024, MaxNumSeqs: 256, BlockSize: 16, NumBlocks: 8192,
		},
		input: int(within(100, 800)), output: int(within(16, 64)), spread: []float64{0, 0.3, 0.6}[r.IntN(3)],
	}
	times := within(3, 8)
	if c.closed {
		// Answers of one length would keep a closed loop in step for ever.
		times, c.spread = within(4, 10), max(c.spread, 0.3)
		c.engine.PerPrefillToken, c.engine.PerSequence = micro(10, 40), micro(100, 300) // for more than a few at a time
	}
	alone := c.engine.Base + time.Duration(c.input)*c.engine.PerPrefillToken
	ttft := []string{"p99", "p95", "p90", "median"}[r.IntN(4)]
	itl := []string{"p99", "p95", "mean"}[r.IntN(3)]
	text := fmt.Sprintf("%s_ttft<=%.0fms", ttft, times*ms(alone))
	if r.IntN(2) == 0 {
		text += fmt.Sprintf(" and %s_itl<=%.0fms", itl, ms(c.engine.Base)*within(1.5, 2.5)+1.5*ms(time.Duration(c.input)*c.engine.PerPrefillToken))
	}
	var err error
	if c.slo, err = slo.Parse(text + " and failed<1%"); err != nil {
		panic(err) // it was written here
	}
	return c
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// lengths draws a request's.
func (c *config) lengths(r *rand.Rand) (input, output int) {
	vary := func(n int) int { return max(1, n+int(math.Round(float64(n)*c.spread*(2*r.Float64()-1)))) }
	return vary(c.input), vary(c.output)
}

func (c *config) word() string {
	if c.closed {
		return "concurrency"
	}
	return "rate"
}
