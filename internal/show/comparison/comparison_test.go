package comparison

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, write func(w io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

func TestAccuracyFiles(t *testing.T) {
	worse := letters(717, func(i int) bool { return i >= 60 && i < 607 })
	worse = worse[:700] + strings.Repeat("-", 10) + strings.Repeat("n", 7)
	s := append(note003(t), sides(resultOf(t, "int4", 1900, evalOf(worse)))...)
	c := mustCompare(t, s)
	golden(t, "accuracy.txt", func(w io.Writer) error { return Write(w, c, nil, Options{Format: "table"}) })
	golden(t, "accuracy.md", func(w io.Writer) error { return Write(w, c, nil, Options{Format: "markdown"}) })
	var page strings.Builder
	if err := Write(&page, c, nil, Options{Format: "html"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Not comparable: int4: only 707 of 717", "on the front", "<svg", "0.8466 ± 0.0135", "real, worse", "repeat each side"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	golden(t, "accuracy.csv", func(w io.Writer) error { return Write(w, c, nil, Options{Format: "csv"}) })
	golden(t, "accuracy.json", func(w io.Writer) error { return Write(w, c, nil, Options{Format: "json"}) })
}

// TestHostileQuestions: names of questions, tasks and labels are someone else's.
func TestHostileQuestions(t *testing.T) {
	const bad = "\x1b[31m<script>alert(1)</script>|`x`\u202e[a](javascript:b)\n# h"
	e, f := evalOf("1100110011"), evalOf("0011001100")
	for _, r := range []*score.Result{e, f} {
		for i := range r.Each.IDs {
			r.Each.IDs[i] = fmt.Sprint(i, bad)
		}
	}
	f.Task, f.SHA, f.Scores[0].Name, e.Scores[0].Name = bad, "other"+bad, "x", "x"
	e.Task = bad
	c := mustCompare(t, sides(resultOf(t, bad, 10, e), resultOf(t, "b"+bad, 20, f)))
	for _, format := range []string{"table", "markdown", "html", "csv"} {
		var b strings.Builder
		if err := Write(&b, c, nil, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, no := range []string{"\x1b", "\u202e", "\n# h"} {
			if strings.Contains(text, no) {
				t.Errorf("%s: %q came through:\n%s", format, no, text)
			}
		}
		if (format == "html" || format == "markdown") && strings.Contains(text, "<script>alert") {
			t.Errorf("%s: a script came through:\n%s", format, text)
		}
		if format == "markdown" && strings.Contains(text, "](javascript") && !strings.Contains(text, `\](javascript`) && !strings.Contains(text, `\[a`) {
			t.Errorf("a link came through:\n%s", text)
		}
	}
}

func TestFormats(t *testing.T) {
	c := mustCompare(t, example())
	g, err := compare.ParseGate("mean_ttft<+5%")
	if err != nil {
		t.Fatal(err)
	}
	_, findings, err := g.Judge(c)
	if err != nil {
		t.Fatal(err)
	}
	for file, format := range map[string]string{"example.txt": "table", "example.md": "markdown", "example.csv": "csv", "example.xml": "junit", "example.json": "json"} {
		golden(t, file, func(w io.Writer) error { return Write(w, c, findings, Options{Format: format}) })
	}
}

// TestNotes: the notes of real people as they are, one table each kind, and the runs
// that completed 36 of 64 requests are marked and never best.
func TestNotes(t *testing.T) {
	files := testfiles.Notes(t)
	golden(t, "notes.md", func(w io.Writer) error {
		for _, f := range files {
			runs, err := foreign.ReadFile(f)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n# "+filepath.Base(f)+"\n"); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
			if err := WriteLists(w, compare.Lists(runs, nil), Options{Format: "markdown"}); err != nil {
				return err
			}
		}
		return nil
	})
}

// example has a change that is real, a run that did not do its work, and a tool with words of its own.
func example() []compare.Side {
	random := rand.New(rand.NewPCG(5, 6))
	a, b, c := run("base", noisy(random, 400, 0.1, 0.2)), run("new", noisy(random, 400, 0.12, 0.2)), run("half|broken", noisy(random, 200, 0.02, 0.2))
	c.Facts.Asked, c.Tool, c.Notes = 400, result.GuideLLM, []string{"tpot is another number"}
	a.Values["output_throughput"], b.Values["output_throughput"], c.Values["output_throughput"] = 1000, 900, 5000
	return sides(a, b, c)
}

// run is a result whose values are those of a metric, with their mean, median and p99.
func run(name string, values []float64) result.Result {
	r := result.Result{Name: name, Tool: result.VLLM, Values: map[string]float64{}, Samples: map[string][]float64{"ttft": values}}
	r.Facts.Completed, r.Facts.Asked = len(values), len(values)
	sum := 0.0
	for _, v := range values {
		sum += v * 1000
	}
	r.Values["mean_ttft_ms"] = sum / float64(len(values))
	sorted := append([]float64(nil), values...)
	for i := range sorted { // a median is enough here
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	r.Values["median_ttft_ms"] = sorted[len(sorted)/2] * 1000
	return r
}

// noisy are n latencies around a mean, each resembling the one before.
func noisy(random *rand.Rand, n int, mean, spread float64) []float64 {
	out, last := make([]float64, n), 0.0
	for i := range out {
		last = 0.5*last + random.NormFloat64()*math.Sqrt(0.75)
		out[i] = mean * math.Exp(spread*last)
	}
	return out
}

func sides(runs ...result.Result) []compare.Side {
	var out []compare.Side
	for _, r := range runs {
		out = append(out, compare.Side{Name: r.Name, Runs: []result.Result{r}})
	}
	return out
}

func mustCompare(t *testing.T, s []compare.Side) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(s, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// evalOf is the part of a result that an eval writes: right has a letter for each question.
func evalOf(right string) *score.Result {
	e := &score.Result{
		Task: "mmlu_pro_biology", Version: "1", Kind: "generate", Shots: 5, Data: "biology.jsonl", SHA: "5eed",
		Questions: len(right), Each: score.Each{Right: right},
	}
	a := score.Accuracy{}
	for i, letter := range right {
		e.Each.Numbers = append(e.Each.Numbers, i)
		e.Each.IDs = append(e.Each.IDs, fmt.Sprintf("q%d", i))
		e.Each.Hashes = append(e.Each.Hashes, fmt.Sprintf("%c", letter))
		switch letter {
		case '1':
			a.Right++
			a.Of++
		case '0':
			a.Of++
		case 'n':
			a.Of++
			a.NoAnswer++
		default:
			e.Unanswered++
		}
	}
	e.Answered, e.NoAnswer = a.Of, a.NoAnswer
	e.Scores = []score.Score{{Name: "custom-extract", Metric: "exact_match", Accuracy: a}}
	return e
}

// resultOf is a result file of ours, read as compare reads it.
func resultOf(t testing.TB, name string, throughput float64, e *score.Result) result.Result {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"label": name, "model_id": "llama", "num_prompts": e.Questions, "completed": e.Answered, "failed": e.Questions - e.Answered, "max_concurrency": 8,
		"request_throughput": throughput / 100, "output_throughput": throughput, "duration": 60,
		"inferometer": map[string]any{"eval": e},
	})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := foreign.Read(name+".json", b)
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

// letters are n answers of which those for which right says so are right.
func letters(n int, right func(i int) bool) string {
	var b strings.Builder
	for i := range n {
		if right(i) {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

// fp16 and fp8 are note 003's, on 717 questions: 607 and 608 right; 40 and 41 changed.
func note003(t testing.TB) []compare.Side {
	fp16 := letters(717, func(i int) bool { return i < 607 })
	fp8 := letters(717, func(i int) bool { return i >= 40 && i < 607 || i >= 607 && i < 648 })
	return sides(resultOf(t, "fp16", 1000, evalOf(fp16)), resultOf(t, "fp8", 1480, evalOf(fp8)))
}

// Points are written in all forms.
func TestPoints(t *testing.T) {
	point := func(ttft float64, c string) compare.PointRun {
		return compare.PointRun{Name: "c " + c, Values: map[string]string{"c": c}, Run: result.Result{Tool: result.Inferometer, Values: map[string]float64{"mean_ttft_ms": ttft}}}
	}
	gone := compare.PairPoints([]string{"a", "b"}, [][]compare.PointRun{{point(1, "0"), point(1, "1"), point(1, "2")}, {point(2, "0"), point(2, "1")}})
	gate, err := compare.ParseGate("mean_ttft<+5%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Compare(compare.Options{}, gate); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"table": "no partner: c 2: b has no such point", "markdown": "- c 2: b has no such point", "csv": "\nc 0,mean_ttft_ms,a,", "junit": "<skipped message=",
	} {
		var out bytes.Buffer
		if err := WritePoints(&out, gone, Options{Format: format}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v\n%s", format, err, &out)
		}
	}
	var out bytes.Buffer
	var read struct {
		Points []struct {
			Point string
			Rows  []any
		}
		Only []compare.Alone `json:"no_partner"`
	}
	if err := WritePoints(&out, gone, Options{Format: "json"}); err != nil || json.Unmarshal(out.Bytes(), &read) != nil || len(read.Points) != 2 || read.Points[1].Point != "c 1" || len(read.Points[1].Rows) == 0 || len(read.Only) != 1 {
		t.Errorf("%v\n%s", err, &out)
	}
}

// What a change is called, in words.
func TestChange(t *testing.T) {
	for want, c := range map[string]*compare.Change{
		"unknown":                      nil,
		"+50.0 %, unknown error":       {Ratio: 0.5},
		"+50.0 %, no error: repeat it": {Ratio: 0.5, Why: "repeat it"},
		"-5.0 % [-6.0, -4.0] real":     {Ratio: -0.05, Bounded: true, Low: -0.06, High: -0.04, Call: compare.Real},
		"+50.0 % [+1.0, >+999] differs (about 2 runs per side for 50 %)":                                               {Ratio: 0.5, Bounded: true, Low: 0.01, High: 20, Call: compare.Differs, Needs: &compare.Needs{Runs: 2, Change: 0.5}},
		"+4.0 % [-9.0, +9.0] unclear (≥ 20 % could be seen; more runs can't decide it: the values may be off by 30 %)": {Ratio: 0.04, Bounded: true, Low: -0.09, High: 0.09, Call: compare.Unclear, Smallest: 0.2, Needs: &compare.Needs{Off: 0.3}},
	} {
		if got := Change(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
