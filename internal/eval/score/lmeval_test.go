package score

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// lmEvalCase is a text, and what the real lm-eval 0.4.13 made of it.
type lmEvalCase struct {
	Text   *string  `json:"text"` // nil: of the sets
	File   string   `json:"file"`
	Row    int      `json:"row"`
	Model  string   `json:"model"`
	Answer *string  `json:"answer"` // nil: too long to be written down
	Gold   []string `json:"gold"`
	Right  bool     `json:"right"`
	Labels []string `json:"labels"`
}

type lmEvalWay struct {
	Score  journal.Score `json:"score"`
	Cases  []lmEvalCase  `json:"cases"`
	Mean   float64       `json:"mean"`
	StdErr float64       `json:"stderr"`
	ready  way
}

func lmEvalWays(t testing.TB) (ways []lmEvalWay) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "lm-eval.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(&ways)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range ways {
		w := &ways[i]
		if w.ready = newWay(&w.Score, metrics[journal.TaskGenerate]); w.ready.err != nil {
			t.Fatal(w.ready.err)
		}
	}
	return ways
}

// texts of the accuracy sets, by the names that cases have for them.
func setTexts(t *testing.T) func(c *lmEvalCase) string {
	mmlu := rows[mmluPro](t, "mmlu_pro_biology_outputs_llama31_8b_instruct_head100.jsonl")
	gsm8k := rows[map[string]json.RawMessage](t, "gsm8k_example_model_solutions_head50.jsonl")
	return func(c *lmEvalCase) string {
		if c.File == "mmlu" {
			return mmlu[c.Row].Text
		}
		var s gsm8kSolution
		if err := json.Unmarshal(gsm8k[c.Row][c.Model], &s); err != nil {
			t.Fatal(err)
		}
		return s.Text
	}
}

func (w *lmEvalWay) compare(t *testing.T, c *lmEvalCase, text string) {
	t.Helper()
	e, err := w.ready.found(text, &journal.Question{Labels: c.Labels})
	answer := e.text
	if err != nil {
		t.Fatalf("%s: %q: %v", w.Score.Name, text, err)
	}
	if c.Answer != nil && answer != *c.Answer {
		t.Errorf("%s: %q gives %q, and with lm-eval %q", w.Score.Name, text, answer, *c.Answer)
	}
	right, err := w.ready.exact.right(answer, c.Gold)
	if err != nil || right != c.Right {
		t.Errorf("%s: %q against %q is %v (%v), and with lm-eval %v", w.Score.Name, answer, c.Gold, right, err, c.Right)
	}
}

func TestAsLmEval(t *testing.T) {
	n := 0
	for _, w := range lmEvalWays(t) {
		for _, c := range w.Cases {
			if c.Text != nil {
				w.compare(t, &c, *c.Text)
				n++
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d cases", n)
	}
}

// The same texts and those of the sets, question by question, and then the accuracy and
// the error that lm-eval prints.
func TestAsLmEvalOnTheSets(t *testing.T) {
	of := setTexts(t)
	for _, w := range lmEvalWays(t) {
		collector := NewCollector(&journal.Task{Kind: journal.TaskGenerate, Scores: []journal.Score{w.Score}})
		for i, c := range w.Cases {
			text := ""
			if c.Text != nil {
				text = *c.Text
			} else {
				text = of(&c)
				w.compare(t, &c, text)
			}
			collector.Add(&journal.Answer{Outcome: journal.Complete, Text: text, Question: journal.Question{Number: i, Right: c.Gold, Labels: c.Labels}})
		}
		got := collector.Result().Scores[0]
		if math.Abs(*got.Value-w.Mean) > 1e-12 || math.Abs(*got.StdErr-w.StdErr) > 1e-12 {
			t.Errorf("%s: %v ± %v, and with lm-eval %v ± %v", w.Score.Name, *got.Value, *got.StdErr, w.Mean, w.StdErr)
		}
	}
}
