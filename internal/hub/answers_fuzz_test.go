package hub

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// The hub's answers to a search are names of repositories, or nothing; what Retry-After asks for is no time in the past.
func FuzzSearch(f *testing.F) {
	f.Add([]byte(`[{"id":"org/tiny"},{"id":"../../etc"},{"id":""}]`), "3")
	f.Add([]byte(`{}`), "Wed, 21 Oct 2015 07:28:00 GMT")
	f.Add([]byte(``), "-1")
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	f.Cleanup(server.Close)
	f.Fuzz(func(t *testing.T, b []byte, after string) {
		body = b
		s := (&Client{Endpoint: server.URL, CacheDir: t.TempDir()}).session()
		defer s.Close()
		for _, name := range s.search(t.Context(), Model, "search", "tiny") {
			if !IsRepo(name) {
				t.Errorf("%q is no repository", name)
			}
		}
		if d, ok := retryAfter(http.Header{"Retry-After": {after}}, time.Unix(1e9, 0)); ok && d < 0 {
			t.Errorf("%q: wait %v", after, d)
		}
	})
}
