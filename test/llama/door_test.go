package llama

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// inferometer URL finds out what the server is, how many slots it has and what it can take.
func TestAddressAlone(t *testing.T) {
	s := startLlama(t, "--parallel", "2", "--ctx-size", "1024")
	r := realserver.StartAddress(t, realserver.Build(t), strings.TrimPrefix(s.Base, "http://")+"/v1").Wait(t, 0, patience)
	if r.Completed == 0 || r.Failed != 0 || r.Inferometer.Outcomes["complete"] != r.Completed {
		t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	for _, words := range []string{"llama.cpp ", ", 2 at a time. One request alone: first token after ", "The same as: inferometer bench serve --base-url ", " --backend openai-chat ", " --max-concurrency "} {
		if !strings.Contains(r.Stderr, words) {
			t.Errorf("no %q in:\n%s", words, r.Stderr)
		}
	}
	t.Logf("%d requests, mean TTFT %.0f ms\n%s", r.Completed, r.MeanTTFTms, r.Stderr)
}
