package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// Programs are asked for, run in the sandbox and scored: two that solve their task and one
// that does not. A server that knows the solutions stands in for a model.
func TestEvalOfPrograms(t *testing.T) {
	t.Parallel()
	data := filepath.Join("..", "eval", "sandbox", "testdata", "humaneval-3.jsonl")
	solutions := readSolutions(t, data)
	for _, backend := range []string{"openai", "openai-chat"} {
		t.Run(backend, func(t *testing.T) {
			server := httptest.NewServer(solver(solutions))
			defer server.Close()
			dir := filepath.Join(t.TempDir(), "run")
			said, err := exec.Command(program(t), "eval", "--task", "humaneval", "--dataset-path", data, "--base-url", server.URL, "--backend", backend,
				"--allow-code", "--skip-tokenizer-init", "--run-dir", dir, "--progress", "none").CombinedOutput()
			if err != nil && strings.Contains(string(said), "can't be granted") {
				t.Skipf("there is no sandbox here: %s", said)
			}
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			const want = "\nScore        humaneval: pass@1, 0.6667 "
			if !strings.Contains(string(said), want) {
				t.Errorf("no %q in:\n%s", want, said)
			}

			// Killed after the last answer, before a program was run: nothing is asked again, and the programs are run.
			withoutPrograms(t, filepath.Join(dir, journal.FileName))
			server.Close()
			again := httptest.NewServer(refuser(solver(solutions)))
			defer again.Close()
			// The folder can't allow it: who resumes is asked again.
			said, err = exec.Command(program(t), "eval", "--resume", dir, "--base-url", again.URL, "--progress", "none").CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(said), "--allow-code is needed again") {
				t.Errorf("resumed without --allow-code: %v:\n%s", err, said)
			}
			said, err = exec.Command(program(t), "eval", "--resume", dir, "--base-url", again.URL, "--progress", "none", "--allow-code", "--allow-read", filepath.Dir(data)).CombinedOutput()
			if err != nil || !strings.Contains(string(said), want) {
				t.Errorf("resumed: %v, no %q in:\n%s", err, want, said)
			}
		})
	}
}

// withoutPrograms leaves of a journal what a kill before the first program leaves.
func withoutPrograms(t *testing.T, path string) {
	t.Helper()
	old, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	var lines []byte
	old.OnAnswer(func(a *journal.Answer) { lines = journal.AppendAnswer(lines, a) })
	for {
		request, err := old.Next()
		if err != nil {
			break
		}
		lines = journal.AppendRequest(lines, request)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w, err := journal.Config{Private: true}.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(old.Run()); err != nil {
		t.Fatal(err)
	}
	w.Append(lines)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// refuser lets nobody ask.
func refuser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "all is answered", http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readSolutions gives each prompt its solution, the last one a wrong one.
func readSolutions(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	solutions := map[string]string{}
	last := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row struct {
			Prompt   string `json:"prompt"`
			Solution string `json:"canonical_solution"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		solutions[row.Prompt], last = row.Solution, row.Prompt
	}
	if len(solutions) != 3 {
		t.Fatalf("%d rows", len(solutions))
	}
	solutions[last] = "    return None\n"
	return solutions
}

// solver streams the solution of a prompt; in a chat between words, in a fence.
func solver(solutions map[string]string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"solver","object":"model"}]}`)
	})
	stream := func(w http.ResponseWriter, choice any, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		piece, _ := json.Marshal(choice)
		fmt.Fprintf(w, "data: {\"choices\":[%s]}\n\n", piece)
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", len(text)/4+1)
	}
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Prompt string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		text := solutions[body.Prompt]
		if text == "" {
			text = "    pass\n" // the check before the load, a warm-up
		}
		stream(w, map[string]any{"index": 0, "text": text, "finish_reason": "stop"}, text)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		_ = json.NewDecoder(r.Body).Decode(&body)
		prompt := ""
		if n := len(body.Messages); n > 0 {
			prompt = body.Messages[n-1].Content
		}
		text := "Here it is:\n```python\n" + prompt + solutions[prompt] + "\n```\nDone."
		stream(w, map[string]any{"index": 0, "delta": map[string]string{"content": text}, "finish_reason": "stop"}, text)
	})
	return mux
}
