package cli

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// The server's own rates are ours where it counted the same requests, though its counters rise only when a request ends and
// requests take a good part of the run; warm-ups, which it counts too, are no part of them.
func TestServerRateIsOurs(t *testing.T) {
	t.Parallel()
	r := measuredSim(t, []string{"--ttft", "400ms", "--itl", "20ms"}, []string{
		"--dataset-name", "random", "--random-input-len", "32", "--random-output-len", "32", "--ignore-eos", "--num-warmups", "3",
		"--num-prompts", "12", "--max-concurrency", "4", "--scrape-every", "100ms",
	})
	if r.Server == nil {
		t.Fatal("the server told nothing")
	}
	for name, tt := range map[string]struct {
		server *serving.Counted
		ours   float64
	}{"requests": {r.Server.Requests, r.RequestThroughput}, "tokens": {r.Server.GeneratedTokens, r.OutputThroughput}} {
		switch {
		case tt.server == nil || tt.server.PerSecond == nil:
			t.Errorf("%s: no rate: %+v", name, tt.server)
		case math.Abs(*tt.server.PerSecond/tt.ours-1) > 1e-9:
			t.Errorf("%s: %.4g a second by the server, %.4g by us", name, *tt.server.PerSecond, tt.ours)
		}
	}
}
