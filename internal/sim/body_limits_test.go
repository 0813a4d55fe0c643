package sim

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestManySmallValues: a body of millions of values is refused before anything is made of it.
func TestManySmallValues(t *testing.T) {
	s, err := New(fast(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	for _, c := range []struct{ path, before, item, after string }{
		{"/v1/chat/completions", `{"messages":[`, `[]`, `]}`},
		{"/v1/completions", `{"prompt":[`, `0`, `]}`},
		{"/v1/embeddings", `{"input":[`, `[]`, `]}`},
		{"/tokenize", `{"messages":[`, `{}`, `]}`},
		{"/v1/responses", `{"input":[`, `{}`, `]}`},
	} {
		body := c.before + c.item + strings.Repeat(","+c.item, 5<<20) + c.after
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer, err := web.Client().Post(web.URL+c.path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		runtime.ReadMemStats(&after)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), "more than 4194304 values") {
			t.Errorf("%s: %d %s", c.path, answer.StatusCode, said)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8*uint64(len(body)) { // to read it takes five
			t.Errorf("%s: %d MB of body took %d MB", c.path, len(body)>>20, took>>20)
		}
	}
}

func TestManyValues(t *testing.T) {
	many := strings.Repeat("0,", maxValues+1)
	for body, want := range map[string]bool{
		"[" + many + "0]":                  true,
		`{"a":"` + many + `"}`:             false,
		`{"a":"\\\"` + many + `"}`:         false,
		`{"a":"\\\\",` + many + `}`:        true,
		strings.Repeat("[", maxValues+1):   true,
		strings.Repeat(`"x`, 100):          false,
		`{"a":"` + strings.Repeat("\\", 9): false,
		"":                                 false,
	} {
		if manyValues([]byte(body)) != want {
			t.Errorf("%.20q: %v", body, !want)
		}
	}
}
