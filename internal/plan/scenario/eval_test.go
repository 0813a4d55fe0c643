package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/plan/run"
)

const asking = `
name: asking
targets:
  fp16: {command: "serve {port}", model: big, flags: {insecure: true}}
  fp8: {base_url: "http://h:1", backend: openai-chat, endpoint: /own/chat}
workload: {dataset: random, input_len: 8, model: small, ignore_eos: true}
eval: {task: tasks/mine.yaml, path: questions.jsonl, num_fewshot: 3, num_prompts: 50, backend: openai}
pace: {concurrency: 4}
flags: {goodput: "ttft:500"}
repeat: 2
`

// TestEvalSettings: questions follow the first repeat's speed run, with flags of their own.
func TestEvalSettings(t *testing.T) {
	plan := planOf(t, asking)
	for _, p := range plan.Points {
		if (p.Repeat == 1) != (len(p.Eval) > 0) {
			t.Errorf("%s: %v", p.ID, p.Eval)
		}
		if p.Repeat > 1 {
			continue
		}
		args := strings.Join(p.Eval.Words(), " ")
		want := []string{"--dataset-name eval", "/questions.jsonl", "/tasks/mine.yaml", "--num-fewshot 3", "--num-prompts 50", "--max-concurrency 4", "--backend openai "}
		refused := []string{"--ignore-eos", "--goodput", "--input-len", "/own/chat", "--seed"}
		if p.Target() == "fp16" {
			want = append(want, "--model big", "--insecure")
		} else {
			want = append(want, "--model small")
		}
		for _, w := range want {
			if !strings.Contains(args, w) {
				t.Errorf("%s: no %s in %s", p.ID, w, args)
			}
		}
		for _, w := range refused {
			if strings.Contains(args, w) {
				t.Errorf("%s: %s in %s", p.ID, w, args)
			}
		}
		if !filepath.IsAbs(p.Eval.Words()[slices.Index(p.Eval.Words(), "--task")+1]) {
			t.Errorf("the task is not from the file's folder: %s", args)
		}
	}
	for _, tt := range []struct{ set, want string }{
		{"eval.concurrency=2", "--max-concurrency 2"},
		{"pace.concurrency=null", "--max-concurrency 8"},
		{"eval.task=gsm8k", "--task gsm8k "},
		{"eval.backend=null", "--backend openai-chat --endpoint /own/chat"},
		{"eval.flags={temperature: 1}", "--temperature=1"},
	} {
		p := planOf(t, asking, tt.set).Points
		if got := strings.Join(p[len(p)-2].Eval.Words(), " "); !strings.Contains(got, tt.want) {
			t.Errorf("%s: no %s in %s", tt.set, tt.want, got)
		}
	}
	alone := planOf(t, asking, "workload=null")
	if got := strings.Join(alone.Points[0].Load.Words(), " "); strings.Contains(got, "--dataset-name eval") {
		t.Errorf("workload: null is a workload with nothing said: %s", got)
	}
	text := strings.Replace(asking, "workload: {dataset: random, input_len: 8, model: small, ignore_eos: true}\n", "", 1)
	for _, p := range planOf(t, text).Points {
		if got := strings.Join(p.Load.Words(), " "); !strings.Contains(got, "--dataset-name eval") || len(p.Eval) > 0 {
			t.Errorf("questions alone: %s, then %v", got, p.Eval)
		}
	}
}

func TestEvalMistakes(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"eval.tsk=x", "there is no such key; did you mean task"},
		{"eval.task=null", "needs a task"},
		{"eval.num_fewshot=-1", "must be at least 0"},
		{"search={over: rate}", "can't be used with search"},
		{"fleet=nats://127.0.0.1:1", "can't be used with fleet"},
		{"eval.concurrency=[1, 2]", "eval.concurrency"},
	} {
		_, err := tryPlan(t, asking+"slo: p99_ttft<=1s\n", PlanOptions{Program: "inferometer"}, tt.set)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.set, err)
		}
	}
	text := strings.Replace(strings.Replace(asking, "workload: {dataset: random, input_len: 8, model: small, ignore_eos: true}\n", "", 1), "concurrency: 4", "rate: 4", 1)
	if _, err := tryPlan(t, text, PlanOptions{Program: "inferometer"}); err == nil || !strings.Contains(err.Error(), "rate and duration are those of a workload") {
		t.Errorf("questions at a rate: %v", err)
	}
}

