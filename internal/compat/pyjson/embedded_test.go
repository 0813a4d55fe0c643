package pyjson

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEmbedded: the fields of an embedded struct are its holder's, as in encoding/json.
func TestEmbedded(t *testing.T) {
	type Inner struct {
		A int  `json:"a"`
		B *int `json:"b,omitempty"`
	}
	type named struct {
		Inner `json:"inner"`
	}
	type outer struct {
		Name string `json:"name"`
		Inner
		Last named `json:"last"`
	}
	v := outer{"x", Inner{A: 1}, named{Inner{A: 2}}}
	var b strings.Builder
	if err := Write(&b, v); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.NewReplacer(": ", ":", ", ", ",").Replace(b.String()); got != string(want) {
		t.Errorf("%s, want %s", got, want)
	}
}
