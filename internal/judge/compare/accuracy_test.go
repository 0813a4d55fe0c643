package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/testfiles"
)

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
func note003(t testing.TB) []Side {
	fp16 := letters(717, func(i int) bool { return i < 607 })
	fp8 := letters(717, func(i int) bool { return i >= 40 && i < 607 || i >= 607 && i < 648 })
	return sides(resultOf(t, "fp16", 1000, evalOf(fp16)), resultOf(t, "fp8", 1480, evalOf(fp8)))
}

func TestPairing(t *testing.T) {
	base := letters(200, func(i int) bool { return i%5 != 0 })
	change := func(do func(*score.Result)) *score.Result { e := evalOf(base); do(e); return e }
	for _, tt := range []struct {
		what       string
		b          *score.Result
		by, not    string
		questions  int
		only1      int
		only2      int
		other, txt int
	}{
		{"the same questions", evalOf(base), bySHA, "", 200, 0, 0, 0, 200},
		{"some unanswered", evalOf(base[:190] + strings.Repeat("-", 10)), bySHA, "", 190, 10, 0, 0, 190},
		{"another set, with names", change(func(e *score.Result) { e.SHA = "other" }), byIDs, "", 200, 0, 0, 0, 200},
		{"a part of the set", func() *score.Result { e := evalOf(base[:50]); e.SHA = "part"; return e }(), byIDs, "", 50, 150, 0, 0, 50},
		{"names in another order", change(func(e *score.Result) {
			e.SHA = "turned"
			for i, j := 0, 199; i < j; i, j = i+1, j-1 {
				e.Each.IDs[i], e.Each.IDs[j] = e.Each.IDs[j], e.Each.IDs[i]
			}
		}), byIDs, "", 200, 0, 0, 80, 200},
		{"names twice are none", change(func(e *score.Result) { e.SHA, e.Each.IDs[3] = "other", "q4" }), "", "neither their hashes nor their names", 0, 0, 0, 0, 0},
		{"another task", change(func(e *score.Result) { e.SHA, e.Task = "other", "gsm8k" }), "", "the task is gsm8k, against mmlu_pro_biology", 0, 0, 0, 0, 0},
		{"scored by another rule", change(func(e *score.Result) { e.Scores[0].Name = "strict" }), "", "scored differently", 0, 0, 0, 0, 0},
		{"no list of answers", change(func(e *score.Result) { e.Each = score.Each{} }), "", "does not say which", 0, 0, 0, 0, 0},
		{"a list that does not fit", change(func(e *score.Result) { e.Each.Right = "01" }), "", "does not say which", 0, 0, 0, 0, 0},
		{"nothing in common", func() *score.Result {
			e := evalOf(base)
			e.SHA = "other"
			for i := range e.Each.IDs {
				e.Each.IDs[i] = fmt.Sprint("x", i)
			}
			return e
		}(), "", "no question was answered on both", 0, 0, 0, 0, 0},
	} {
		p := pairOf([]result.Result{resultOf(t, "a", 1, evalOf(base))}, []result.Result{resultOf(t, "b", 1, tt.b)})
		if p.By != tt.by || tt.not == "" != (p.NotPaired == "") || !strings.Contains(p.NotPaired, tt.not) {
			t.Errorf("%s: paired by %q, not %q", tt.what, p.By, p.NotPaired)
			continue
		}
		got := []int{p.Questions, p.OnlyFirst, p.OnlySecond, p.Lost + p.Gained, p.Texts}
		if diff := cmp.Diff([]int{tt.questions, tt.only1, tt.only2, tt.other, tt.txt}, got); diff != "" {
			t.Errorf("%s: questions, only first, only second, changed, texts (-want +got)\n%s", tt.what, diff)
		}
	}
	numbered := evalOf(base)
	numbered.SHA, numbered.Each.IDs = "", nil
	r := []result.Result{resultOf(t, "a", 1, numbered)}
	if p := pairOf(r, r); p.By != byNumbers || p.Questions != 200 {
		t.Errorf("by their numbers: %+v", p)
	}
	numbered.Data = ""
	r = []result.Result{resultOf(t, "a", 1, numbered)}
	if p := pairOf(r, r); p.NotPaired == "" {
		t.Errorf("numbers of nobody knows what are paired: %+v", p)
	}
}

