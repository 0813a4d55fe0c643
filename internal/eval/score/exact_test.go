package score

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// What NumPy does to texts that grow when they become lower case: they are cut at the
// longest of their array. The marks are those of lm-eval 0.4.13.
func TestExactIsNumPys(t *testing.T) {
	x, err := newExact(&journal.Score{IgnoreCase: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer string
		right  []string
		want   bool
	}{
		{"İ", []string{"i"}, true},
		{"İ", []string{"i̇"}, false},
		{"İx", []string{"i̇"}, true},
		{"İ", []string{"i", "abc"}, true},
		{"aİ", []string{"i̇a", "Aİ"}, false},
		{"i̇", []string{"İ", "longer"}, true},
		{"i̇", []string{"İ"}, false},
		{"i̇", nil, false},
	} {
		if got, err := x.right(c.answer, c.right); err != nil || got != c.want {
			t.Errorf("%q against %q: %v %v", c.answer, c.right, got, err)
		}
	}
}
