package llama

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// What the doctor says of a real llama-server. The machine's own findings are
// not looked at, nor is the exit code, which they decide too.
func TestDoctor(t *testing.T) {
	s := startLlama(t, "--ctx-size", "2048")
	out, err := exec.Command(realserver.Build(t), "doctor", "--base-url", s.Base, "--format", "json").Output()
	var r struct {
		Findings []struct{ Name, Level, Figure string }
	}
	if jsonErr := json.Unmarshal(out, &r); jsonErr != nil {
		t.Fatal(err, jsonErr)
	}
	want := map[string]string{
		"reach": "ok", "keep_alive": "note", "compression": "ok", "buffering": "ok", "clock_skew": "unknown", // it sends no Date
		"identity": "ok", "model": "ok", "stream": "ok", "length": "ok", "usage": "ok", "chunks": "ok", "metrics": "ok",
	}
	for _, f := range r.Findings {
		if level, ok := want[f.Name]; ok && f.Level != level {
			t.Errorf("%s is %s: %s, want %s", f.Name, f.Level, f.Figure, level)
		}
		delete(want, f.Name)
		if f.Name == "model" && f.Figure != "smollm2, 2048 tokens at most; 1 listed" {
			t.Errorf("model: %s", f.Figure)
		}
	}
	for name := range want {
		t.Errorf("no finding %s", name)
	}
}
