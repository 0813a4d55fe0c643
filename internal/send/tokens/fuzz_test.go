package tokens

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
)

type answered []byte

func (a answered) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a)), Request: r}, nil
}

// What a server says of tokens is its own affair: it is no panic of ours.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{`{"tokens":[1,2],"prompt":"Hello world"}`, `{"tokens":[1],"content":"Hello world"}`, `{"tokens":[-1,1e99]}`, `{"tokens":null}`, `[]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := NewServer(context.Background(), &http.Client{Transport: answered(b)}, "http://h/v1", "m", nil)
		if err != nil {
			return
		}
		if ids, err := s.Encode("x"); err == nil && len(ids) == 0 {
			t.Errorf("%q passed as a tokenizer and gives no tokens", b)
		}
	})
}
