package section

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/eval/score"
)

func of(v float64) *float64 { return &v }

func TestAccuracyText(t *testing.T) {
	whole := score.Accuracy{Right: 607, Of: 717, Value: of(0.846583), StdErr: of(0.013468), Low: of(0.81837), High: of(0.87112)}
	for _, tt := range []struct {
		a    score.Accuracy
		want string
	}{
		{whole, "0.8466 ± 0.0135 (0.818–0.871)"},
		{score.Accuracy{Right: 1, Of: 1, Value: of(1), Low: of(0.2066), High: of(1)}, "1.0000 ± unknown (0.207–1.000)"},
		{score.Accuracy{}, "unknown"},
	} {
		if got := AccuracyText(&tt.a); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

func TestNotes(t *testing.T) {
	like, unlike := true, false
	e := &score.Result{Questions: 20, Answered: 18, Unanswered: 2, Earlier: 3, Chance: of(0.1), Scores: []score.Score{
		{Name: "none", Metric: "acc", Accuracy: score.Accuracy{Chance: &like, Worst: of(0.1), Best: of(0.2)}}, {Name: "strict-match", Accuracy: score.Accuracy{Chance: &unlike}},
	}}
	var got []string
	for _, n := range Notes(e) {
		got = append(got, n.Of+": "+n.Text)
	}
	want := "Chance, acc: can't be told from chance (guessing gives 0.100)\n" +
		"Unanswered: 2 of 20 questions, which count in no share: the accuracy over all is 0.100 if these are all wrong, and 0.200 if they are all right\n" +
		"Earlier: 3 answered in an earlier part of this run: their times count nowhere"
	if text := strings.Join(got, "\n"); text != want {
		t.Error(text)
	}
	if n := Notes(&score.Result{}); n != nil {
		t.Errorf("%v of nothing", n)
	}
}

func TestLowest(t *testing.T) {
	category := func(name string, v *float64) score.Category {
		return score.Category{Name: name, Accuracy: score.Accuracy{Value: v}}
	}
	all := []score.Category{category("unknown", nil), category("b", of(0.5)), category("a", of(0.5)), category("low", of(0.1)), category("high", of(0.9))}
	names := func(list []score.Category) (out string) {
		for _, c := range list {
			out += c.Name + " "
		}
		return out
	}
	if list, more := Lowest(all, 3); names(list) != "low a b " || more != 2 {
		t.Errorf("%s, %d", names(list), more)
	}
	if list, more := Lowest(all, 5); names(list) != "low a b high unknown " || more != 0 {
		t.Errorf("%s, %d", names(list), more)
	}
	if names(all) != "unknown b a low high " {
		t.Error("the list of the caller was changed")
	}
}

// TestMissedOf: lists of different lengths, as a result file may have them, are no trouble.
func TestMissedOf(t *testing.T) {
	e := &score.Each{Numbers: []int{4, 5, 6, 7, 8}, Right: "10n-", IDs: []string{"a", "\x1b[2Jb\u202e", ""}, Answers: []string{"A", "<b>"}}
	got, all := missedOf(e, 2)
	if all != 3 || len(got) != 2 || got[0] != (missed{"b", "wrong", "<b>"}) || got[1] != (missed{"6", "no answer found", ""}) {
		t.Errorf("%d: %+v", all, got)
	}
}
