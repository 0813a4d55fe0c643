package realserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
)

// Likelihood is what a client makes of one choice.
type Likelihood struct {
	Logprob float64
	Greedy  bool
}

// Chosen is what a client makes of one question.
type Chosen struct {
	Choices      []Likelihood
	Acc, AccNorm float64
}

// near is how far two sums of the same numbers may lie apart.
const near = 1e-4

// choiceTasks are lm-eval's task files over the questions that WriteChoices writes: a space before
// the choice, worked examples and a description, a context that ends with white space, and no
// white space at all, so that a token may hold the context's end and the choice's beginning.
var choiceTasks = map[string]string{
	"spaced": `doc_to_text: "Question: {{question}}\nAnswer:"
doc_to_choice: "{{choices}}"
num_fewshot: 2
fewshot_split: train
description: "Answer these.\n\n"
`,
	"blank": `doc_to_text: "{{question}} I say \n "
doc_to_choice: "{{choices}}"
target_delimiter: ""
`,
	"joined": `doc_to_text: "{{question}} It is un"
doc_to_choice: ["likely", " usual", "ternehmen", "é東", "!"]
target_delimiter: ""
`,
}

// JoinedTask is the task in which a token may lie over the border. Of "un" and "ternehmen" Qwen's
// tokenizer makes " unter" and "nehmen". lm-eval then sends the context's own tokens and the second
// of the whole, which is another text: "unnehmen". That is choice OtherText.
const (
	JoinedTask = "joined"
	OtherText  = 3
)

// WriteChoices writes the task files and their questions into a folder.
func WriteChoices(t testing.TB) (folder string, tasks []string) {
	t.Helper()
	folder = t.TempDir()
	ends := []string{"the deep sea", "naïve 東京 👩‍🚀", "a", "42, or so", "x\ny", "no one who was there", "Straße", "{\"a\": 1}", "(B)"}
	for file, n := range map[string]int{"test": 24, "train": 5} {
		var lines bytes.Buffer
		for i := range n {
			var choices []string
			for k := range 4 {
				choices = append(choices, ends[(i*5+k*(1+i%2))%len(ends)]+strings.Repeat(" again", (i+k)%3))
			}
			line, err := json.Marshal(map[string]any{"question": fmt.Sprintf("What comes after %d %s in %s?", i*i, ends[(i+3)%len(ends)], file), "choices": choices, "label": i % 4})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		write(t, filepath.Join(folder, file+".jsonl"), lines.String())
	}
	for _, name := range []string{"spaced", "blank", JoinedTask} {
		tasks = append(tasks, name)
		write(t, filepath.Join(folder, name+".yaml"), fmt.Sprintf(
			"task: %s\ndataset_path: json\ndataset_kwargs: {data_files: {test: %s/test.jsonl, train: %[2]s/train.jsonl}}\ntest_split: test\noutput_type: multiple_choice\ndoc_to_target: label\nmetric_list: [{metric: acc}, {metric: acc_norm}]\n%s",
			name, folder, choiceTasks[name]))
	}
	return folder, tasks
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// AskLMEval lets the real lm_eval ask the tasks, and gives what it made of each question.
func AskLMEval(t testing.TB, lmEval, folder string, tasks []string, base, model string) map[string][]Chosen {
	t.Helper()
	out := t.TempDir()
	c := exec.Command(lmEval, "run", "--model", "local-completions", "--model_args",
		"model="+model+",num_concurrent=1,max_retries=1,tokenizer_backend=remote,base_url="+base+"/v1/completions",
		"--include_path", folder, "--tasks", strings.Join(tasks, ","), "--output_path", out, "--log_samples")
	c.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1", "OPENAI_API_KEY=none", "HF_HOME="+t.TempDir())
	began := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text[max(0, len(text)-4000):])
	}
	t.Logf("lm_eval took %v", time.Since(began).Round(time.Second))
	all := map[string][]Chosen{}
	for _, name := range tasks {
		all[name] = readChosen(t, out, name)
	}
	return all
}

// readChosen reads what lm_eval writes down of a task, in the order of its questions.
func readChosen(t testing.TB, folder, name string) []Chosen {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "samples_"+name+"_*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("lm_eval wrote down %v of %s: %v", found, name, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	byID := map[int]Chosen{}
	for lines.Scan() {
		var s struct {
			ID       int        `json:"doc_id"`
			Answered [][]string `json:"filtered_resps"` // numbers and words of Python's, as texts
			Acc      float64    `json:"acc"`
			AccNorm  float64    `json:"acc_norm"`
		}
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v in %.300s", err, lines.Bytes())
		}
		one := Chosen{Acc: s.Acc, AccNorm: s.AccNorm}
		for _, r := range s.Answered {
			v, err := strconv.ParseFloat(r[0], 64)
			if err != nil || len(r) != 2 {
				t.Fatalf("lm_eval writes %q of a choice: %v", r, err)
			}
			one.Choices = append(one.Choices, Likelihood{v, r[1] == "True"})
		}
		byID[s.ID] = one
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	out := make([]Chosen, len(byID))
	for id, one := range byID {
		out[id] = one
	}
	return out
}

