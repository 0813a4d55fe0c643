package ordered

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	o := Object{{"b", 1}, {"a", "<x>"}}
	o.Set("c", nil)
	o.Set("b", 2)
	more := o.With(Object{{"a", 3}, {"d", 4}})
	o.Remove("c")
	o.Remove("no such key")
	if got := fmt.Sprint(o, more); got != "[{b 2} {a <x>}] [{b 2} {a 3} {c <nil>} {d 4}]" {
		t.Error(got)
	}
	if !more.Has("c") || more.Has("e") || more.Get("d") != 4 || more.Get("e") != nil || !slices.Equal(o.Keys(), []string{"b", "a"}) {
		t.Errorf("%v", more)
	}
	if got, err := json.Marshal(Object{{"x", o}, {"l", []any{}}}); err != nil || string(got) != `{"x":{"b":2,"a":"\u003cx\u003e"},"l":[]}` {
		t.Errorf("%s, %v", got, err)
	}
}

// What was read is written again as it was, keys in their order and numbers by their digits.
func TestRead(t *testing.T) {
	many := `"k0":0`
	for i := range 3 * manyKeys {
		many += fmt.Sprintf(`,"k%d":%d`, i, i)
	}
	for in, want := range map[string]string{
		`{"b": 1.50, "a": [true, null, {}], "b": "x"}`: `{"b":"x","a":[true,null,{}]}`,
		"{" + many + `,"k1":true}`:                     "{" + strings.Replace(strings.Replace(many, `"k0":0,"k0":0`, `"k0":0`, 1), `"k1":1,`, `"k1":true,`, 1) + "}",
		`1e999`:                                        `1e999`,
	} {
		v, err := Read(strings.NewReader(in), Limits{Depth: 2})
		if got, _ := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
	for in, want := range map[string]error{`[[[1]]]`: ErrDeep, `[1,2,3,4,5]`: ErrMany} {
		if _, err := Read(strings.NewReader(in), Limits{Depth: 2, Values: 5}); !errors.Is(err, want) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := Read(strings.NewReader("1 2"), Limits{}); err == nil {
		t.Error("two values")
	}
}
