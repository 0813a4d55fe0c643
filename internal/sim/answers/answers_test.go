package answers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var zeros = strings.Repeat("0", 64)

func TestReadSaysWhichLineIsWrong(t *testing.T) {
	good := `{"question":"q","prompt_sha256":"` + Sum("p") + `","right":"yes","wrong":["no"]}`
	choice := func(prompt string, k, of int, correct bool) string {
		return fmt.Sprintf(`{"question":"c","prompt_sha256":"%s","choice":%d,"choices":%d,"correct":%t}`, Sum(prompt), k, of, correct)
	}
	for _, test := range []struct{ name, file, want string }{
		{"nothing", "\n\n", "no lines"},
		{"no JSON", good + "\nhello", "line 2: it is not the JSON"},
		{"a misspelt field", `{"question":"q","prompt_sha256":"` + zeros + `","rigth":"a","wrong":["b"]}`, `line 1: it is not the JSON of an answer: json: unknown field "rigth"`},
		{"two objects", good + good, "line 1: there is more after the object"},
		{"no question", `{"prompt_sha256":"` + zeros + `","right":"a","wrong":["b"]}`, "line 1: it has no question"},
		{"a short hash", `{"question":"q","prompt_sha256":"00","right":"a","wrong":["b"]}`, "line 1: prompt_sha256 is \"00\""},
		{"a long hash", `{"question":"q","prompt_sha256":"` + zeros + `00","right":"a","wrong":["b"]}`, "line 1: prompt_sha256"},
		{"no hash", `{"question":"q","prompt_sha256":"` + strings.Repeat("g", 64) + `","right":"a","wrong":["b"]}`, "line 1: prompt_sha256"},
		{"nothing wrong", `{"question":"q","prompt_sha256":"` + zeros + `","right":"a"}`, "line 1: it needs right"},
		{"a wrong one that is right", `{"question":"q","prompt_sha256":"` + zeros + `","right":"a","wrong":["a"]}`, "line 1: a wrong answer is empty, or the same"},
		{"texts and a choice", `{"question":"q","prompt_sha256":"` + zeros + `","right":"a","wrong":["b"],"choice":1,"choices":2}`, "line 1: it has both"},
		{"correct without a choice", `{"question":"q","prompt_sha256":"` + zeros + `","right":"a","wrong":["b"],"correct":true}`, "line 1: correct is of a choice"},
		{"a choice of none", choice("a", 1, 1, true), "line 1: choices is 1"},
		{"a choice beyond", choice("a", 3, 2, true), "line 1: choice is 3 of 2"},
		{"a prompt twice", good + "\n\n" + good, "line 3: its prompt_sha256 is that of line 1"},
		{"no right choice", good + "\n" + choice("a", 1, 2, false) + "\n" + choice("b", 2, 2, false), `line 2: question "c" has choices, and none`},
		{"two right choices", choice("a", 1, 2, true) + "\n" + choice("b", 2, 2, true), "line 2: question \"c\" has two correct choices"},
		{"other choices", choice("a", 1, 2, true) + "\n" + choice("b", 2, 3, false), "line 2: question \"c\" has 3 choices here and 2 before"},
		{"a long text", `{"question":"q","prompt_sha256":"` + zeros + `","right":"` + strings.Repeat("a", mostText+1) + `","wrong":["b"]}`, "line 1: one of its texts has"},
		{"a long line", good + "\n" + strings.Repeat("a", mostLine+1), "line 2 is longer than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v; want %q", err, test.want)
			}
		})
	}
	k, err := Read(strings.NewReader(good + "\r\n" + choice("a", 1, 2, true) + "\n" + choice("b", 2, 2, false)))
	if err != nil || k.Len() != 3 || k.Find("p") == nil || k.Find("x") != nil {
		t.Errorf("%v, %+v", err, k)
	}
}

func TestChatText(t *testing.T) {
	got := ChatText([]Message{{"system", "Be brief."}, {"user", "1+1?\n"}})
	if want := "system: Be brief.\nuser: 1+1?\n\nassistant:"; got != want {
		t.Errorf("%q", got)
	}
}

// TestShares holds what a server is told to do against what it does, on fresh questions.
func TestShares(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n = 40_000
	for _, s := range []Settings{
		{Accuracy: 0.8},
		{Accuracy: 0.8, Agreement: 0.5},
		{Accuracy: 0.62, Agreement: 0.9, NoAnswer: 0.1},
		{Accuracy: 0.3, Agreement: 1, NoAnswer: 0.7},
		{Accuracy: 0},
		{Accuracy: 1},
	} {
		a, b := s, s
		a.Seed, b.Seed, b.Accuracy = seed, seed+1, s.Accuracy/2
		var right, none, lower, both int
		for i := range n {
			id := fmt.Sprint(seed, " ", i)
			first, second := a.Question(id), b.Question(id)
			if first != a.Question(id) {
				t.Fatal("the same question twice gets two answers")
			}
			right += one(first.Verdict == Right)
			none += one(first.Verdict == None)
			lower += one(second.Verdict == Right)
			both += one(first.Verdict == Right && second.Verdict == Right)
		}
		near(t, n, right, s.Accuracy, "right")
		near(t, n, none, s.NoAnswer, "without an answer")
		near(t, n, lower, s.Accuracy/2, "right of the other server")
		// Where luck is common, what the worse server gets right the better one does too.
		near(t, n, both, s.Agreement*s.Accuracy/2+(1-s.Agreement)*s.Accuracy*s.Accuracy/2, "right of both")
	}
}

