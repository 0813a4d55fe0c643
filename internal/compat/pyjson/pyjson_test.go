package pyjson

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/ordered"
)

type dict = ordered.Object

func TestStringsAreASCII(t *testing.T) {
	for in, want := range map[string]string{
		"plain":         `"plain"`,
		"a\"b\\c":       `"a\"b\\c"`,
		"\n\r\t\b\f":    `"\n\r\t\b\f"`,
		"\x00\x1f\x7f":  "\"\\u0000\\u001f\x7f\"",
		"ü":             `"\u00fc"`,
		"👋":             `"\ud83d\udc4b"`,
		"bad\xffbytes":  `"bad\ufffdbytes"`,
		"<script>&amp;": `"<script>&amp;"`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestObjectsKeepTheirOrder(t *testing.T) {
	o := dict{{"b", 2.0}, {"a", []string(nil)}}
	if got := Text(o); got != `{"b": 2.0, "a": []}` {
		t.Error(got)
	}
}

func FuzzStringsReadBack(f *testing.F) {
	f.Add("Grüße 👋\n\x00")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal([]byte(Text(s)), &got); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); len(got) < len(want) {
			t.Errorf("%q came back as %q", s, got)
		} else if want == s && got != s {
			t.Errorf("%q came back as %q", s, got)
		}
	})
}

func TestFloat(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{10, "10.0"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{1e-4, "0.0001"},
		{1e-5, "1e-05"},
		{1.5e-7, "1.5e-07"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{1.5e300, "1.5e+300"},
		{12345678901234567, "1.2345678901234568e+16"},
		{9999999999999998, "9999999999999998.0"},
		{5e-324, "5e-324"},
		{0.30000000000000004, "0.30000000000000004"},
		{math.Inf(1), "inf"},
		{math.Inf(-1), "-inf"},
		{math.NaN(), "nan"},
	} {
		if got := Float(tt.f); got != tt.want {
			t.Errorf("Float(%v) = %s, want %s", tt.f, got, tt.want)
		}
	}
}

func TestStrict(t *testing.T) {
	for python, want := range map[string]string{
		`{"a": Infinity, "b": [NaN, -Infinity, -1]}`: `{"a": null, "b": [null, null, -1]}`,
		`{"Infinity": "NaN \" Infinity \\"}`:         `{"Infinity": "NaN \" Infinity \\"}`,
		`"\`:                                         `"\`,
	} {
		if got := string(Strict([]byte(python))); got != want {
			t.Errorf("%s became %s, not %s", python, got, want)
		}
	}
}

func FuzzStrict(f *testing.F) {
	for _, seed := range []string{`{"a":"NaN\\","b":[1e5,-0]}`, `"\"Infinity"`, `[Infinity]`, `"\`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := Strict(b); json.Valid(b) && !bytes.Equal(got, b) {
			t.Errorf("%q became %q", b, got)
		}
	})
}

// As Python's json.dumps(v, indent=2) has it.
func TestIndent(t *testing.T) {
	var b strings.Builder
	v := dict{{"a", []float64{1, 0.5}}, {"b", dict{}}, {"c", []string{}}, {"d", dict{{"e", nil}}}}
	if err := WriteIndent(&b, v, 2); err != nil {
		t.Fatal(err)
	}
	want := `{
  "a": [
    1.0,
    0.5
  ],
  "b": {},
  "c": [],
  "d": {
    "e": null
  }
}`
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
}
