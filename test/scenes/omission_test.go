//go:build linux

package scenes

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Coordinated omission: eight requests, due each 100 ms, to a server that takes
// 500 ms, one at a time. The k-th is due at 0.1·k and ends at 0.1 + 0.5·k, so its user
// waits 0.1 + 0.4·k seconds: 1.9 on average. From the moment of sending it is 0.5.
func TestCoordinatedOmission(t *testing.T) {
	s := newStage(t)
	url := s.sim(nil, "--ttft", "500ms").URL
	r := s.bench(url, "--num-prompts", "8", "--request-rate", "10", "--burstiness", "inf", "--max-concurrency", "1",
		"--random-input-len", "16", "--random-output-len", "1")
	for _, tt := range []struct {
		from   string
		meanMs float64
	}{{"sent", 500}, {"due", 1900}} {
		got := r.Inferometer.Latency[tt.from].E2EL.MeanMs
		if math.Abs(got-tt.meanMs) > tt.meanMs/10 {
			t.Errorf("mean end-to-end latency from %s is %.0f ms, want %.0f", tt.from, got, tt.meanMs)
		}
		shown := regexp.MustCompile(`(?m)^E2EL, ` + tt.from + ` +([0-9.]+) `).FindStringSubmatch(r.Stdout)
		if shown == nil {
			t.Errorf("the console does not show E2EL, %s:\n%s", tt.from, r.Stdout)
			continue
		}
		if v, err := strconv.ParseFloat(shown[1], 64); err != nil || math.Abs(v-got) > 0.01 {
			t.Errorf("the console shows %s, the result %.3f", shown[1], got)
		}
		t.Logf("from %s: %.1f ms", tt.from, got)
	}
	if k := r.Inferometer.Verdict.Check("rate"); k.Level != verdict.Invalid {
		t.Errorf("rate is %s: %s", k.Level, k.Sentence)
	}
}