// TestEvalFingerprint: what is asked belongs to a point's result, and without questions a
// point keeps the results that it has.
func TestEvalFingerprint(t *testing.T) {
	a, b := planOf(t, asking).Points[0].Fingerprint, planOf(t, asking, "eval.num_fewshot=4").Points[0].Fingerprint
	if a == b {
		t.Error("another number of worked examples is the same point")
	}
}

// questionsOf is a result's part of an eval.
func questionsOf(right string, id func(int) string) map[string]any {
	var numbers []int
	var ids []string
	for i := range right {
		numbers, ids = append(numbers, i), append(ids, id(i))
	}
	of := len(right) - strings.Count(right, "-")
	return map[string]any{
		"task": "mmlu_pro", "questions": len(right), "answered": of, "unanswered": len(right) - of, "questions_sha": "5eed",
		"scores": []any{map[string]any{"name": "custom-extract", "metric": "exact_match", "right": strings.Count(right, "1"), "of": of}},
		"each":   map[string]any{"numbers": numbers, "ids": ids, "right": right},
	}
}

// TestAccuracyTable: one table with speed and accuracy, the front, and what is said of pairs;
// names of questions do no harm in it.
func TestAccuracyTable(t *testing.T) {
	plan := planOf(t, asking, "repeat=1")
	folder := Folder{t.TempDir()}
	var records []*Record
	for _, p := range plan.Points {
		throughput, right := 1000, strings.Repeat("1", 170)+strings.Repeat("0", 30)
		if p.Target() == "fp8" {
			throughput, right = 1500, "0000"+strings.Repeat("1", 171)+strings.Repeat("0", 20)+"-----"
		}
		speed := fmt.Sprintf(`{"completed": 64, "failed": 0, "request_throughput": 10, "output_throughput": %d, "inferometer": {"verdict": {"level": "VALID"}}}`, throughput)
		answers := questionsOf(right, func(i int) string { return fmt.Sprintf("<script>|%d\x1b[2J", i) })
		b, err := json.Marshal(map[string]any{
			"completed": answers["answered"], "failed": answers["unanswered"], "request_throughput": 3, "output_throughput": 7,
			"inferometer": map[string]any{"eval": answers, "numbers": map[string]any{"accuracy": 0.5, "no_answer_share": 0.01}, "verdict": map[string]any{"level": "SUSPECT"}},
		})
		if err := errors.Join(err, os.MkdirAll(folder.Run(p.ID), 0o755), os.MkdirAll(folder.Eval(p.ID), 0o755),
			os.WriteFile(folder.result(p.ID), []byte(speed), 0o644), os.WriteFile(folder.evalResult(p.ID), b, 0o644)); err != nil {
			t.Fatal(err)
		}
		records = append(records, &Record{ID: p.ID, Values: p.Values, Repeat: 1, State: run.Done, Fingerprint: p.Fingerprint})
	}
	s := Summarize(plan, records, folder)
	var b strings.Builder
	if err := errors.Join(s.Markdown(&b), s.Write(folder)); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "accuracy.md")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(b.String(), "\x1b") || strings.Contains(b.String(), "<script>") {
		t.Errorf("the name of a question came through:\n%s", b.String())
	}
	summary, err := os.ReadFile(folder.file("summary.json"))
	if err != nil || !strings.Contains(string(summary), `"on_front": true`) {
		t.Errorf("no front in the summary: %v", err)
	}
}
