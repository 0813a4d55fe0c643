package llama

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// Shapes are measured against the real server: exact lengths by token ids, a depth
// from its cache, and a rate that agrees with its own clock. The bound is wide:
// what lies between the two clocks is HTTP and the queue, and this machine may be busy.
func TestShapes(t *testing.T) {
	s := startLlama(t, "--parallel", "2", "--ctx-size", "2048")
	for try := 1; ; try++ {
		wrong := shapes(t, s)
		if len(wrong) == 0 {
			return
		}
		if try == 3 { // on a busy machine a token may wait between the server's clock and ours
			t.Fatal(strings.Join(wrong, "\n"))
		}
	}
}

// shapes measures each shape once, and says which speeds are not those of the server's clock.
func shapes(t *testing.T, s *realserver.Server) (wrong []string) {
	t.Helper()
	cmd := exec.Command(realserver.Build(t), "bench", "shapes", "--base-url", s.Base, "--run-dir", t.TempDir(), "--quiet",
		"-p", "24", "-n", "12", "-d", "0,64", "-b", "1,2", "-r", "1", "-o", "json")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var rows []struct {
		Test     string
		Batch    int
		Backends string
		Failures []string
		Params   int64   `json:"model_n_params"`
		Rate     float64 `json:"avg_ts"`
		Server   float64 `json:"server_avg_ts"`
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(rows) != 8 {
		t.Fatalf("%d rows, want 8\n%s", len(rows), out)
	}
	for _, r := range rows {
		if len(r.Failures) > 0 || r.Rate <= 0 || r.Backends != "llamacpp" || r.Params == 0 {
			t.Errorf("%+v", r)
		}
		if r.Batch == 1 && (r.Rate > 1.1*r.Server || r.Rate < 0.5*r.Server) {
			wrong = append(wrong, fmt.Sprintf("%s: %.1f tokens a second, by the server's clock %.1f", r.Test, r.Rate, r.Server))
		}
	}
	return wrong
}
