package jsonscan

import (
	"encoding/json"
	"testing"
)

// FuzzScan: no bytes make it panic or run on, and what is not JSON by its
// brackets, strings and words is refused.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"id":"1","choices":[{"delta":{"content":" w\u00f6rd\n"}}],"usage":null}`))
	f.Add([]byte(`{"a":[{},[],"\\",1e5,tru]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scanner
		s.Reset(data)
		s.Skip()
		s.End()
		if json.Valid(data) && s.Err != nil {
			t.Errorf("%q is JSON: %v", data, s.Err)
		}
	})
}

func TestTakes(t *testing.T) {
	var s Scanner
	s.Reset([]byte(` {"a":"x\u00e9","n": 12 ,"f":1.5,"l":[1, [2], "]"],"t":true,"o":{"in":{}},"e":{},"z":null}`))
	got := map[string]any{}
	s.Fields(func(name []byte) {
		switch string(name) {
		case "a":
			got["a"] = string(s.Text())
		case "n":
			got["n"], _, _ = s.Number(100)
		case "f":
			_, raw, ok := s.Number(100)
			got["f"] = string(raw)
			if ok {
				t.Error("1.5 is no whole number")
			}
		case "l":
			at := s.Mark()
			got["l"] = s.Count()
			got["list"] = string(s.Since(at))
		case "t":
			got["t"] = s.True()
		case "o":
			value := s.Value()
			s.Within(value, func() { s.Fields(func(name []byte) { got["o"] = string(name); s.Skip() }) })
		default:
			s.Skip()
		}
	})
	s.End()
	want := map[string]any{"a": "xé", "n": 12, "f": "1.5", "l": 3, "list": `[1, [2], "]"]`, "t": true, "o": "in"}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %v, want %v", k, got[k], v)
		}
	}
	if s.Err != nil || len(got) != len(want) {
		t.Error(s.Err, got)
	}
}
