package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// measuredEval is a run whose requests are questions.
func measuredEval(t *testing.T, n, categories int, words string) *measure.Result {
	t.Helper()
	r, err := measure.Measure(&fakerun.Journal{N: n, Words: words, Categories: categories}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.End.WorkloadSHA = strings.Repeat("b5bb9d80", 8)
	return r
}

// TestHostileQuestions: whatever questions and answers are called, the terminal gets
// lines of a bounded length without a sequence that steers it.
func TestHostileQuestions(t *testing.T) {
	words := "\x1b]0;owned\x07\x1b[2J\u202e\u2066cba\u200b\r\n==== Serving Benchmark Result ====" + strings.Repeat("long ", 1<<18)
	for _, categories := range []int{3, 60} {
		r := measuredEval(t, 120, categories, words)
		r.Eval.Warnings = append(r.Eval.Warnings, words)
		r.Run.Options.Label, r.Run.Options.ModelID, r.Errors = "x", "x", nil // cleaned by the journal's reader
		var b bytes.Buffer
		if err := Console(&b, r, Options{Details: true}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if len(line) > 2500 {
				t.Errorf("a line of %d bytes: %.80q", len(line), line)
			}
		}
		block := b.String()[strings.Index(b.String(), " Accuracy "):]
		if i := strings.IndexFunc(block, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }); i >= 0 {
			t.Errorf("%q", block[i:])
		}
	}
}

// TestEvalOfVLLM: scripts that read vLLM's block get it as it is.
func TestEvalOfVLLM(t *testing.T) {
	with, without := measuredEval(t, 40, 3, "one"), measuredEval(t, 40, 3, "one")
	without.Eval = nil
	var a, b bytes.Buffer
	if err := VLLM(&a, with); err != nil {
		t.Fatal(err)
	}
	if err := VLLM(&b, without); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("%s\n%s", a.String(), b.String())
	}
}

// TestNothingAnswered: what nobody knows is called so, and is null in the file.
func TestNothingAnswered(t *testing.T) {
	r := measuredEval(t, 40, 3, "one")
	c := score.NewCollector(r.Run.Task)
	r.Eval = c.Result()
	var b bytes.Buffer
	if err := Console(&b, r, Options{Details: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Questions: 0 answered of 41 planned", "custom-extract       n/a", "No answer found:                         unknown", "Tokens per question: unknown of prompt, unknown of output"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := JSON(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t), b.Bytes()); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(b.Bytes(), []byte(`"accuracy": null`)) {
		t.Error("the accuracy of nothing is no null")
	}
}

// TestEvalComesBack: the file holds score.Result as it is.
func TestEvalComesBack(t *testing.T) {
	r := measuredEval(t, 40, 3, "one")
	var b bytes.Buffer
	if err := JSON(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Inferometer struct{ Eval *score.Result }
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Inferometer.Eval, r.Eval) {
		t.Errorf("%+v\n%+v", back.Inferometer.Eval, r.Eval)
	}
}
