package lmeval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/test/realserver"
)

// The real lm_eval and we ask one server the same questions, and get the same answers
// scored alike, question by question. The server is the simulator with an answer key: it
// knows prompts by their bytes, so an answer from the key also says that these are the same.
func TestSameScores(t *testing.T) {
	command := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-lm-eval")[0]
	program := realserver.Build(t)
	for _, l := range locals {
		t.Run(l.name, func(t *testing.T) {
			dir, files := t.TempDir(), t.TempDir()
			test, train := data(t, l.test), data(t, l.train)
			l.write(t, files, ownTasks(t, command), test, train)
			asks := []string{"eval", "--task", find(l.name).ours, "--dataset-path", test, "--examples", train, "--model", "sim"}
			key := filepath.Join(dir, "key.jsonl")
			ours(t, program, append(asks, "--write-key", key)...)
			port := realserver.FreePort(t)
			s := realserver.Start(t, port, time.Minute, nil, program, "sim", "--listen", "127.0.0.1:"+port, "--ttft", "1ms", "--itl", "1ms",
				"--answer-key", key, "--accuracy", "0.6", "--answer-no-answer", "0.2")
			run := filepath.Join(dir, "run")
			ours(t, program, append(asks, "--base-url", s.Base, "--run-dir", run, "--skip-tokenizer-init", "--progress", "none")...)
			mine := questionsOf(t, ours(t, program, "report", run, "--format", "questions"))
			theirs := scoredBy(t, command, files, l.name, s.Base)
			same := 0
			for question, right := range theirs {
				if got, there := mine[question]; !there || got != right {
					t.Errorf("%s: lm_eval says %v, we say %v (asked: %v)", question, right, got, there)
					continue
				}
				same++
			}
			t.Logf("%d marks of lm_eval, %d the same", len(theirs), same)
			if len(theirs) < 6 || same == 0 {
				t.Errorf("lm_eval scored %d", len(theirs))
			}
		})
	}
}

// whole are larger files, which lie beside the repository and not in it.
var whole = map[string]string{
	"gsm8k_test.jsonl": "gsm8k_test_head200.jsonl", "gsm8k_train.jsonl": "gsm8k_train_head20.jsonl",
	"mmlu_pro_test.jsonl": "mmlu_pro_test_biology.jsonl", "mmlu_pro_validation.jsonl": "mmlu_pro_validation_cot.jsonl",
}

// data is the larger file where it is there and there is time for it, else the slice of it in testdata.
func data(t *testing.T, slice string) string {
	t.Helper()
	file := filepath.Join(testfiles.Root(t), "..", "shared", "data", "accuracy", whole[slice])
	if _, err := os.Stat(file); err == nil && realserver.Requests(1, 0) > 0 {
		return file
	}
	return testfiles.Path(t, "accuracy", slice)
}

// ours runs our program and gives what it prints.
func ours(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	c := exec.Command(program, args...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, said.Bytes())
	}
	return out
}

// questionsOf are marks by question and score.
func questionsOf(t *testing.T, lines []byte) map[string]bool {
	t.Helper()
	marks := map[string]bool{}
	for scan := bufio.NewScanner(bytes.NewReader(lines)); scan.Scan(); {
		var q struct {
			Number int `json:"n"`
			Scores []struct {
				Name    string `json:"name"`
				Correct bool   `json:"correct"`
			} `json:"scores"`
		}
		if err := json.Unmarshal(scan.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		for _, s := range q.Scores {
			marks[fmt.Sprint(q.Number, " ", s.Name)] = s.Correct
		}
	}
	return marks
}

// scoredBy lets lm_eval ask and score.
func scoredBy(t *testing.T, command, files, name, base string) map[string]bool {
	t.Helper()
	out := t.TempDir()
	c := exec.Command(command, "run", "--model", "local-completions", "--model_args",
		"tokenizer_backend=remote,model=sim,num_concurrent=4,max_retries=1,tokenized_requests=False,max_length=1000000,base_url="+base+"/v1/completions",
		"--include_path", files, "--tasks", name, "--output_path", out, "--log_samples")
	c.Dir = files
	c.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1", "OPENAI_API_KEY=none", "HF_HOME="+t.TempDir())
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, tail(text, 4000))
	}
	marks := map[string]bool{}
	for _, s := range readSamples(t, out, name) {
		marks[fmt.Sprint(s.ID, " ", s.Filter)] = s.Exact == 1
	}
	return marks
}
