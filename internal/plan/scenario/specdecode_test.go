package scenario

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/send/target"
)

// loggingServer writes a line when it is up and another one while it is measured.
const loggingServer = `
echo 'SpecDecoding metrics: Mean acceptance length: 1.50, Accepted: 5 tokens, Drafted: 50 tokens'
touch up
while [ ! -e go ]; do sleep 0.02; done
echo '(APIServer pid=1) INFO 05-18 11:19:54 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 3.42, Accepted: 676 tokens, Drafted: 837 tokens'
touch said
while :; do sleep 0.05; done
`

// A point is what the server's log says while it runs, and not what it said before.
func TestSpecDecodeOfALog(t *testing.T) {
	dir := t.TempDir()
	p, err := target.Start(target.Command{Args: []string{"/bin/sh", "-c", loggingServer}, Dir: dir, Log: filepath.Join(dir, "server.log")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	logs := []string{p.Log()}
	await(t, filepath.Join(dir, "up"))
	marks := serverlog.Marks(logs)
	if got := serverlog.Since(logs, marks); got != nil {
		t.Errorf("nothing was said since, and %+v was read", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	await(t, filepath.Join(dir, "said"))
	got := serverlog.Since(logs, marks)
	if got == nil || got.AcceptanceLength == nil || math.Abs(got.AcceptanceRate-80.76) > 0.01 || math.Abs(*got.AcceptanceLength-3.42) > 0.001 {
		t.Errorf("%+v", got)
	}
	if got := serverlog.Since(nil, nil); got != nil {
		t.Errorf("a server that was up before has a log: %+v", got)
	}
}

func await(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	t.Fatalf("%s did not come", file)
}
