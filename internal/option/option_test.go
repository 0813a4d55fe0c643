package option

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// level is a type of its own: a text that begins with L.
type level struct{ N int }

func (l *level) UnmarshalText(text []byte) error {
	n, err := ParseInt(strings.TrimPrefix(string(text), "L"))
	if err != nil || !strings.HasPrefix(string(text), "L") {
		return fmt.Errorf("needs a level such as L3, not %q", text)
	}
	l.N = n
	return nil
}

func (l level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "L%d", l.N), nil }

func (*level) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^L"}
}

type shared struct {
	Rate float64 `json:"rate" flag:"request-rate" default:"inf" above:"0" help:"requests per second."`
}

type everything struct {
	shared
	Len   int           `json:"len" also:"length" flag:"my-len" default:"1024" min:"1" follows:"input-len" help:"tokens."`
	Times *int          `json:"times" flag:"my-times" min:"0" max:"9" shown:"as often as needed"`
	Share *float64      `json:"share" min:"0" below:"1"`
	Ratio float64       `json:"ratio" default:"0.5" above:"0" below:"inf"`
	On    bool          `json:"on" flag:"my-on"`
	Name  string        `json:"name" flag:"my-name" default:"x" metavar:"NAME"`
	Kind  string        `json:"kind" default:"a" choices:"a,b"`
	Wait  time.Duration `json:"wait" default:"10m" max:"1h"`
	Level level         `json:"level" default:"L2"`
	Top   *level        `json:"top"`
	Other int           // no option
}

func (e *everything) Check() error {
	if e.Len == 13 {
		return Errorf("len", "and %s can't be 13 together with %s", Ref("times"), Ref("other_key")).WithHint("take %d", 14)
	}
	return nil
}

func TestFields(t *testing.T) {
	var got []string
	for _, f := range Fields(&everything{}) {
		got = append(got, fmt.Sprintf("%s %s %d %s %q %v", f.Key, f.Flag, f.Kind, f.Metavar, f.ShownDefault(), f.Optional))
	}
	want := []string{
		`rate request-rate 1 X "inf" false`,
		`len my-len 0 N "1024" false`,
		`times my-times 0 N "as often as needed" true`,
		`share  1 X "" true`,
		`ratio  1 X "0.5" false`,
		`on my-on 2 TEXT "" false`,
		`name my-name 3 NAME "x" false`,
		`kind  3 {a|b} "a" false`,
		`wait  4 DURATION "10m" false`,
		`level  5 VALUE "L2" false`,
		`top  5 VALUE "" true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if Fields(nil) != nil || Check(nil) != nil {
		t.Error("a choice without options has some")
	}
	if f, ok := Find(&everything{}, "length"); !ok || f.Key != "len" || f.Follows != "input-len" {
		t.Errorf("by its other key: %+v", f)
	}
}

func TestSetTextAndBack(t *testing.T) {
	for _, tt := range []struct{ key, text, back, fault string }{
		{"len", "7", "7", ""},
		{"len", " 1_000_000 ", "1000000", ""},
		{"len", "x", "", `len needs a whole number, not "x"`},
		{"len", "99999999999999999999", "", "len value 99999999999999999999 is too large"},
		{"len", "1__0", "", `len needs a whole number, not "1__0"`},
		{"rate", "2.5", "2.5", ""},
		{"rate", "1e999", "inf", ""},
		{"rate", "nan", "", `rate needs a number, not "nan"`},
		{"rate", "0x10", "", `rate needs a number, not "0x10"`},
		{"times", "3", "3", ""},
		{"share", "1e-3", "0.001", ""},
		{"on", "true", "true", ""},
		{"on", "yes", "", `on needs true or false, not "yes"`},
		{"name", "any text\n", "any text\n", ""},
		{"name", "", "", ""},
		{"kind", "b", "b", ""},
		{"kind", "c", "", `kind must be one of a, b, not "c"`},
		{"wait", "90", "1m30s", ""},
		{"wait", "1h0m", "1h", ""},
		{"wait", "-1s", "", `wait can't be negative, as "-1s" is`},
		{"wait", "soon", "", `wait needs a time span such as 90s, 2m or 1h30m, not "soon"`},
		{"level", "L5", "L5", ""},
		{"level", "5", "", `level needs a level such as L3, not "5"`},
		{"top", "L1", "L1", ""},
	} {
		v := New[everything]()
		f, ok := Find(v, tt.key)
		if !ok {
			t.Fatal(tt.key)
		}
		before, _ := f.Text(v)
		err := f.SetText(v, tt.text)
		back, _ := f.Text(v)
		switch {
		case tt.fault != "" && (err == nil || err.Error() != tt.fault):
			t.Errorf("%s %q: %v, want %s", tt.key, tt.text, err, tt.fault)
		case tt.fault != "" && back != before:
			t.Errorf("%s %q: refused, and yet %q is now %q", tt.key, tt.text, before, back)
		case tt.fault == "" && (err != nil || back != tt.back):
			t.Errorf("%s %q: %q, %v, want %q", tt.key, tt.text, back, err, tt.back)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"len", "1", ""},
		{"len", "0", "len must be at least 1, not 0"},
		{"len", "2147483648", "len must be at most 2147483647, not 2147483648"},
		{"len", "13", "len and times can't be 13 together with other_key; take 14"},
		{"times", "10", "times must be at most 9, not 10"},
		{"share", "1", "share must be below 1, not 1"},
		{"share", "-0.5", "share must be at least 0, not -0.5"},
		{"rate", "0", "rate must be above 0, not 0"},
		{"ratio", "inf", "ratio must be finite, not inf"},
		{"wait", "61m", "wait must be at most 1h, not 1h1m"},
	} {
		v := New[everything]()
		f, _ := Find(v, tt.key)
		if err := f.SetText(v, tt.text); err != nil {
			t.Fatal(err)
		}
		if err := Check(v); tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%s %s: %v, want %s", tt.key, tt.text, err, tt.want)
		}
	}
	v := New[everything]()
	v.Ratio = math.NaN()
	if Check(v) == nil {
		t.Error("nan is within bounds")
	}
}