// TestAccuracyCalls: what is said, and what is not.
func TestAccuracyCalls(t *testing.T) {
	first := letters(500, func(i int) bool { return i < 400 })
	for _, tt := range []struct {
		what, b string
		want    Call
		words   string
	}{
		{"the same", first, Noise, "can't be told from a (+0.0 points [-0.8, +0.8]"},
		{"forty lost, ten gained", letters(500, func(i int) bool { return i >= 40 && i < 410 }), Real, "b is worse than a"},
		{"forty gained", letters(500, func(i int) bool { return i < 440 }), Real, "b is better than a"},
		{"as many lost as gained", letters(500, func(i int) bool { return i >= 60 && i < 460 }), Unclear, "can't be told"},
	} {
		c := mustCompare(t, sides(resultOf(t, "a", 1, evalOf(first)), resultOf(t, "b", 1, evalOf(tt.b))))
		p := c.Accuracy.Sides[1].Change
		if p.Call != tt.want || !strings.Contains(p.sentence("b", "a"), tt.words) {
			t.Errorf("%s: %s, %s", tt.what, p.Call, p.sentence("b", "a"))
		}
		if best := c.Accuracy.Sides[1].Best || c.Accuracy.Sides[0].Best; best != (tt.want == Real) {
			t.Errorf("%s: best %v", tt.what, best)
		}
	}
	other := evalOf(first)
	other.SHA, other.Task = "other", "gsm8k"
	c := mustCompare(t, sides(resultOf(t, "a", 1, evalOf(first)), resultOf(t, "b", 1, other)))
	if p := c.Accuracy.Sides[1].Change; p.NotPaired == "" || len(c.Accuracy.Notes) != 1 || !strings.Contains(c.Accuracy.Notes[0], "nothing is said beyond the intervals") {
		t.Errorf("a difference is claimed of other questions: %+v, %q", p, c.Accuracy.Notes)
	}
}

// answering draws answers to the same questions: each with its own difficulty.
func answering(random *rand.Rand, hard []float64, accuracy, same float64) string {
	return letters(len(hard), func(i int) bool {
		if random.Float64() < same {
			return hard[i] < accuracy
		}
		return random.Float64() < accuracy
	})
}

// TestAccuracyAlarms: of tables of equal sides at most one in twenty calls any of them
// different, with several sides and with repeats; eight points are found.
func TestAccuracyAlarms(t *testing.T) {
	random := testfiles.Random(t)
	const trials, n = 200, 500
	for _, tt := range []struct {
		sides, repeats int
		accuracy, loss float64
		most, least    float64
	}{{2, 1, 0.8466, 0, 0.05, 0}, {4, 1, 0.7, 0, 0.05, 0}, {2, 3, 0.8, 0, 0.05, 0}, {3, 2, 0.95, 0, 0.05, 0}, {2, 1, 0.8466, 0.08, 1, 0.9}, {2, 3, 0.8466, 0.08, 1, 0.9}} {
		called := 0
		for range trials {
			hard := make([]float64, n)
			for i := range hard {
				hard[i] = random.Float64()
			}
			var s []Side
			for k := range tt.sides {
				side := Side{Name: fmt.Sprint(k)}
				for range tt.repeats {
					accuracy := tt.accuracy - tt.loss*float64(min(k, 1))
					side.Runs = append(side.Runs, evalRun(answering(random, hard, accuracy, 0.7)))
				}
				s = append(s, side)
			}
			a := AccuracyOf(s, 0.95)
			for k := 1; k < tt.sides; k++ {
				if a.Sides[k].Change.Call == Real {
					called++
					break
				}
			}
		}
		share := float64(called) / trials
		t.Logf("%d sides, %d runs each, accuracy %.2f, loss %.2f: called real %.1f %%", tt.sides, tt.repeats, tt.accuracy, tt.loss, 100*share)
		slack := 5 * math.Sqrt(0.05*0.95/trials)
		if share > tt.most+slack || share < tt.least-slack {
			t.Errorf("%+v: called real in %.3f", tt, share)
		}
	}
}

// evalRun is a run without the detour through a file.
func evalRun(right string) result.Result {
	e := &score.Result{Task: "t", SHA: "s", Questions: len(right), Scores: []score.Score{{Accuracy: score.Accuracy{Right: strings.Count(right, "1"), Of: len(right)}}}}
	e.Each.Right = right
	for i := range right {
		e.Each.Numbers = append(e.Each.Numbers, i)
	}
	return result.Result{Eval: e}
}

