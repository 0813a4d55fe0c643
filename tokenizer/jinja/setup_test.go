package jinja

import (
	"strings"
	"testing"
)

// Expectations are what Jinja2 3.1 gives in such an Environment.
func TestSetup(t *testing.T) {
	plain := Setup{KeepTrailingNewline: true, StrictUndefined: true, OwnJSON: true}
	for _, c := range []struct {
		source string
		setup  Setup
		want   string // begins with ! where it fails
	}{
		{"a\n  {% if x %}\nb\n  {% endif %}\nc\n", plain, "a\n  \nb\n  \nc\n"},
		{"a\n  {% if x %}\nb\n  {% endif %}\nc\n", Setup{}, "a\n  \nb\n  \nc"},
		{"a\n  {% if x %}\nb\n  {% endif %}\nc\n", Setup{TrimBlocks: true}, "a\n  b\n  c"},
		{"a\n  {% if x %}\nb\n  {% endif %}\nc\n", Setup{LstripBlocks: true}, "a\n\nb\n\nc"},
		{"a\n  {%- if x -%}\nb\n  {%- endif %}\nc", plain, "ab\nc"},
		{"{# note #}\n{% raw %}{{ x }}{% endraw %}\n", plain, "\n{{ x }}\n"},
		{"{{ missing }}", plain, "!'missing' is undefined"},
		{"{{ missing }}", Setup{}, ""},
		{"{% if missing %}{% endif %}", plain, "!'missing' is undefined"},
		{"{% for a in missing %}{% endfor %}", plain, "!'missing' is undefined"},
		{"{{ missing == 1 }}", plain, "!'missing' is undefined"},
		{"{{ 1 == missing }}", plain, "!'missing' is undefined"},
		{"{{ missing|length }}", plain, "!'missing' is undefined"},
		{"{{ x.missing }}", plain, "!has no attribute"},
		{"[{{ 'a' if not x }}]", plain, "[]"},
		{"{{ missing is defined }} {{ missing|default('d') }}", plain, "False d"},
		{"{{ {'b': '<i>', 'a': \"it's &\"}|tojson }}", plain, `{"a": "it\u0027s \u0026", "b": "\u003ci\u003e"}`},
		{"{{ {'b': '<i>', 'a': 1}|tojson }}", Setup{}, `{"b": "<i>", "a": 1}`},
	} {
		parsed, err := ParseSetup(c.source, c.setup)
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		got, err := parsed.Render(map[string]any{"x": NewDict("k", "v")})
		if why, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%q gives %q, %v, not the error %q", c.source, got, err, why)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q gives %q, %v, not %q", c.source, got, err, c.want)
		}
	}
}