func TestErrorNamesFlags(t *testing.T) {
	v := New[everything]()
	v.Len = 13
	var e *Error
	if !errors.As(Check(v), &e) {
		t.Fatal("no Error")
	}
	flag := func(key string) string { return "--" + FlagName(Fields(v), key) }
	if got := flag(e.Key) + " " + e.Text(flag); got != "--my-len and --my-times can't be 13 together with --other-key" {
		t.Error(got)
	}
}

func TestEncodeAndDecode(t *testing.T) {
	v := New[everything]()
	nine := 9
	v.Times, v.On, v.Wait, v.Name = &nine, true, 90*time.Second, `a "b" <c>`
	raw, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rate":"inf","len":1024,"times":9,"ratio":0.5,"on":true,"name":"a \"b\" <c>","kind":"a","wait":"1m30s","level":"L2"}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	back := New[everything]()
	if err := decode(raw, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, back, cmp.AllowUnexported(everything{}, shared{})); diff != "" {
		t.Error(diff)
	}
	if raw, err := encode(nil); err != nil || string(raw) != "{}" {
		t.Errorf("nothing: %s, %v", raw, err)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	for raw, want := range map[string]string{
		`{"lem": 1}`:         "lem is no option here: there are rate, len, times, share, ratio, on, name, kind, wait, level, top",
		`{"len": "x"}`:       `len needs a whole number, not "x"`,
		`{"len": 1.5}`:       `len needs a whole number, not "1.5"`,
		`{"len": [1]}`:       `len needs a whole number, not "[1]"`,
		`{"name": 5}`:        "name needs a text, not 5",
		`{"on": "maybe"}`:    `on needs true or false, not "maybe"`,
		`{"level": {"N":3}}`: `level needs a level such as L3, not "{\"N\":3}"`,
		`[1]`:                "the options must be a JSON object",
		`{"length": 5}`:      "",
		`{"len": null}`:      "",
		`{"rate": "inf"}`:    "",
		``:                   "",
	} {
		err := decode(json.RawMessage(raw), New[everything]())
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
	if err := decode(json.RawMessage(`{"a":1}`), &struct{}{}); err == nil || err.Error() != "a is no option here: there are none" {
		t.Error(err)
	}
}

func TestSchema(t *testing.T) {
	want := map[string]string{
		"rate": `{"exclusiveMinimum":0,"type":"number"}`, "len": `{"minimum":1,"type":"integer"}`, "times": `{"maximum":9,"minimum":0,"type":"integer"}`,
		"share": `{"exclusiveMaximum":1,"minimum":0,"type":"number"}`, "ratio": `{"exclusiveMinimum":0,"type":"number"}`, "on": `{"type":"boolean"}`,
		"name": `{"type":"string"}`, "kind": `{"enum":["a","b"]}`, "wait": `{"pattern":"^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$","type":"string"}`,
		"level": `{"pattern":"^L","type":"string"}`, "top": `{"pattern":"^L","type":"string"}`,
	}
	for _, f := range Fields(&everything{}) {
		got, err := json.Marshal(f.Schema())
		if err != nil || string(got) != want[f.Key] {
			t.Errorf("%s: %s, %v", f.Key, got, err)
		}
	}
}

func TestMistakesOfTheProgrammer(t *testing.T) {
	for name, v := range map[string]any{
		"type": &struct {
			A []int `json:"a" flag:"a"`
		}{},
		"default": &struct {
			A *int `json:"a" default:"1"`
		}{},
		"bound": &struct {
			A int `json:"a" min:"one"`
		}{},
		"not a def": &struct {
			A int `json:"a" default:"one"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			SetDefaults(v)
		}()
	}
}

// FuzzSetText: whatever is written, a value that is taken reads back as itself, by
// text and by JSON, and a refusal is an Error.
func FuzzSetText(f *testing.F) {
	for _, seed := range []string{"1", "-1", "1e5", "inf", "true", "10m", "L3", "a", `{"x": 1}`, "", "1_0", "\x00", "0x1p-2", "9223372036854775807"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range Fields(&everything{}) {
			v := New[everything]()
			if err := field.SetText(v, text); err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Key != field.Key {
					t.Fatalf("%s %q: %T %v", field.Key, text, err, err)
				}
				continue
			}
			_ = Check(v)
			if field.Kind == String && strings.ToValidUTF8(text, "?") != text {
				continue // JSON holds no such text
			}
			first, _ := field.Text(v)
			raw, err := encode(v)
			if err != nil {
				t.Fatalf("%s %q: %v", field.Key, text, err)
			}
			back := New[everything]()
			if err := decode(raw, back); err != nil {
				t.Fatalf("%s %q: %s: %v", field.Key, text, raw, err)
			}
			if second, _ := field.Text(back); first != second {
				t.Fatalf("%s %q: %q became %q by %s", field.Key, text, first, second, raw)
			}
		}
	})
}

// What is read of a struct is shared by all callers. One that appends changes nothing of another's.
func TestFieldsCanBeAppendedTo(t *testing.T) {
	a := append(Fields(&everything{}), Field{Key: "a"})
	b := append(Fields(&everything{}), Field{Key: "b"})
	if a[len(a)-1].Key != "a" || b[len(b)-1].Key != "b" {
		t.Errorf("%s and %s", a[len(a)-1].Key, b[len(b)-1].Key)
	}
}

// encode writes the options of v as a JSON object, in the order of the fields. An
// optional one without a value is left out.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range Fields(v) {
		value, err := f.JSON(v)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", f.Key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// decode reads a JSON object into v, strictly: a key that v does not have is an
// error. What the object does not say keeps its value.
func decode(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return fmt.Errorf("the options must be a JSON object: %w", err)
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		f, ok := Find(v, key)
		if !ok {
			return Errorf(key, "is no option here: there are %s", keyList(v))
		}
		if err := f.SetJSON(v, values[key]); err != nil {
			return err
		}
	}
	return nil
}

func keyList(v any) string {
	fields := Fields(v)
	if len(fields) == 0 {
		return "none"
	}
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return strings.Join(keys, ", ")
}
