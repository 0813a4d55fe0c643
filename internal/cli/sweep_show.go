package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/sweep"
)

// sweepShow prints what a sweep does, in vLLM's words. Commands are printed so that
// they can be pasted into a shell. With --show-stdout the output of several commands
// comes between, from goroutines of its own.
type sweepShow struct {
	mu sync.Mutex
	w  io.Writer
}

// Write keeps what is written at once together.
func (s *sweepShow) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

func (s *sweepShow) event(e sweep.Event) {
	switch e.Kind {
	case sweep.ServerBegin:
		fmt.Fprintf(s, "[BEGIN SERVER]\nServer overrides: %s\nServer command: %s\n", redactOverrides(e.Overrides), sweep.JoinWords(redactCommand(e.Command)))
	case sweep.ServerReady:
		fmt.Fprintf(s, "Server ready after %s; its log: %s\n", e.Text, e.Path)
	case sweep.ServerEnd:
		fmt.Fprintln(s, "[END SERVER]")
	case sweep.BenchBegin:
		fmt.Fprintf(s, "[BEGIN BENCHMARK]\nBenchmark overrides: %s\nRun Number: %d\nBenchmark command: %s\nOutput file: %s\n",
			redactOverrides(e.Overrides), e.Run, sweep.JoinWords(redactCommand(e.Command)), e.Path)
	case sweep.BenchSkipped:
		fmt.Fprint(s, "Found existing results.\n[SKIPPED BENCHMARK]\n")
	case sweep.BenchEnd:
		fmt.Fprintln(s, "[END BENCHMARK]")
	case sweep.UnfinishedSeen:
		fmt.Fprintf(s, "%s was not finished: it is put aside.\n", e.Path)
	case sweep.WorkloadBegin:
		fmt.Fprintf(s, "[WL START]\nServe parameters: %s\nBench parameters: %s\nNumber of workload iterations: %d\n",
			orNone(redactOverrides(e.Serve).Text()), orNone(redactOverrides(e.Overrides).Text()), e.Run)
	case sweep.Warning, sweep.WorkloadNote:
		fmt.Fprintln(s, e.Text)
	case sweep.WorkloadEnd:
		fmt.Fprintln(s, "[WL END]")
	}
}

// redactOverrides hides settings that are named like secrets.
func redactOverrides(i sweep.Item) sweep.Item {
	shown := slices.Clone(i)
	for k := range shown {
		if isSecretFlag(strings.TrimLeft(shown[k].Key, "-")) {
			shown[k].Value = outside.Redacted
		}
	}
	return shown
}

func orNone(text string) string {
	if text == "" {
		return "(None)"
	}
	return text
}
