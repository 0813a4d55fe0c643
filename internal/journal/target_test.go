package journal

import "testing"

func TestDifferentModels(t *testing.T) {
	a := Target{URL: "a", Model: "m", Root: "org/m", MaxModelLen: 4096}
	for _, tt := range []struct {
		other Target
		want  string
	}{
		{Target{URL: "b", Model: "m", Root: "org/m", MaxModelLen: 4096}, ""},
		{Target{URL: "b"}, ""}, // it tells nothing, so nothing differs
		{Target{URL: "b", Model: "n"}, "the targets serve different models: m (org/m) of 4096 tokens at a, n at b"},
		{Target{URL: "b", Model: "m", Root: "org/m-awq"}, "the targets serve different models: m (org/m) of 4096 tokens at a, m (org/m-awq) at b"},
		{Target{URL: "b", Model: "m", MaxModelLen: 2048}, "the targets serve different models: m (org/m) of 4096 tokens at a, m of 2048 tokens at b"},
	} {
		if got := DifferentModels([]Target{a, a, tt.other}); got != tt.want {
			t.Errorf("%+v: %q", tt.other, got)
		}
	}
	if got := DifferentModels(nil); got != "" {
		t.Errorf("no targets: %q", got)
	}
}
