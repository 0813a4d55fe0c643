package tokens

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Whether a server counts is found out once it can be told: one that loads its model, or is not up, is asked again.
func TestCounterFinds(t *testing.T) {
	for status, want := range map[int]error{404: ErrNone, 405: ErrNone, 400: ErrNone, 501: ErrNone, 401: ErrKey, 403: ErrKey, 503: ErrNotYet, 429: ErrNotYet} {
		asked := new(atomic.Int64)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			http.Error(w, "no", status)
		}))
		c := NewCounter(s.Client(), s.URL, nil)
		_, err := c.Find(t.Context())
		first := asked.Load()
		_, again := c.Prompt(t.Context(), "m", "text")
		if !errors.Is(err, want) || !errors.Is(again, want) || (asked.Load() > first) != errors.Is(want, ErrNotYet) {
			t.Errorf("%d: %v, then %v, asked %d times and then %d; want %v", status, err, again, first, asked.Load()-first, want)
		}
		s.Close()
		if _, err := NewCounter(http.DefaultClient, s.URL, nil).Find(t.Context()); !errors.Is(err, ErrNotYet) {
			t.Errorf("a server that is not up: %v", err)
		}
	}
}

// What a server says of lengths is its own affair: no tokens are no length.
func FuzzCounter(f *testing.F) {
	for _, seed := range []string{`{"tokens":[1,2],"prompt":"Hello world"}`, `{"tokens":[1],"content":"Hello world"}`, `{"tokens":[-1,1e99]}`, `{"tokens":null,"prompt":"Hello world"}`, `[]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewCounter(&http.Client{Transport: answered(b)}, "http://h/v1", nil)
		if n, err := c.Chat(t.Context(), "m", nil); err == nil && n < 1 {
			t.Errorf("%q is %d tokens", b, n)
		}
	})
}
