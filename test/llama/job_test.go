package llama

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/assistant"
	"github.com/inferometer/inferometer/test/realserver"
)

// An agent's job in front of the real server is recorded as the tree that it was, and replayed in a closed loop: as many
// requests of the same lengths.
func TestRecordedJob(t *testing.T) {
	s := startLlama(t, "--parallel", "4", "--ctx-size", "8192")
	program := realserver.Build(t)
	out := filepath.Join(t.TempDir(), "traffic.jsonl")
	cmd := exec.Command(program, "record", "--base-url", s.Base, "--listen", "127.0.0.1:0", "--output", out)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	line, _ := said.ReadString('\n')
	_, rest, _ := strings.Cut(line, "inferometer record: ")
	base, _, _ := strings.Cut(rest, " ")

	client := &http.Client{Transport: &http.Transport{}}
	a := assistant.Assistant{Base: base, Model: "smollm2", Client: client, Session: "a job", Tool: 200 * time.Millisecond, Tokens: 16}
	calls, err := a.Do(t.Context(), "Write down how tea is made.")
	if err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	_ = cmd.Process.Signal(os.Interrupt)
	words, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v %s", err, words)
	}
	assistant.Check(t, out, [][]assistant.Call{calls})

	r := realserver.StartBench(t, nil, program, "--backend", "openai-chat", "--base-url", s.Base, "--endpoint", "/v1/chat/completions",
		"--dataset-name", "trace", "--dataset-path", out, "--trace-loop", "closed", "--max-conversations", "1").Wait(t, 0, patience)
	if r.Completed != len(calls) {
		t.Errorf("%d of %d requests were completed", r.Completed, len(calls))
	}
}
