package jinja

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jsonDict reads a JSON object.
func jsonDict(t testing.TB, data []byte) *Dict {
	t.Helper()
	v, err := FromJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	d, ok := v.(*Dict)
	if !ok {
		t.Fatal("not a JSON object")
	}
	return d
}

func TestFromJSON(t *testing.T) {
	v, err := FromJSON([]byte(`{"z": [1, 2.5, null, true, "x"], "a": {"k": 12345678901234567890}, "z": []}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := render("{{ v }}", map[string]any{"v": v})
	if want := "{'z': [], 'a': {'k': 1.2345678901234567e+19}}"; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for _, bad := range []string{"", "{", `{"a"}`, "[1,", "1 2", strings.Repeat("[", 1000)} {
		if v, err := FromJSON([]byte(bad)); err == nil {
			t.Errorf("%.20q: %v, want an error", bad, v)
		}
	}
}

// variables takes the entries of a dict as the variables of a template.
func variables(d *Dict) map[string]any {
	values := map[string]any{}
	for i, key := range d.keys {
		values[key.(string)] = d.values[i]
	}
	return values
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzFromJSON: what is taken is JSON, and JSON that is not nested too deep is taken.
func FuzzFromJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2.5e300, null, "\ud83d\ude80"]}`, `[`, `1 2`, `{"a"}`, `12345678901234567890`, `1e999`, "[[[[[]]]]]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := FromJSON(data)
		if err == nil && !json.Valid(data) {
			t.Errorf("%q was read as %v", data, v)
		}
		if err == nil {
			if _, err := render("{{ v|tojson }}{{ v }}", map[string]any{"v": v}); err != nil && !strings.Contains(err.Error(), "nested") && !strings.Contains(err.Error(), errBudget.Error()) {
				t.Errorf("%q: %v", data, err)
			}
		}
	})
}