// AskChoices lets our program ask one task, and reads its journal.
func AskChoices(t testing.TB, program, folder, task, base, model string, flags ...string) []Chosen {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{
		"eval", "--task", filepath.Join(folder, task+".yaml"), "--base-url", base, "--model", model, "--backend", "openai",
		"--max-concurrency", "4", "--run-dir", dir,
	}, flags...)
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "HF_HUB_OFFLINE=1")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := journal.Open(filepath.Join(dir, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var answers []*journal.Answer
	r.OnAnswer(func(a *journal.Answer) { answers = append(answers, a) })
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return chosen(t, r.Run().Task, answers)
}

// chosen puts the choices of each question together, and scores them.
func chosen(t testing.TB, task *journal.Task, answers []*journal.Answer) (out []Chosen) {
	t.Helper()
	for _, a := range answers {
		for len(out) <= a.Number {
			out = append(out, Chosen{})
		}
		one := &out[a.Number]
		for len(one.Choices) < a.Options {
			one.Choices = append(one.Choices, Likelihood{Logprob: math.NaN()})
		}
		if a.Logprob != nil {
			one.Choices[a.Choice-1] = Likelihood{*a.Logprob, a.Greedy}
		}
	}
	for _, way := range task.Scores {
		own := *task
		own.Scores = []journal.Score{way}
		c := score.NewCollector(&own)
		for _, a := range answers {
			c.Add(a)
		}
		for i, letter := range c.Result().Each.Right {
			switch v := float64(letter - '0'); way.Metric {
			case journal.MetricAcc:
				out[i].Acc = v
			case journal.MetricAccNorm:
				out[i].AccNorm = v
			}
		}
	}
	return out
}

// CompareChosen holds what two clients made of a task against each other, and counts the
// differences: of the likelihoods by the number of the choice.
func CompareChosen(t testing.TB, theirs, ours []Chosen) (likelihoods map[int]int, greedy, scores int) {
	t.Helper()
	likelihoods = map[int]int{}
	if len(theirs) != len(ours) || len(ours) == 0 {
		t.Fatalf("%d questions, ours %d", len(theirs), len(ours))
	}
	for i := range ours {
		a, b := theirs[i], ours[i]
		if len(a.Choices) != len(b.Choices) {
			t.Fatalf("question %d: %d choices, ours %d", i, len(a.Choices), len(b.Choices))
		}
		for k := range a.Choices {
			if !(math.Abs(a.Choices[k].Logprob-b.Choices[k].Logprob) <= near) {
				likelihoods[k+1]++
				t.Logf("question %d, choice %d: %v, ours %v", i, k+1, a.Choices[k].Logprob, b.Choices[k].Logprob)
			}
			if a.Choices[k].Greedy != b.Choices[k].Greedy {
				greedy++
			}
		}
		if a.Acc != b.Acc || a.AccNorm != b.AccNorm {
			scores++
			t.Logf("question %d: acc %v, acc_norm %v, ours %v, %v", i, a.Acc, a.AccNorm, b.Acc, b.AccNorm)
		}
	}
	return likelihoods, greedy, scores
}

// SameLikelihoods lets the real lm_eval and our program ask the same questions of a server. Where
// no token lies over the border between context and choice all is the same. Where one does, the
// model's tokenizer (a folder; empty: none is at hand) still gives the same, but for OtherText.
func SameLikelihoods(t *testing.T, program, lmEval, base, model, tokenizer string) {
	folder, tasks := WriteChoices(t)
	theirs := AskLMEval(t, lmEval, folder, tasks, base, model)
	ways := map[string][]string{"texts": {"--skip-tokenizer-init"}}
	if tokenizer != "" {
		ways["tokenizer"] = []string{"--tokenizer", tokenizer}
	}
	for way, flags := range ways {
		for _, name := range tasks {
			t.Run(name+" by "+way, func(t *testing.T) {
				ours := AskChoices(t, program, folder, name, base, model, flags...)
				likelihoods, greedy, scores := CompareChosen(t, theirs[name], ours)
				t.Logf("%d questions differ in the likelihoods of choices %v, in %d greedy flags and in %d scores", len(ours), likelihoods, greedy, scores)
				switch {
				case name != JoinedTask:
					if len(likelihoods)+greedy+scores > 0 {
						t.Error("they are to be the same")
					}
				case way == "tokenizer":
					delete(likelihoods, OtherText)
					if len(likelihoods)+greedy > 0 {
						t.Error("only where lm_eval sends another text they are to differ")
					}
				}
			})
		}
	}
}
