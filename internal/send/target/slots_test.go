package target

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// What a server says of its slots sizes a plan: a number that can't be is as none.
func TestSlots(t *testing.T) {
	for props, want := range map[string][2]int{
		`{"total_slots": 4, "default_generation_settings": {"n_ctx": 8192}}`:                 {4, 8192},
		`{"total_slots": 2305843009213693952, "default_generation_settings": {"n_ctx": -1}}`: {0, 0},
		`{"total_slots": "four"}`: {0, 0},
		`<html>`:                  {0, 0},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, props) }))
		slots, maxLen := (&Target{Base: s.URL, Client: s.Client()}).Slots(t.Context())
		s.Close()
		if got := [2]int{slots, maxLen}; got != want {
			t.Errorf("%s: %v, want %v", props, got, want)
		}
	}
}
