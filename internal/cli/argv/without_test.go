package argv

import (
	"slices"
	"testing"
)

func TestWithout(t *testing.T) {
	var a, rate string
	var list []string
	var quiet, other bool
	for _, tt := range []struct{ args, want []string }{
		{nil, nil},
		{[]string{"--url", "x", "--rate", "5"}, []string{"--rate", "5"}},
		{[]string{"--url=x", "--rate=5", "--quiet"}, []string{"--rate=5"}},
		{[]string{"--rate", "5", "--list", "p", "q", "--ur", "x", "--other"}, []string{"--rate", "5", "--other"}},
	} {
		s := New("test", "")
		s.String(&a, "url", "", "")
		s.String(&rate, "rate", "", "")
		s.Strings(&list, "list", OneOrMore, "")
		s.Bool(&quiet, "quiet", "")
		s.Bool(&other, "other", "")
		if err := s.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if got := s.Without(tt.args, "url", "list", "quiet"); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
}
