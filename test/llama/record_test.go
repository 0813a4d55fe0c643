package llama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/test/realserver"
)

// Streams whose clients did not ask for usage have the lengths of those that did: by the server's timings, from its
// cache or not, and by its /tokenize where the client left before the end.
func TestRecordedLengths(t *testing.T) {
	s := startLlama(t, "--parallel", "1", "--ctx-size", "1024")
	out := filepath.Join(t.TempDir(), "traffic.jsonl")
	cmd := exec.Command(realserver.Build(t), "record", "--base-url", s.Base, "--listen", "127.0.0.1:0", "--output", out)
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

	const chat = `{"messages":[{"role":"system","content":"You are brief."},{"role":"user","content":"Name a colour."}],"max_tokens":4,"stream":true`
	bodies := []string{chat + "}", chat + "}", chat + `,"stream_options":{"include_usage":true}}`}
	for _, body := range bodies {
		a, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			t.Error(err)
		}
		_ = a.Body.Close()
	}
	a, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(strings.Replace(chat, `"max_tokens":4`, `"max_tokens":400`, 1)+"}"))
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	_, _ = a.Body.Read(first)
	_ = a.Body.Close() // the client leaves
	_ = cmd.Process.Signal(os.Interrupt)
	words, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil || !bytes.Contains(words, []byte("which speaks as llama.cpp's does")) {
		t.Fatalf("%v %s", err, words)
	}

	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var rows []trace.Recorded
	for line := range bytes.Lines(data) {
		var r trace.Recorded
		if err := json.Unmarshal(line, &r); err != nil || r.Input == nil {
			t.Fatalf("%v %s", err, line)
		}
		rows = append(rows, r)
	}
	by := []string{trace.ByTimings, trace.ByTimings, trace.ByUsage, trace.ByServer}
	if len(rows) != len(by) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if *r.Input != *rows[2].Input || r.InputBy != by[i] {
			t.Errorf("row %d: %d by %s, want %d by %s", i, *r.Input, r.InputBy, *rows[2].Input, by[i])
		}
		if i < 3 && (r.Output == nil || r.OutputBy != by[i]) {
			t.Errorf("row %d: %+v", i, r)
		}
	}
}
