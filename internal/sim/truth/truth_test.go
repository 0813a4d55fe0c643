package truth

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truth.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A half line at the end is a killed simulator's; one in the middle is no truth.
func TestRead(t *testing.T) {
	const one, half = `{"id":"a","arrived":5,"received":7,"completion_tokens":2,"events":[8,9],"kind":["token","token"]}` + "\n", `{"id":"b","arr`
	for text, want := range map[string]struct {
		n    int
		cut  bool
		fine bool
	}{
		"":                 {0, false, true},
		one + one:          {2, false, true},
		one + half:         {1, true, false},
		one + half + "\n":  {1, true, false},
		half + "\n" + one:  {0, false, false},
		one + "null" + one: {1, true, false},
	} {
		all, err := Read(write(t, []byte(text)))
		if len(all) != want.n || (err == nil) != want.fine || errors.Is(err, ErrCut) != want.cut {
			t.Errorf("%q: %d requests, %v", text, len(all), err)
		}
	}
	all, err := Read(write(t, []byte(one)))
	if err != nil || all[0].Begun() != 5 || all[0].Tokens != 2 || len(all[0].Kinds) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	slow := Request{Events: []int64{10, 20, 30}, SlowWrites: [][2]int64{{1, 5}, {9, 5}, {-1, 5}}}
	if got := slow.Handed(); !slices.Equal(got, []int64{10, 25, 30}) || slow.Events[1] != 20 {
		t.Errorf("handed by %v", got)
	}
	if r := (Request{Received: 7}); r.Begun() != 7 {
		t.Error("a request without a kernel's time began when it was read")
	}
}

// A simulator that was killed leaves a truth that ends anywhere.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\",\"arrived\":5,\"events\":[1,2]}\n{\"id\":"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := Read(write(t, b))
		if err != nil && !errors.Is(err, ErrCut) && len(all) > 0 {
			t.Errorf("%d requests beside %v", len(all), err)
		}
	})
}
