package bucket

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A store that is busy is asked again, one that names another region in that region, and a
// refusal is final.
func TestAskedAgain(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, string(body))
		switch {
		case len(asked) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case !strings.Contains(r.Header.Get("Authorization"), "/eu-west-1/s3/"):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>")
		case r.URL.Path == "/b/no":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>a &amp; b</Message></Error>")
		default:
			w.Header().Set("ETag", "x")
		}
	}))
	defer server.Close()
	s := newStore(Account{Endpoint: server.URL}, strings.TrimPrefix(server.URL, "http://"), false, "b")
	a, err := s.do(t.Context(), http.MethodPut, "yes", nil, nil, strings.NewReader("content"))
	if err != nil || a.header.Get("ETag") != "x" || strings.Join(asked, " ") != "content content content" {
		t.Errorf("%v, %v, asked %q", a, err, asked)
	}
	asked = append(asked[:0], "before")
	var refused *refusal
	if _, err := s.do(t.Context(), http.MethodPut, "no", nil, nil, nil); !errors.As(err, &refused) || *refused != (refusal{403, "AccessDenied", "a & b"}) || len(asked) != 2 {
		t.Errorf("%v, asked %q", err, asked)
	}
}
