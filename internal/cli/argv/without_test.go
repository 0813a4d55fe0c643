package argv

import (
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	set := New("x", "")
	var name string
	var fast bool
	var list []string
	ours := Group("ours")
	set.String(&name, "name", "", "", ours)
	set.Bool(&fast, "fast", "", ours)
	set.Strings(&list, "list", ZeroOrMore, "")
	set.String(&name, "other", "", "")
	for _, tt := range []struct{ args, want string }{
		{"--name a --other b --fast", "--other b"},
		{"--other=b --name=a", "--other=b"},
		{"--list a b --name c --list d", "--list a b --list d"},
		{"--nam a --other b", "--other b"}, // a name may be cut short
		{"", ""},
	} {
		args := strings.Fields(tt.args)
		if err := set.Parse(args); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(set.Without(args, func(f *Flag) bool { return f.Group == "ours" }), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.args, got, tt.want)
		}
	}
}
