// Package lmeval compares what we ask with what the real lm-evaluation-harness asks, byte
// for byte: a server keeps the bodies that lm_eval sends, for its own tasks over local
// files and for small task files. `make test-lm-eval` gets it and runs the tests.
//
// Where we differ from lm-eval 0.4.13, and why:
//   - It sends the longest prompts first; we keep the order of the rows. The prompts are the same.
//   - It sends seed 1234 in each body; we send a seed only where the run or the task has one.
//   - A question whose right choice is none of its choices is wrong there; here the file is refused.
package lmeval

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/test/realserver"
)

var update = flag.Bool("update", false, "keep what lm_eval sends as the golden files of internal/eval/task")

// seed is lm-eval's for worked examples.
const seed = 1234

// asked is a task as both ask it.
type asked struct {
	name    string // of lm-eval's task
	ours    string // of ours: a name, or empty for the same file
	data    string // files of testdata/accuracy
	example string
	choice  bool
}

var tasks = []asked{
	{name: "local_gsm8k", ours: "gsm8k", data: "gsm8k_test.jsonl", example: "gsm8k_train.jsonl"},
	{name: "local_mmlu_pro_biology", ours: "mmlu_pro", data: "mmlu_pro_test.jsonl", example: "mmlu_pro_validation.jsonl"},
	{name: "fields"},
	{name: "described"},
	{name: "first"},
	{name: "samples"},
	{name: "same_split"},
	{name: "prefix"},
	{name: "indexed"},
	{name: "options", choice: true},
	{name: "yes_no", choice: true},
}

// folder writes the tasks' files: ours of testdata, and lm-eval's own tasks over local data.
func folder(t *testing.T, command string) string {
	t.Helper()
	out := t.TempDir()
	from := testfiles.Path(t, "accuracy")
	for _, file := range testfiles.Glob(t, "accuracy/lmeval/*") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(out, filepath.Base(file)), string(text))
	}
	ownFolder := ownTasks(t, command)
	for _, l := range locals {
		l.write(t, out, ownFolder, filepath.Join(from, l.test), filepath.Join(from, l.train))
	}
	return out
}

// local is a task of lm-eval's own, over files of this machine.
type local struct{ name, include, test, train, trainSplit string }

var locals = []local{
	{"local_gsm8k", "gsm8k/gsm8k.yaml", "gsm8k_test.jsonl", "gsm8k_train.jsonl", "train"},
	{"local_mmlu_pro_biology", "mmlu_pro/mmlu_pro_biology.yaml", "mmlu_pro_test.jsonl", "mmlu_pro_validation.jsonl", "validation"},
}

func (l local) write(t *testing.T, folder, ownFolder, test, train string) {
	t.Helper()
	write(t, filepath.Join(folder, l.name+".yaml"), fmt.Sprintf(
		"include: %s\ntask: %s\ndataset_path: json\ndataset_name: null\ndataset_kwargs: {data_files: {test: %s, %s: %s}}\n",
		filepath.Join(ownFolder, l.include), l.name, test, l.trainSplit, train))
}

// ownTasks is the folder of the tasks that lm-eval brings.
func ownTasks(t *testing.T, command string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(command), "..", "lib", "python3*", "site-packages", "lm_eval", "tasks"))
	if err != nil || len(found) != 1 {
		t.Fatalf("lm-eval's own tasks are not beside %s: %v", command, err)
	}
	return found[0]
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// way is how both ask.
type way struct {
	name  string
	o     task.Options
	flags []string
	slow  bool // left out where CI's time counts
}

var ways = []way{
	{"completions", task.Options{}, nil, false},
	{"completions_system", task.Options{System: "You are terse."}, []string{"--system_instruction", "You are terse."}, true},
	{"chat", task.Options{Chat: true}, []string{"--apply_chat_template", "--fewshot_as_multiturn", "false"}, true},
	{"chat_turns", task.Options{Chat: true, MultiTurn: true, System: "You are terse."}, []string{"--apply_chat_template", "--fewshot_as_multiturn", "true", "--system_instruction", "You are terse."}, false},
	{"three_shots", task.Options{Limit: 3, Shots: new(3)}, []string{"--num_fewshot", "3", "--limit", "3"}, true},
}

