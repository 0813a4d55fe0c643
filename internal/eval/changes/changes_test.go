package changes

import (
	"testing"

	"github.com/inferometer/inferometer/internal/eval/score"
)

func result(right string, answers, hashes []string) *score.Result {
	r := &score.Result{Task: "t", SHA: "s", Each: score.Each{Right: right, Answers: answers, Hashes: hashes}}
	for i := range right {
		r.Each.Numbers = append(r.Each.Numbers, i)
	}
	return r
}

func TestOf(t *testing.T) {
	first := result("1100n-1", []string{"A", "B", "C", "D", "", "", "E"}, []string{"a", "b", "c", "d", "e", "", "g"})
	second := result("1010nn-", []string{"A", "X", "C", "Y", "", "", ""}, []string{"a", "x", "z", "y", "e", "f", ""})
	c, err := Of(first, second)
	if err != nil {
		t.Fatal(err)
	}
	if c.Questions != 5 || c.OnlyFirst != 1 || c.OnlySecond != 1 || *c.Texts != 3 || *c.Answers != 2 || c.Lost != 1 || c.Gained != 1 || c.P != 1 || c.Real {
		t.Errorf("%+v, %d texts, %d answers", c, *c.Texts, *c.Answers)
	}
	if c.First != 0.4 || c.Second != 0.4 || c.Difference != 0 || c.Low >= 0 || c.High <= 0 {
		t.Errorf("accuracy: %+v", c)
	}
	want := []Change{{1, "", "B", "X", "10"}, {2, "", "C", "C", "01"}, {3, "", "D", "Y", "00"}}
	if len(c.Changed) != 3 || c.Changed[0] != want[0] || c.Changed[1] != want[1] || c.Changed[2] != want[2] {
		t.Errorf("%+v", c.Changed)
	}
}

// TestOrder: questions are paired by their numbers, wherever they stand.
func TestOrder(t *testing.T) {
	first := result("10", []string{"A", "B"}, nil)
	second := result("01", []string{"B", "A"}, nil)
	second.Each.Numbers = []int{1, 0}
	c, err := Of(first, second)
	if err != nil || c.Questions != 2 || *c.Answers != 0 || c.Texts != nil || c.Lost+c.Gained != 0 || c.Changed != nil {
		t.Errorf("%+v, %v", c, err)
	}
	second.Each.Numbers = []int{7, 8}
	if c, _ := Of(first, second); c.Questions != 0 || c.OnlyFirst != 2 || c.OnlySecond != 2 || c.Real {
		t.Errorf("other numbers: %+v", c)
	}
}

func TestLarge(t *testing.T) {
	lost, same := make([]byte, 200), make([]byte, 200)
	for i := range lost {
		lost[i], same[i] = '1', '1'
		if i < 20 {
			lost[i] = '0'
		}
	}
	c, err := Of(result(string(same), nil, nil), result(string(lost), nil, nil))
	if err != nil || !c.Real || c.Lost != 20 || c.Difference != -0.1 || c.High >= 0 || len(c.Changed) != 20 || *c.Answers != 0 || c.Texts != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestOtherQuestions(t *testing.T) {
	other := result("1", nil, nil)
	other.SHA = "x"
	if _, err := Of(result("1", nil, nil), other); err == nil {
		t.Error("other questions are compared")
	}
	if _, err := Of(nil, other); err == nil {
		t.Error("no questions are compared")
	}
}