func TestAccuracyGate(t *testing.T) {
	first := letters(500, func(i int) bool { return i < 400 })
	worse := letters(500, func(i int) bool { return i >= 40 && i < 400 })
	a := resultOf(t, "a", 1000, evalOf(first))
	short := evalOf(first[:480] + strings.Repeat("-", 20))
	broken := evalOf(worse[:480] + strings.Repeat("-", 20))
	other := evalOf(first)
	other.SHA, other.Task = "x", "gsm8k"
	for _, tt := range []struct {
		what, gate string
		b          *score.Result
		want       Outcome
		words      string
	}{
		{"the same", "accuracy", evalOf(first), Kept, "could hide"},
		{"worse", "accuracy", evalOf(worse), Broken, "it is worse"},
		{"worse, and faster", "accuracy and output_throughput>-3%", evalOf(worse), Broken, "it is worse"},
		{"within points", "accuracy>-2pp", evalOf(first), Kept, "lies within it"},
		{"beyond points", "accuracy>-2pp", evalOf(worse), Broken, "lies beyond it"},
		{"across points", "accuracy>-8pp", evalOf(worse), Undecided, "lies across it"},
		{"other questions", "accuracy", other, Undecided, "can't be paired"},
		{"failed requests that could decide", "accuracy", short, Undecided, "could change this"},
		{"failed requests that can't", "accuracy", broken, Broken, "could not change this"},
	} {
		g, err := ParseGate(tt.gate)
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := g.Judge(mustCompare(t, sides(a, resultOf(t, "b", 1000, tt.b))))
		if err != nil || got != tt.want || !strings.Contains(found[0].Sentence, tt.words) {
			t.Errorf("%s: %v, %+v, %v", tt.what, got, found, err)
		}
	}
	for _, bad := range []string{"accuracy>-2%", "accuracy<-200pp", "accuracy>=", "p99_ttft"} {
		if _, err := ParseGate(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	plain := run("p", []float64{1, 2, 3})
	g, _ := ParseGate("accuracy")
	if _, _, err := g.Judge(mustCompare(t, sides(plain, plain))); err == nil || !strings.Contains(err.Error(), "inferometer eval") {
		t.Errorf("a gate on accuracy without questions: %v", err)
	}
}

func TestFront(t *testing.T) {
	right := func(n int) *score.Result { return evalOf(letters(500, func(i int) bool { return i < n })) }
	turned := func(n int) *score.Result { return evalOf(letters(500, func(i int) bool { return i >= 500-n })) }
	f := FrontOf(sides(
		resultOf(t, "slow and good", 100, right(450)),
		resultOf(t, "fast and bad", 300, right(300)),
		resultOf(t, "slower and worse", 90, right(350)),
		resultOf(t, "as good as chance tells", 80, turned(445)),
		resultOf(t, "as fast, as good", 300, right(300)),
	), 0.95)
	var got []string
	for i := range f.Points {
		p := &f.Points[i]
		got = append(got, fmt.Sprintf("%s: %v, by %q, in doubt against %q", p.Name, p.On, p.By, p.Against))
	}
	want := []string{
		`fast and bad: true, by "", in doubt against ""`,
		`as fast, as good: true, by "", in doubt against ""`,
		`slow and good: true, by "", in doubt against ""`,
		`slower and worse: false, by "slow and good", in doubt against ""`,
		`as good as chance tells: false, by "slow and good", in doubt against "slow and good"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if f := FrontOf(note003(t), 0.95); f.Points[0].Name != "fp8" || f.Points[0].Doubt || f.Points[1].On || !f.Points[1].Doubt {
		t.Errorf("note 003: %+v", f.Points)
	}
	lucky := FrontOf(sides(resultOf(t, "slow", 100, right(451)), resultOf(t, "fast", 200, right(450))), 0.95)
	if p := lucky.Points[1]; !p.On || !p.Doubt || p.Against != "fast" {
		t.Errorf("on the front by one question: %+v", p)
	}
	bad := resultOf(t, "wrong", 900, right(490))
	bad.Facts.Verdict = "INVALID"
	if f := FrontOf(sides(resultOf(t, "slow", 100, right(451)), resultOf(t, "fast", 200, right(300)), bad), 0.95); len(f.Points) != 2 || !f.Points[0].On || !f.Points[1].On ||
		!slices.Contains(f.Notes, "INVALID, and so not among these: wrong") {
		t.Errorf("with an INVALID run: %+v", f)
	}
	if f := FrontOf(sides(resultOf(t, "a", 1, right(3))), 0.95); f != nil {
		t.Errorf("a front of one: %+v", f)
	}
}