func TestSameBytes(t *testing.T) {
	command := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-lm-eval")[0]
	files := folder(t, command)
	for _, w := range ways {
		if w.slow && realserver.Requests(1, 0) == 0 {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			ours := map[string][]body{}
			var names []string
			for _, a := range tasks {
				if a.choice && w.o.Chat || w.o.Shots != nil && (a.name == "samples" || a.name == "fields") {
					continue // a chat has no likelihoods; there are fewer examples, or none by the task's own word
				}
				names = append(names, a.name)
				ours[a.name] = bodies(t, open(t, a, files, w.o))
			}
			sent, samples := run(t, command, files, names, w)
			var all []body
			for _, name := range names {
				all = append(all, ours[name]...)
				compareSamples(t, name, samples[name], open(t, find(name), files, w.o))
			}
			compare(t, sent, all)
			if *update {
				keep(t, w.name, ours)
			}
		})
	}
}

func find(name string) asked {
	return tasks[slices.IndexFunc(tasks, func(a asked) bool { return a.name == name })]
}

// open opens our side of a task.
func open(t *testing.T, a asked, files string, o task.Options) *task.Set {
	t.Helper()
	name := a.ours
	if name == "" {
		name = filepath.Join(files, a.name+".yaml")
	} else {
		o.Data, o.Examples = testfiles.Path(t, "accuracy", a.data), testfiles.Path(t, "accuracy", a.example)
	}
	o.Seed = seed
	read, err := task.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := read.Open(o)
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// bodies are our requests as they would be sent.
func bodies(t *testing.T, s *task.Set) (out []body) {
	t.Helper()
	for i := range s.Len() {
		item, err := s.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		b := body{MaxTokens: item.MaxTokens, Messages: item.Messages}
		if item.Messages == nil {
			b.Prompt = item.Prompt
		}
		for _, f := range item.Fields {
			into := map[string]any{"stop": &b.Stop, "temperature": &b.Temperature, "echo": &b.Echo, "logprobs": &b.Logprobs}[f.Name]
			if into == nil {
				t.Fatalf("a field %s is not compared", f.Name)
			}
			if err := json.Unmarshal(f.Value, into); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, b)
	}
	return out
}

// run lets lm_eval ask, and gives what it sent and what it wrote down.
func run(t *testing.T, command, files string, names []string, w way) ([]body, map[string][]sample) {
	t.Helper()
	server := newRecorder(t)
	model, path := "local-completions", "/v1/completions"
	arguments := "model=m,num_concurrent=1,max_retries=1,tokenized_requests=False,max_length=1000000,base_url=" + server.URL
	if w.o.Chat {
		model, path = "local-chat-completions", "/v1/chat/completions"
	} else {
		arguments = "tokenizer_backend=remote," + arguments
	}
	out := t.TempDir()
	args := append([]string{
		"run", "--model", model, "--model_args", arguments + path, "--include_path", files, "--tasks", strings.Join(names, ","),
		"--output_path", out, "--log_samples",
	}, w.flags...)
	c := exec.Command(command, args...)
	c.Dir = files // where lm-eval looks for data_files
	c.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1", "OPENAI_API_KEY=none", "HF_HOME="+t.TempDir())
	began := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, tail(text, 4000))
	}
	t.Logf("lm_eval took %v", time.Since(began).Round(time.Second))
	samples := map[string][]sample{}
	for _, name := range names {
		samples[name] = readSamples(t, out, name)
	}
	return server.bodies, samples
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// key is a body in one form, whatever the spaces of its JSON.
func (b body) key(t *testing.T) string {
	t.Helper()
	if b.Messages != nil {
		var v any
		if err := json.Unmarshal(b.Messages, &v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Messages = text
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compare holds all bodies against each other. lm-eval sends the longest first, so the order does not count.
func compare(t *testing.T, theirs, ours []body) {
	t.Helper()
	left := map[string]int{}
	for _, b := range theirs {
		left[b.key(t)]++
	}
	var missing []string
	for _, b := range ours {
		key := b.key(t)
		if left[key] == 0 {
			missing = append(missing, key)
			continue
		}
		if left[key]--; left[key] == 0 {
			delete(left, key)
		}
	}
	t.Logf("lm_eval sent %d requests; %d of ours are among them", len(theirs), len(ours)-len(missing))
	for i, key := range missing {
		if i < 3 {
			t.Errorf("lm_eval did not send\n%s", key)
		}
	}
	shown := 0
	for key := range left {
		if shown++; shown <= 3 {
			t.Errorf("only lm_eval sent\n%s", key)
		}
	}
	if len(theirs) == 0 || len(theirs) != len(ours) {
		t.Errorf("lm_eval sent %d requests, and we %d", len(theirs), len(ours))
	}
}
