package spec

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestObjectKeys(t *testing.T) {
	tests := []struct {
		object string
		want   []string
	}{
		{``, nil},
		{`[]`, nil},
		{`"a"`, nil},
		{`{}`, nil},
		{`{"z":1,"a":{"b":2,"c":[{"d":3}]},"m":null}`, []string{"z", "a", "m"}},
		{` { "é\n" : "}" } `, []string{"é\n"}},
		{`{"a":1,`, []string{"a"}},
	}
	for _, tt := range tests {
		if got := ObjectKeys(json.RawMessage(tt.object)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q, not %q", tt.object, got, tt.want)
		}
	}
}

func FuzzObjectKeys(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[{"c":"}"}]}`, `{"a":1,"a":2}`, `{"a":`, `[1]`, `{"\u0000":{}}`, "{\"\xff\":1}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var values map[string]json.RawMessage
		if json.Unmarshal(object, &values) != nil {
			ObjectKeys(object) // it must only not panic
			return
		}
		seen := map[string]bool{}
		for _, key := range ObjectKeys(object) {
			seen[key] = true
			if _, ok := values[key]; !ok {
				t.Errorf("%q has no key %q", object, key)
			}
		}
		if len(seen) != len(values) {
			t.Errorf("%q: %d keys of %d", object, len(seen), len(values))
		}
	})
}
