package vllm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// Both clients render a chat template with the same variables, probe with the same request, and ask the server's
// profiler with the same words at the same moments.
func TestBeside(t *testing.T) {
	v := installed(t)
	program, dir := realserver.Build(t), t.TempDir()
	for _, name := range []string{"tokenizer.json", "tokenizer_config.json", "config.json"} {
		data, err := os.ReadFile(filepath.Join(v.model, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	write(t, filepath.Join(dir, "chat_template.jinja"),
		"{% for m in messages %}[{{ m.role }}|{{ thinking }}|{{ effort|tojson }}] {{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}")
	prompts := filepath.Join(dir, "prompts.jsonl")
	write(t, prompts, `{"prompt": "What is <this>?"}`+"\n"+`{"prompt": "é and 日本"}`+"\n")

	r := newRecorder(t)
	flags := []string{
		"--base-url", r.URL, "--model", "tiny", "--tokenizer", dir, "--backend", "openai", "--dataset-name", "custom", "--dataset-path", prompts, "--custom-output-len", "2",
		"--num-prompts", "40", "--request-rate", "40", "--seed", "3", "--request-id-prefix", "p-", "--header", "X-One=1",
		"--chat-template-kwargs", `{"thinking": true, "effort": ["high", 1.5]}`, "--probe-request-rate", "50", "--profile", "--logprobs", "1",
	}
	env := append([]string{"OPENAI_API_KEY=sk-test", "PYTHONPATH=" + stubs(t)}, v.env...)
	realserver.StartBench(t, env, v.command, flags...).Wait(t, 0, 10*time.Minute) // half a minute is usual, minutes on a busy machine
	theirs := split(t, r)
	realserver.StartBench(t, env, program, flags...).Wait(t, 0, time.Minute)
	ours := split(t, r)

	if len(theirs.load) != 40 || len(ours.load) != 40 {
		t.Fatalf("vLLM's client sent %d requests, ours %d, want 40", len(theirs.load), len(ours.load))
	}
	for i := range theirs.load {
		compareSent(t, i, theirs.load[i], ours.load[i])
	}
	t.Logf("%d probes, ours %d: %s", len(theirs.probes), len(ours.probes), clip(ours.probes[0].body))
	ours.probes[0].header.Del("X-Request-Id") // vLLM's have none; ours are found by it in a server's log
	compareSent(t, 0, theirs.probes[0], ours.probes[0])
	if want := []string{"POST /start_profile", "load", "POST /stop_profile"}; !slices.Equal(theirs.order, want) || !slices.Equal(ours.order, want) {
		t.Errorf("the order is %v, ours %v", theirs.order, ours.order)
	}
	for i := range theirs.profile {
		if len(theirs.profile[i].body) != 0 || len(ours.profile[i].body) != 0 {
			t.Errorf("a body for the profiler: %q, ours %q", theirs.profile[i].body, ours.profile[i].body)
		}
		theirs.profile[i].header.Del("Content-Type") // of aiohttp, for a body that is none
		compareHeaders(t, i, theirs.profile[i].header, ours.profile[i].header)
	}
}

// parts are what a client sent, taken apart.
type parts struct {
	load, probes, profile []sent
	order                 []string // of the profiler's requests and the load
}

func split(t *testing.T, r *recorder) (p parts) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sent {
		var body struct{ Prompt string }
		switch {
		case strings.HasSuffix(s.path, "_profile"):
			p.profile = append(p.profile, s)
			p.order = append(p.order, s.method+" "+s.path)
		case !strings.HasSuffix(s.path, "completions"):
		case json.Unmarshal(s.body, &body) == nil && body.Prompt == "Hi":
			p.probes = append(p.probes, s)
		case len(p.profile) == 0: // vLLM's client tries one before all
		default:
			p.load = append(p.load, s)
			if p.order[len(p.order)-1] != "load" {
				p.order = append(p.order, "load")
			}
		}
	}
	r.sent = nil
	if len(p.profile) != 2 || len(p.probes) == 0 {
		t.Fatalf("%d requests to the profiler and %d probes", len(p.profile), len(p.probes))
	}
	return p
}

// stubs is a folder of Python modules. vLLM reads lines of JSON with pandas, which is
// not part of the installation: this is all that it uses of it.
func stubs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pandas.py"), `
import json
class Row(dict):
    def to_dict(self): return dict(self)
class Frame:
    def __init__(self, rows): self.rows, self.columns = rows, list(rows[0])
    def iterrows(self): return enumerate(self.rows)
def read_json(path_or_buf, lines): return Frame([Row(json.loads(line)) for line in open(path_or_buf, encoding="utf-8")])
`)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
