package score

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// More lines than are kept, with long names of their own, take a bounded memory: at most a
// kilobyte for a question, and so 256 MB for all.
func TestTooManyLines(t *testing.T) {
	if testfiles.RaceDetector {
		t.Skip("the race detector's own memory would be measured")
	}
	before := heap()
	c := NewCollector(&journal.Task{Kind: journal.TaskGenerate, Scores: []journal.Score{{Name: "plain", Metric: journal.MetricExact}}})
	c.most = 10_000
	long := strings.Repeat("x", 5000)
	for i := range c.most + 1000 {
		name := fmt.Sprint(i, long)
		c.Add(&journal.Answer{Index: i, Outcome: journal.Complete, Text: name, Hash: name, Question: journal.Question{Number: i, ID: name, Category: name, Right: []string{"x"}}})
		c.Checked(&journal.Checked{Index: i, How: name})
	}
	r := c.Result()
	if each := (heap() - before) / c.most; each > 1500 {
		t.Errorf("it holds %d bytes for each question", each)
	}
	runtime.KeepAlive(c)
	if r.Answered != c.most || len(r.Categories) != maxCategories+1 || len(r.Warnings) != 1 {
		t.Errorf("%d answered, %d categories, %q", r.Answered, len(r.Categories), r.Warnings)
	}
	addsUp(t, r)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A pattern that takes for ever costs no more than its time, and says so.
func TestASlowPattern(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two seconds")
	}
	c := NewCollector(&journal.Task{Kind: journal.TaskGenerate, Scores: []journal.Score{{
		Name: "slow", Metric: journal.MetricExact, Filters: []journal.Filter{{Function: "regex", Pattern: `^(\w+\s?)*$`}},
	}}})
	began := time.Now()
	c.Add(answerTo(0, strings.Repeat("word ", 40)+"!"))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	c.spent = scoringTime + 1
	c.Add(answerTo(1, strings.Repeat("word ", 40)+"!"))
	r := c.Result()
	if r.Each.Right != "nn" || len(r.Warnings) != 2 || r.NoAnswer != 2 {
		t.Errorf("%+v", r)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		task journal.Task
		want string
	}{
		"a kind":    {journal.Task{Kind: "guess"}, `no kind of task "guess"`},
		"a metric":  {journal.Task{Kind: journal.TaskGenerate, Scores: []journal.Score{{Name: "x", Metric: "bleu"}}}, `"bleu" is none`},
		"a filter":  {generating(journal.Filter{Function: "regx"}), `no filter "regx"`},
		"a pattern": {generating(journal.Filter{Function: "regex", Pattern: `(?<n>a)`}), `the pattern`},
		"a select":  {generating(journal.Filter{Function: "regex", Select: 1 << 30}), `selects match`},
		"nothing":   {generating(journal.Filter{Function: "first_of"}), `no patterns`},
		"fine":      {generating(letters.Filters...), ""},
	} {
		err := Check(&c.task)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		collector := NewCollector(&c.task)
		collector.Add(answerTo(0, "the answer is (B)"))
		r := collector.Result()
		if (len(r.Warnings) > 0) != (c.want != "") {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
		if c.want != "" && strings.Contains(r.Each.Right, "1") {
			t.Errorf("%s: %q", name, r.Each.Right)
		}
	}
}

func generating(filters ...journal.Filter) journal.Task {
	return journal.Task{Kind: journal.TaskGenerate, Scores: []journal.Score{{Name: "x", Metric: journal.MetricExact, Filters: filters}}}
}

// A pattern is read or refused in a few seconds, whatever it asks for.
func TestPatternsThatAreLarge(t *testing.T) {
	for _, p := range []string{
		`((a{1000000}){1000000}){1000000}`, "(?i)" + strings.Repeat(`[\S]`, 1000), "(?i)" + strings.Repeat(`[\W\d]`, 500),
		"(?i)" + strings.Repeat(`[\x00-\U0010ffff]`, 200), strings.Repeat("(?=", 1300) + strings.Repeat(")", 1300), strings.Repeat("a", maxPattern+1),
	} {
		began := time.Now()
		_, err := compile(p)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s took %s (%v)", clip(p, 30), took, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help.": true, "\n I’m sorry": true, "I cannot answer": true, "As an AI language model": true,
		"The cell can't divide": false, "Sorry for the long text": false, "": false,
	} {
		if got := refused(&journal.Answer{Text: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !refused(&journal.Answer{FinishReason: "content_filter"}) || !refused(&journal.Answer{Refusal: true}) {
		t.Error("a server's word does not count")
	}
}
