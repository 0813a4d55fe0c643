package ollama

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

// TestNative: Ollama's own two APIs keep the length asked for, tell what they counted, and
// their times fit into ours.
func TestNative(t *testing.T) {
	n := realserver.Requests(16, 2) // its threads spin: on a busy machine an answer takes minutes
	const short = 4
	s := startOllama(t)
	program := realserver.Build(t)
	for _, backend := range []string{"ollama", "ollama-chat"} {
		t.Run(backend, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "run")
			r := realserver.StartBench(t, nil, program, "--backend", backend, "--base-url", s.Base, "--model", "smollm2", "--skip-tokenizer-init",
				"--dataset-name", "custom", "--dataset-path", stories(t, n), "--custom-output-len", fmt.Sprint(short), "--temperature", "0",
				"--extra-body", `{"options": {"num_ctx": 512}}`,
				"--num-prompts", fmt.Sprint(n), "--max-concurrency", "2", "--run-dir", folder).Wait(t, 0, 10*time.Minute)
			if r.Completed != n || r.Inferometer.Outcomes["complete"] != n {
				t.Fatalf("%d completed, outcomes %v, errors %v", r.Completed, r.Inferometer.Outcomes, r.Inferometer.Errors)
			}
			checkJournal(t, folder, n, short)
		})
	}
}

func checkJournal(t *testing.T, folder string, n, asked int) {
	t.Helper()
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	seen := 0
	for {
		q, err := j.Next()
		if err != nil {
			break
		}
		seen++
		if q.UsageOutput < 1 || q.UsageOutput > asked || q.FinishReason == "length" && q.UsageOutput != asked {
			t.Errorf("%s: %d tokens of %d, finish reason %q", q.ID, q.UsageOutput, asked, q.FinishReason)
		}
		if q.UsagePrompt < 8 || q.UsagePrompt > 60 { // a sentence, with or without the model's template
			t.Errorf("%s: %d tokens of the prompt", q.ID, q.UsagePrompt)
		}
		if whole := q.End - q.Sent; q.ServerPromptNs <= 0 || q.ServerOutputNs <= 0 || q.ServerPromptNs+q.ServerOutputNs > whole {
			t.Errorf("%s: the server says %d ns for the prompt and %d for the answer; we saw %d in all", q.ID, q.ServerPromptNs, q.ServerOutputNs, whole)
		}
	}
	if seen != n {
		t.Errorf("%d requests in the journal, want %d", seen, n)
	}
}
