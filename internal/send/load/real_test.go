package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/sim"
)

// patience is for an answer that comes: no machine is so slow.
const patience = 10 * time.Minute

// What virtual time can't have: the kernel's sockets and its times, the event loop, TLS.

// Each outcome, through the event loop and through net/http. An answer that comes has all the time of the world, and
// those that stall never come: no machine is too slow for either.
func TestRealOutcomes(t *testing.T) {
	faults := maps.Clone(allFaults)
	delete(faults, sim.FaultStall)
	for fault := range faults {
		faults[fault] = 0.08
	}
	for _, tt := range []struct {
		backend string
		noLoop  bool
		except  excepting
	}{
		{"vllm", false, nil},
		{"openai-chat", true, nil},
		{"openai-chat" + unstreamed, false, noEvents},
		{"openai" + unstreamed, true, noEvents},
		{"ollama", false, shortIsWhole},
		{"sglang", false, nil},
		{"trtllm", false, excepting{sim.FaultTruncate: {journal.Truncated, journal.Short}}},
		{"openai-responses", false, nil},
		{"custom-whole", false, noEvents},
	} {
		t.Run(fmt.Sprintf("%s, net/http %v", tt.backend, tt.noLoop), func(t *testing.T) {
			t.Parallel()
			s := startReal(t, func(c *sim.Config) { c.Faults, c.SlowHeaders = faults, 50*time.Millisecond })
			s.noLoop = tt.noLoop
			outcomesAreTheTruths(t, s, tt.backend, 200, patience, faults, tt.except)

			stalls := sim.Faults{sim.FaultStall: 1}
			s = startReal(t, func(c *sim.Config) { c.Faults, c.Stall = stalls, time.Hour })
			s.noLoop = tt.noLoop
			outcomesAreTheTruths(t, s, tt.backend, 8, 200*time.Millisecond, stalls, nil)
		})
	}
}

// Each framing through the event loop, and some of each API.
func TestRealFramings(t *testing.T) {
	for _, backend := range []string{"vllm", "openai-chat", "sglang", "ollama", "openai-responses", "anthropic", "trtllm", "custom-lines"} {
		styles := stylesOf(backend)
		if backend != "vllm" {
			styles = styles[:3] // plain, in pieces, several at once
		}
		for _, style := range styles {
			t.Run(backend+" "+style, func(t *testing.T) {
				t.Parallel()
				framingIsTheTruths(t, startReal(t, framed(t, style)), backend, style)
			})
		}
	}
}

// Some through net/http with the kernel's times.
func TestRealFramingsByNetHTTP(t *testing.T) {
	for _, style := range stylesOf("openai-chat") {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			s := startReal(t, framed(t, style))
			s.noLoop = true
			framingIsTheTruths(t, s, "openai-chat", style)
		})
	}
}

func TestRealTLSAndContinuousUsage(t *testing.T) {
	s := startReal(t, func(c *sim.Config) { c.TLS, c.TokensPerChunk = true, 3 })
	cfg, read := setup(t, s, "vllm", closed(), &prompts{n: 4, tokens: 7})
	cfg.Call.Extra = []protocol.Field{{Name: "stream_options", Value: json.RawMessage(`{"include_usage":true,"continuous_usage_stats":true}`)}}
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	truth := s.truth()
	if len(records) != 4 {
		t.Errorf("%d records", len(records))
	}
	for i := range records {
		q := &records[i]
		if q.Outcome != journal.Complete || q.Events.TokensBy != "usage" {
			t.Fatalf("%s %s, tokens by %q", q.Outcome, q.Error, q.Events.TokensBy)
		}
		if got := q.Events.Tokens[:3]; !slices.Equal(got, []int{3, 3, 1}) {
			t.Errorf("tokens %v, the truth has %v", q.Events.Tokens, truth[q.ID].Tokens)
		}
		if cfg.Transport.Stamps() == "kernel" && (q.UnstampedRead != 0 || len(q.Events.Lag) != len(q.Events.At)) {
			t.Errorf("%d reads without the kernel's time, %d lags", q.UnstampedRead, len(q.Events.Lag))
		}
	}
}