// TestLuckIsBinomial: over fresh questions the number of right answers has the mean and the
// variance of independent draws, whatever the agreement. An interval counts on that.
func TestLuckIsBinomial(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n, share = 100, 0.8
	trials := 600
	if testing.Short() {
		trials = 200
	}
	for _, agreement := range []float64{0, 0.5, 0.9} {
		s := Settings{Accuracy: share, Agreement: agreement}
		var sum, squares float64
		for k := range trials {
			s.Seed = seed + uint64(k)
			right := 0
			for i := range n {
				right += one(s.Question(fmt.Sprint(seed, "/", k, "/", i)).Verdict == Right)
			}
			away := float64(right) - n*share
			sum += away
			squares += away * away
		}
		const spread = n * share * (1 - share)
		many := float64(trials)
		mean, variance := sum/many, squares/many/spread
		// A mean has a deviation of √(spread/trials), a variance of √(2/trials).
		if math.Abs(mean) > 5*math.Sqrt(spread/many) || math.Abs(variance-1) > 5*math.Sqrt(2/many) {
			t.Errorf("agreement %v: %.3f right answers too many on average, with %.3f times the variance", agreement, mean, variance)
		}
	}
}

// TestLoad: the share of answers that is drawn anew, and that those are as good as the others.
func TestLoad(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n = 40_000
	s := Settings{Accuracy: 0.7, Agreement: 0.5, LoadFlips: 0.25, Seed: seed}
	var anew, right, changed int
	for i := range n {
		id := fmt.Sprint(seed, " ", i)
		d := s.Loaded(id, seed+uint64(i))
		anew += one(d.Anew)
		right += one(d.Verdict == Right)
		changed += one(d.Verdict != s.Question(id).Verdict)
	}
	near(t, n, anew, 0.25, "anew")
	near(t, n, right, 0.7, "right")
	near(t, n, changed, 0.25*2*0.7*0.3, "changed")
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// near fails five deviations off: once in a million.
func near(t *testing.T, n, got int, share float64, what string) {
	t.Helper()
	want := share * float64(n)
	if math.Abs(float64(got)-want) > 5*math.Sqrt(want*(1-share)) {
		t.Errorf("%d of %d are %s; want about %.0f", got, n, what, want)
	}
}

func TestTextAndFavoured(t *testing.T) {
	l := &Line{Question: "q", Right: "yes", Wrong: []string{"no", "never"}}
	said := map[string]bool{}
	for i := range uint64(50) {
		said[Draw{Verdict: Wrong, pick: i}.Text(l)] = true
	}
	if len(said) != 2 || !said["no"] || !said["never"] {
		t.Errorf("wrong answers: %v", said)
	}
	if (Draw{Verdict: Right}).Text(l) != "yes" || (Draw{Verdict: None}).Text(l) != NoAnswer {
		t.Error("right or none")
	}
	if l.None = "hm"; (Draw{Verdict: None}).Text(l) != "hm" {
		t.Error("a text of its own for none")
	}
	s := Settings{Key: &Key{correct: map[string]int{"q": 2}}}
	c := &Line{Question: "q", Choice: 1, Choices: 4}
	count := [5]int{}
	for i := range uint64(300) {
		count[s.Favoured(Draw{Verdict: Wrong, pick: i}, c)]++
	}
	if count != [5]int{0, 100, 0, 100, 100} {
		t.Errorf("favoured among the wrong ones: %v", count)
	}
	if s.Favoured(Draw{Verdict: Right}, c) != 2 || s.Favoured(Draw{}, &Line{Question: "x", Choices: 4}) != 0 {
		t.Error("the right choice, or none")
	}
}

func TestValidate(t *testing.T) {
	for _, s := range []Settings{{Accuracy: -0.1}, {Accuracy: 1.1}, {Agreement: 2}, {NoAnswer: -1}, {LoadFlips: math.NaN()}, {Accuracy: 0.9, NoAnswer: 0.2}} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if err := (&Settings{Accuracy: 0.9, NoAnswer: 0.1}).Validate(); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"question":"q","prompt_sha256":"` + zeros + `","right":"a","wrong":["b"]}`)
	f.Add(`{"question":"q","prompt_sha256":"` + zeros + `","choice":1,"choices":2,"correct":true}`)
	f.Fuzz(func(t *testing.T, file string) {
		k, err := Read(strings.NewReader(file))
		if err != nil {
			return
		}
		s := Settings{Key: k, Accuracy: 0.3, NoAnswer: 0.3}
		for _, l := range k.prompts {
			d := s.Question(l.Question)
			if l.Choice == 0 && d.Text(l) == "" {
				t.Errorf("%+v gets no text", l)
			}
			if n := s.Favoured(d, l); l.Choice != 0 && (n < 1 || n > l.Choices) {
				t.Errorf("%+v favours %d", l, n)
			}
		}
	})
}
