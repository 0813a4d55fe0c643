package ollama

import (
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// inferometer URL takes Ollama's own chat, and one request at a time: it does not say how many it works on.
func TestAddressAlone(t *testing.T) {
	s := startOllama(t)
	r := realserver.StartAddress(t, realserver.Build(t), s.Base).Wait(t, 0, 15*time.Minute)
	if r.Completed == 0 || r.Failed != 0 {
		t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	for _, words := range []string{"Ollama ", "model smollm2", " --backend ollama-chat ", " --max-concurrency 1 "} {
		if !strings.Contains(r.Stderr, words) {
			t.Errorf("no %q in:\n%s", words, r.Stderr)
		}
	}
}
