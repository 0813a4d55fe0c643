package sim

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// longBody is a chat of so many words, a token each, in messages of a thousand.
func longBody(words int) string {
	var b strings.Builder
	b.WriteString(`{"stream":true,"stream_options":{"include_usage":true},"max_tokens":1,"messages":[`)
	list := vocab.Words()[:200]
	for i := 0; i < words; i += 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"role":"%s","content":"`, []string{"user", "assistant"}[i/1000%2])
		for j := range min(1000, words-i) {
			b.WriteString(list[(i/1000*7+j*j)%len(list)])
		}
		b.WriteString(`"}`)
	}
	b.WriteString(`]}`)
	return b.String()
}

// BenchmarkLongPrompt is what the prompt of an agent costs the simulator: 256 k tokens, read and counted.
func BenchmarkLongPrompt(b *testing.B) {
	body := []byte(longBody(256 << 10))
	t := vocab.NewWordTokenizer()
	r := httptest.NewRequest(http.MethodPost, dialect.PathChat, nil)
	d := dialect.Of(dialect.PathChat)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Read(&dialect.Model{Tokenizer: t}, r, body); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLongPrompts: a prompt of a million tokens is served, the second time out of the cache; one that is too long for
// the model is refused in vLLM's words, and the truth has its length.
func TestLongPrompts(t *testing.T) {
	cfg := fast()
	cfg.CountPrefixes, cfg.Batch.NumBlocks, cfg.MaxModelLen = true, 0, 1<<20
	virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
		ask := func(id string, words int) (int, string) {
			resp, err := r.post(dialect.PathChat, id, longBody(words))
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, drain(t, resp)
		}
		_, first := ask("first", 1_000_000)
		_, second := ask("second", 1_000_000)
		if status, text := ask("longer", 1_100_000); status != http.StatusBadRequest || !strings.Contains(text, "maximum context length is 1048576 tokens") {
			t.Errorf("%d %s", status, text)
		}
		truth := r.truth()
		n := truth["first"].PromptTokens
		whole := (n - 1) / 16 * 16
		if n < 1_000_000 || truth["first"].CachedTokens != 0 || truth["second"].CachedTokens != whole {
			t.Errorf("of %d tokens %d and then %d were found", n, truth["first"].CachedTokens, truth["second"].CachedTokens)
		}
		if !strings.Contains(first, `"cached_tokens":0}`) || !strings.Contains(second, fmt.Sprintf(`"cached_tokens":%d}`, whole)) {
			t.Errorf("%.1000s\n%.1000s", first, second)
		}
		if longer := truth["longer"]; longer.Status != http.StatusBadRequest || longer.PromptTokens < 1_100_000 {
			t.Errorf("%+v", longer)
		}
	})
}

// TestSession: the truth says whose request it was.
func TestSession(t *testing.T) {
	virtual(t, fast(), func(t *testing.T, r *running, _ *memnet.Network) {
		want := map[string]string{"": "", "X-Session-ID": "a", "X-Correlation-ID": "b", "X-Dynamo-Session-ID": strings.Repeat("c", 256)}
		for header, session := range want {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+dialect.PathCompletions, strings.NewReader(`{"prompt":"hello","max_tokens":1}`))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("X-Request-Id", "of "+header)
			if len(session) == 256 {
				session += "and more"
			}
			if header != "" {
				q.Header.Set(header, session)
			}
			resp, err := r.client.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			drain(t, resp)
		}
		for _, rec := range r.truth() {
			if session := want[strings.TrimPrefix(rec.ID, "of ")]; rec.Session != session {
				t.Errorf("%s: %q, not %q", rec.ID, rec.Session, session)
			}
		}
	})
}
