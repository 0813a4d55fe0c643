package target

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// llama.cpp's /props bound what is sent at once: what can't be is not known.
func FuzzProps(f *testing.F) {
	f.Add([]byte(`{"model_path":"m","total_slots":4,"default_generation_settings":{"n_ctx":4096}}`))
	f.Add([]byte(`{"total_slots":-1,"default_generation_settings":{"n_ctx":1e9}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		answers := roundTrip(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(b))}
		})
		slots, length := (&Target{Base: "http://h", Client: &http.Client{Transport: answers}}).Slots(context.Background())
		if slots < 0 || length < 0 || slots > 1<<24 || length > 1<<24 {
			t.Errorf("%q: %d slots, %d tokens", b, slots, length)
		}
	})
}

// A PID file of an earlier run names a process group. Whatever it holds, nothing is ended that is not provably
// of that run: no start time that a fuzzer guesses is one of this machine's processes, so nothing is found.
func FuzzLeftover(f *testing.F) {
	f.Add([]byte(`{"pid":1,"group":1}`))
	f.Add([]byte(`{"pid":-1,"group":-1,"pid_started":"","group_started":""}`))
	f.Add([]byte(`{"pid":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var l leftover
		if decodeLeftover(b, &l) && l.lives() {
			t.Skip("it is a real process of this machine") // never ended by a test
		}
		file := filepath.Join(t.TempDir(), "pid.json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := EndLeftover(file); found || err != nil {
			t.Errorf("%q: %v %v", b, found, err)
		}
	})
}
