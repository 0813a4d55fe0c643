package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
)

// A run that is killed loses at most its last second. What the server says it had
// answered before that is in the journal, and report makes a result of it.
func TestRealKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	truth, run := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "10ms", "--itl", "5ms", "--truth", truth))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()

	bench := exec.Command(program(t), "bench", "serve", "--base-url", server.url, "--run-dir", run, "--num-prompts", "100000",
		"--skip-tokenizer-init", "--random-input-len", "8", "--random-output-len", "10", "--max-concurrency", "4", "--request-id-prefix", "k-")
	var said bytes.Buffer
	bench.Stdout, bench.Stderr = &said, &said
	if err := bench.Start(); err != nil {
		t.Fatal(err)
	}
	err = server.waitMetric("request_success_total", 500) // about eight seconds
	killed := time.Now()
	_ = bench.Process.Kill()
	_ = bench.Wait()
	if err != nil {
		t.Fatalf("%v; it said %s", err, said.Bytes())
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}

	kept, complete := journalIDs(t, run)
	due := 0
	const flush = 6 * time.Second // a second, and what a busy machine adds
	for _, r := range readTruth(t, truth) {
		if !strings.HasPrefix(r.ID, "k-") || r.Ended >= killed.Add(-flush).UnixNano() {
			continue
		}
		due++
		if !kept[r.ID] {
			t.Errorf("%s ended %v before the kill and is lost", r.ID, killed.Sub(time.Unix(0, r.Ended)))
		}
	}
	t.Logf("%d requests had ended in time, the journal has %d", due, len(kept))
	if due < 20 {
		t.Errorf("only %d requests had ended %v before the kill: the test shows nothing", due, flush)
	}
	checkKilledReport(t, run, complete)
}

func journalIDs(t *testing.T, run string) (ids map[string]bool, complete int) {
	t.Helper()
	j, err := journal.Open(filepath.Join(run, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ids = map[string]bool{}
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return ids, complete
		}
		if err != nil {
			t.Fatal(err)
		}
		if ids[r.ID] {
			t.Errorf("%s is in the journal twice", r.ID)
		}
		ids[r.ID] = true
		if r.Outcome == journal.Complete {
			complete++
		}
	}
}

func readTruth(t *testing.T, path string) (records []sim.Record) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var r sim.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func checkKilledReport(t *testing.T, run string, complete int) {
	t.Helper()
	out, err := exec.Command(program(t), "report", run, "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Completed   int
		Inferometer struct {
			Partial  bool
			Warnings []string
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	if result.Completed != complete || !result.Inferometer.Partial || len(result.Inferometer.Warnings) == 0 {
		t.Errorf("the report of a killed run with %d complete requests: %+v", complete, result)
	}
}
