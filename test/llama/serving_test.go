package llama

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/test/realserver"
)

// TestServerMetrics: llama-server's own metrics are read on the way, summarised and drawn, and
// what it counts is what we count.
func TestServerMetrics(t *testing.T) {
	n := realserver.Requests(32, 12)
	s := startLlama(t, "--parallel", "2", "--ctx-size", "2048")
	program, folder := realserver.Build(t), filepath.Join(t.TempDir(), "run")
	r := realserver.StartBench(t, nil, program, random(s.Base, "/v1/completions", "--num-prompts", strconv.Itoa(n), "--max-concurrency", "6", "--num-warmups", "2",
		"--random-input-len", "24", "--random-output-len", "12", "--scrape-every", "100ms", "--run-dir", folder)...).Wait(t, 0, patience)
	if r.Completed != n {
		t.Fatalf("%d of %d were completed", r.Completed, n)
	}
	var result struct {
		Inferometer struct{ Server *serving.Summary }
	}
	report := func(format string) []byte {
		out, err := exec.Command(program, "report", "--format", format, folder).Output()
		if err != nil {
			t.Fatalf("report --format %s: %v", format, err)
		}
		return out
	}
	if err := json.Unmarshal(report("json"), &result); err != nil {
		t.Fatal(err)
	}
	sum := result.Inferometer.Server
	if sum == nil || sum.Kind != "llama.cpp" || len(sum.Notes) > 0 {
		t.Fatalf("%+v", sum)
	}
	for name, c := range map[string]*serving.Counted{"prompt tokens": sum.PromptTokens, "generated tokens": sum.GeneratedTokens} {
		if c == nil || c.Difference == nil || *c.Difference != 0 || c.Server != *c.Ours || c.Server == 0 {
			t.Errorf("%s: %+v", name, c)
			continue
		}
		t.Logf("%s: the server's %v, ours %v", name, c.Server, *c.Ours)
	}
	// Six requests for two slots: four wait.
	if sum.Running == nil || sum.Running.Max != 2 || sum.Waiting == nil || sum.Waiting.Max != 4 || sum.Waiting.Above < 0.5 {
		t.Errorf("running %+v, waiting %+v", sum.Running, sum.Waiting)
	}
	if sum.PrefillSeconds == nil || sum.DecodeSeconds == nil || *sum.DecodeSeconds <= 0 {
		t.Errorf("%+v", sum.Server)
	}
	page := report("html")
	for _, words := range []string{"llama.cpp by its own metrics", "llamacpp: running", "llamacpp: waiting", "llamacpp: generated tokens per second"} {
		if !bytes.Contains(page, []byte(words)) {
			t.Errorf("the page lacks %q", words)
		}
	}
}
