// Package export runs the real Prometheus and the real OpenTelemetry Collector beside a run,
// and holds what they have at its end against the result and the journal. `make test-export`
// builds them.
package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

const (
	how      = "make test-export"
	patience = 2 * time.Minute
	requests = 500
)

// simulated starts a simulator that fails now and then.
func simulated(t *testing.T, program string) string {
	t.Helper()
	sim, err := subprocess.Start(program, "--ttft", "30ms", "--itl", "4ms", "--fault", "http-500=0.05,truncate=0.03,reset=0.02")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	return sim.URL
}

// flags of a run of some six seconds.
func flags(url string, further ...string) []string {
	return append([]string{
		"--base-url", url, "--num-prompts", fmt.Sprint(requests), "--request-rate", "80", "--num-warmups", "5", "--dataset-name", "random",
		"--random-input-len", "12", "--random-output-len", "8", "--skip-tokenizer-init", "--run-dir", "run",
	}, further...)
}

// ran is a journal, read.
type ran struct {
	run      *journal.Run
	requests []journal.Request
	gaps     int // between token chunks of successes
}

func readRun(t *testing.T, b *realserver.Bench) *ran {
	t.Helper()
	r, err := journal.Open(filepath.Join(b.Dir, "run", journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := &ran{run: r.Run()}
	for {
		q, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if q.Warmup {
			continue
		}
		if q.Outcome == journal.Complete {
			row.EachGap(q, func(_, _ int64, first bool) {
				if !first {
					out.gaps++
				}
			})
		}
		one := *q
		one.Events = journal.Events{}
		out.requests = append(out.requests, one)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
