package llama

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// Shapes are measured against the real server: exact lengths by token ids, a depth
// from its cache, and a rate that agrees with its own clock. It can't be faster than that clock says. How much slower it
// is, HTTP and the machine decide: a token may wait for a processor between the two clocks. A hundred times is no wait,
// but another unit.
func TestShapes(t *testing.T) {
	s := startLlama(t, "--parallel", "2", "--ctx-size", "2048")
	// 48 tokens: of fewer, one request can be over before the other has begun, and then there is no number of both.
	cmd := exec.Command(realserver.Build(t), "bench", "shapes", "--base-url", s.Base, "--run-dir", t.TempDir(), "--quiet",
		"-p", "24", "-n", "48", "-d", "0,64", "-b", "1,2", "-r", "1", "-o", "json")
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
		if r.Batch == 1 && (r.Rate > 1.1*r.Server || r.Rate < r.Server/100) {
			t.Errorf("%s: %.1f tokens a second, by the server's clock %.1f", r.Test, r.Rate, r.Server)
		}
		t.Logf("%-12s batch %d: %6.1f tokens a second, by the server's clock %6.1f", r.Test, r.Batch, r.Rate, r.Server)
	}
}
