package llama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/test/realserver"
)

// evalArgs ask a slice of a set that lies in the repository: the answers are short, so that a
// small machine gets through.
func evalArgs(t *testing.T, task, base, run string, questions int) []string {
	t.Helper()
	file := func(name string) string { return testfiles.Path(t, "accuracy", name) }
	args := []string{"eval", "--task", task, "--base-url", base, "--run-dir", run, "--num-prompts", strconv.Itoa(questions), "--max-concurrency", "4", "--progress", "none"}
	if task == "gsm8k" {
		return append(args, "--dataset-path", file("gsm8k_test.jsonl"), "--examples", file("gsm8k_train.jsonl"), "--num-fewshot", "1", "--max-answer-tokens", "32")
	}
	return append(args, "--dataset-path", file("mmlu_pro_test.jsonl"), "--examples", file("mmlu_pro_validation.jsonl"), "--num-fewshot", "1",
		"--max-answer-tokens", "32", "--category", "biology", "--backend", "openai-chat")
}

// evalResult is what a run left.
func evalResult(t *testing.T, run string) *score.Result {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(run, journal.ResultName))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Inferometer struct{ Eval *score.Result }
	}
	if err := json.Unmarshal(b, &result); err != nil || result.Inferometer.Eval == nil {
		t.Fatalf("the result has no score: %v", err)
	}
	return result.Inferometer.Eval
}

// answersOf are the complete answers of a journal, by the number of their question.
func answersOf(t *testing.T, path string) map[int]*journal.Answer {
	t.Helper()
	answers, err := readAnswers(path)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func readAnswers(path string) (map[int]*journal.Answer, error) {
	j, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	answers := map[int]*journal.Answer{}
	j.OnAnswer(func(a *journal.Answer) {
		if a.Outcome == journal.Complete {
			answers[a.Number] = a
		}
	})
	for {
		if _, err := j.Next(); errors.Is(err, io.EOF) {
			return answers, nil
		} else if err != nil {
			return answers, err
		}
	}
}

// awaitAnswer waits until the journal of a run that goes on has an answer.
func awaitAnswer(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		answers, err := readAnswers(path) // an error is a journal that is not there yet, or is being written
		if len(answers) > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("no answer within %v: %v", patience, err)
		}
	}
}

func inferometer(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// A real model is asked real questions, to the end: each has an answer, and the score has
// an interval.
func TestEval(t *testing.T) {
	s := startLlama(t, "--parallel", "4", "--ctx-size", "8192")
	program := realserver.Build(t)
	for _, c := range []struct {
		task      string
		questions int
	}{{"gsm8k", 12}, {"mmlu_pro", 2}} {
		t.Run(c.task, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			said := inferometer(t, program, evalArgs(t, c.task, s.Base, run, c.questions)...)
			r := evalResult(t, run)
			if r.Questions != c.questions || r.Answered != c.questions || r.Unanswered != 0 || r.Earlier != 0 || len(r.Scores) == 0 || r.OutputTokens == 0 {
				t.Fatalf("%+v\n%s", r, said)
			}
			for _, own := range r.Scores {
				if own.Of != c.questions || own.Low == nil || own.High == nil || own.Value == nil || !(*own.Low <= *own.Value && *own.Value <= *own.High) {
					t.Errorf("%s: %+v", own.Name, own.Accuracy)
				} else {
					t.Logf("%s: %d of %d, from %.3f to %.3f; %d without an answer, %d cut off", own.Name, own.Right, own.Of, *own.Low, *own.High, own.NoAnswer, r.CutOff)
				}
			}
			if answers := answersOf(t, filepath.Join(run, journal.FileName)); len(answers) != c.questions {
				t.Errorf("the journal has %d answers", len(answers))
			}
		})
	}
}

// Killed in the middle and resumed: each question is answered once. What the server has
// computed says so too: its prompts, and those that were on their way at the kill.
func TestEvalResumed(t *testing.T) {
	const questions, atOnce = 12, 4
	s := startLlama(t, "--parallel", "4", "--ctx-size", "8192", "--no-cache-prompt")
	program, run := realserver.Build(t), filepath.Join(t.TempDir(), "run")
	var said bytes.Buffer
	first := exec.Command(program, evalArgs(t, "gsm8k", s.Base, run, questions)...)
	first.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	first.Stdout, first.Stderr = &said, &said
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	awaitAnswer(t, filepath.Join(run, journal.FileName))
	_ = first.Process.Kill()
	_ = first.Wait()
	before := answersOf(t, filepath.Join(run, journal.FileName))
	if len(before) == 0 || len(before) == questions {
		t.Fatalf("%d questions were answered before the kill: %s", len(before), said.Bytes())
	}

	out := inferometer(t, program, "eval", "--resume", run, "--progress", "none", "--allow-read", filepath.Dir(testfiles.Path(t, "accuracy", "gsm8k_test.jsonl")))
	if !strings.Contains(out, "going on with") {
		t.Errorf("it does not say what it does: %s", out)
	}
	r := evalResult(t, run)
	if r.Answered != questions || r.Earlier != len(before) {
		t.Errorf("%d answered, %d of them before the kill; want %d and %d", r.Answered, r.Earlier, questions, len(before))
	}
	after, all, most := answersOf(t, filepath.Join(run, journal.FileName)), 0, 0
	for n, a := range after {
		if was := before[n]; a.Earlier != (was != nil) || was != nil && was.Text != a.Text {
			t.Errorf("question %d: %+v, and before the kill %+v", n, a, was)
		}
		all, most = all+a.Prompt, max(most, a.Prompt)
	}
	computed := s.Counter(t, promptCounter)
	t.Logf("%d answered before the kill; prompts of all answers: %d tokens, the server computed %d", len(before), all, computed)
	if len(after) != questions || computed > all+atOnce*most {
		t.Errorf("%d answers; the server computed %d tokens of prompts, for questions of %d and at most %d on their way", len(after), computed, all, atOnce)
	}
}
