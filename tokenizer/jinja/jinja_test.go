package jinja

import (
	"encoding/json"
	"strings"
	"testing"
)

func render(source string, values map[string]any) (string, error) {
	template, err := Parse(source)
	if err != nil {
		return "", err
	}
	return template.Render(values)
}

// TestExpressions holds small templates to what Jinja2 made of them (testdata/make.py).
func TestExpressions(t *testing.T) {
	var file struct {
		Values json.RawMessage
		Cases  []struct {
			Template, Text string
			Fails          bool
		}
	}
	if err := json.Unmarshal(readTestdata(t, "expressions.json"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 150 {
		t.Fatalf("only %d cases", len(file.Cases))
	}
	values := variables(jsonDict(t, file.Values))
	for _, c := range file.Cases {
		got, err := render(c.Template, values)
		switch {
		case c.Fails && err == nil:
			t.Errorf("%q = %q, want a failure", c.Template, got)
		case !c.Fails && err != nil:
			t.Errorf("%q fails: %v; want %q", c.Template, err, c.Text)
		case !c.Fails && got != c.Text:
			t.Errorf("%q\n= %q\nwant %q", c.Template, got, c.Text)
		}
	}
}

func TestErrorsNameTheirLine(t *testing.T) {
	tests := []struct{ source, want string }{
		{"a\n{{ 1 +", "line 2: "},
		{"a\n\n{% nope %}", "line 3: the tag 'nope' is not known"},
		{"{% if x %}\n{{ raise_exception('no system role') }}\n{% endif %}", "line 2: no system role"},
		{"\n{{ x.y.z }}", "line 2: a string has no attribute 'y'"},
		{"{{ y.z }}", "line 1: 'y' is undefined"},
		{"{% for i in [1] %}\n{{ i|nope }}{% endfor %}", "line 2: there is no filter 'nope'"},
		{"{{ x.append(1) }}{{ [].append(1) }}", "line 1: "},
	}
	for _, test := range tests {
		if _, err := render(test.source, map[string]any{"x": "text"}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s…", test.source, err, test.want)
		}
	}
}

// TestBounds gives templates that would take all memory, all time or all of the stack: without the bounds
// the test itself would not end.
func TestBounds(t *testing.T) {
	tests := map[string]string{
		"output":              "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
		"repeated string":     "{{ 'x' * 10 ** 15 }}",
		"repeated list":       "{{ [1] * 10 ** 15 }}",
		"empty list repeated": "{{ [] * 10 ** 15 }}{{ '' * 10 ** 15 }}{{ 'x' * 10 ** 12 }}",
		"doubled string":      "{% set n = namespace(s='xx') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
		"doubled list":        "{% set n = namespace(s=[1]) %}{% for i in range(99) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
		"doubled and compared": "{% set n = namespace(s=[1], t=[1]) %}{% for i in range(99) %}{% set n.s = [n.s, n.s] %}" +
			"{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.s == n.t }}",
		"deep list":     "{% set n = namespace(s=[]) %}{% for i in range(99999) %}{% set n.s = [n.s] %}{% endfor %}{{ n.s|tojson }}",
		"deep hash":     "{% set n = namespace(s=()) %}{% for i in range(99999) %}{% set n.s = (n.s,) %}{% endfor %}{{ {n.s: 1} }}",
		"recursion":     "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
		"two macros":    "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() ~ f() }}{% endmacro %}{{ f() }}",
		"power":         "{{ 10 ** 10 ** 10 }}",
		"width":         "{{ 'x'.center(10 ** 15) }}",
		"zeros":         "{{ 'x'.zfill(10 ** 15) }}",
		"indent":        "{{ 'x'|indent(10 ** 15, true) }}",
		"batch":         "{{ [1]|batch(10 ** 15, 0)|list }}",
		"replace":       "{% set s = 'x' * 10000 %}{{ s|replace('', s) }}",
		"brackets":      "{{ " + strings.Repeat("(", 100000),
		"minus":         "{{ " + strings.Repeat("-", 100000) + "1 }}",
		"not":           "{{ " + strings.Repeat("not ", 100000) + "1 }}",
		"sum":           "{{ 1" + strings.Repeat("+1", 100000) + " }}",
		"filters":       "{{ 1" + strings.Repeat("|int", 100000) + " }}",
		"attributes":    "{{ a" + strings.Repeat(".a", 100000) + " }}",
		"ifs":           strings.Repeat("{% if 1 %}", 100000),
		"deep calls":    "{% macro f(x) %}{{ " + strings.Repeat("(1 + ", 150) + "f(x)" + strings.Repeat(")", 150) + " }}{% endmacro %}{{ f(1) }}",
		"targets":       "{% set " + strings.Repeat("(", 100000) + "a",
		"conditionals":  "{{ " + strings.Repeat("1 if 0 else ", 100000) + "1 }}",
		"many ifs":      "{{ 1" + strings.Repeat(" if 1", 100000) + " }}",
		"large integer": "{{ 9223372036854775807 + 1 }}",
		"source":        strings.Repeat("x", maxSource+1),
		"escaped":       "{% set n = namespace(s='<') %}{% for i in range(99) %}{% set n.s = n.s|forceescape + n.s|forceescape %}{% endfor %}",
		"markup":        "{{ ('<'|safe) * 10 ** 15 }}",
		"marked format": "{{ ('%9999s'|safe * 9999) % ((1,) * 9999) }}",
		"date":          "{{ strftime_now('%c' * 10 ** 15) }}",
	}
	for name, source := range tests {
		got, err := render(source, map[string]any{"strftime_now": StrftimeNow(renderedOn)})
		if err == nil {
			t.Errorf("%s: %.40q, want that it is stopped", name, got)
		}
	}
}

// TestRenderTogether renders one template in several goroutines, for the race detector.
func TestRenderTogether(t *testing.T) {
	template, err := Parse("{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + m.n %}{% endfor %}{{ ns.n }}")
	if err != nil {
		t.Fatal(err)
	}
	messages := NewList(NewDict("n", int64(1)), NewDict("n", int64(2)))
	results := make(chan string)
	for range 4 {
		go func() {
			text, err := template.Render(map[string]any{"messages": messages})
			if err != nil {
				text = err.Error()
			}
			results <- text
		}()
	}
	for range 4 {
		if got := <-results; got != "3" {
			t.Errorf("%q, want 3", got)
		}
	}
}

// FuzzRender: no template panics, and none runs on.
func FuzzRender(f *testing.F) {
	var file struct {
		Values json.RawMessage
		Cases  []struct{ Template string }
	}
	if err := json.Unmarshal(readTestdata(f, "expressions.json"), &file); err != nil {
		f.Fatal(err)
	}
	for _, c := range file.Cases {
		f.Add(c.Template)
	}
	f.Add("{{ strftime_now('%d %b %Y %-j%c') }}{{ strftime_now('%Q') }}")
	values := variables(jsonDict(f, file.Values))
	values["strftime_now"] = StrftimeNow(renderedOn)
	f.Fuzz(func(t *testing.T, source string) {
		if text, err := render(source, values); err == nil && len(text) > budget {
			t.Errorf("%d bytes", len(text))
		}
	})
}
