package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// echoAnswer asks a server for a prompt with its log-probabilities.
func echoAnswer(t *testing.T, cfg Config, prompt string, fields map[string]any) (text string, e echo) {
	t.Helper()
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body := map[string]any{"prompt": prompt, "max_tokens": 1, "echo": true, "logprobs": 1}
	for name, v := range fields {
		body[name] = v
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, dialect.PathCompletions, bytes.NewReader(raw)))
	var said struct {
		Choices []struct {
			Text     string
			Logprobs echo
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != http.StatusOK || len(said.Choices) != 1 {
		t.Fatalf("%v: %d %s", err, w.Code, w.Body)
	}
	return said.Choices[0].Text, said.Choices[0].Logprobs
}

// The lists are as vLLM's: of one length, the first null, offsets of characters, texts that
// are the answer's when put together.
func TestEcho(t *testing.T) {
	const prompt = "The naïve 東京 👩‍🚀 is\n\n there"
	text, e := echoAnswer(t, fast(), prompt, nil)
	n := len(e.Tokens)
	if n < 3 || len(e.Logprobs) != n || len(e.Top) != n || len(e.Offsets) != n {
		t.Fatalf("lists of %d, %d, %d and %d", n, len(e.Logprobs), len(e.Top), len(e.Offsets))
	}
	if joined := strings.Join(e.Tokens, ""); joined != text || !strings.HasPrefix(text, prompt) || text == prompt {
		t.Errorf("%q, the tokens %q", text, joined)
	}
	if e.Logprobs[0] != nil || e.Top[0] != nil {
		t.Errorf("the first token has %v, %v", e.Logprobs[0], e.Top[0])
	}
	at, best := 0, 0
	for i, token := range e.Tokens {
		if e.Offsets[i] != at {
			t.Errorf("token %d begins at %d, want %d", i, e.Offsets[i], at)
		}
		at += utf8.RuneCountInString(token)
		if i == 0 {
			continue
		}
		if v, ok := e.Top[i][token]; !ok || v != *e.Logprobs[i] || v > 0 {
			t.Errorf("token %d: %v, of the likeliest %v", i, *e.Logprobs[i], e.Top[i])
		}
		if len(e.Top[i]) == 1 {
			best++
		}
	}
	if best == 0 || best == n-1 {
		t.Errorf("%d of %d tokens are the likeliest", best, n-1)
	}
	// What two prompts have in common is equally likely.
	_, other := echoAnswer(t, fast(), prompt+" again", nil)
	for i := 1; i < n-1; i++ {
		if *other.Logprobs[i] != *e.Logprobs[i] {
			t.Errorf("token %d: %v, and %v before another end", i, *e.Logprobs[i], *other.Logprobs[i])
		}
	}
}

func TestEchoWithoutLogprobs(t *testing.T) {
	text, e := echoAnswer(t, fast(), "one two", map[string]any{"logprobs": nil})
	if !strings.HasPrefix(text, "one two") || len(e.Tokens) != 0 {
		t.Errorf("%q, %v", text, e)
	}
}

// Of the choices of a question that one has the highest sum which the answer key favours, however
// long it is.
func TestEchoFavours(t *testing.T) {
	const context, right = "What is it? It is", 3
	ends := []string{" a", " the long way home and back again", " the best of all that was said and done", " no"}
	var lines strings.Builder
	for i, end := range ends {
		fmt.Fprintf(&lines, `{"question":"q","prompt_sha256":"%s","choice":%d,"choices":4,"correct":%t}`+"\n", answers.Sum(context+end), i+1, i+1 == right)
	}
	key, err := answers.Read(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	before, err := vocab.NewWordTokenizer().Encode(context)
	if err != nil {
		t.Fatal(err)
	}
	for _, accuracy := range []float64{0, 1} {
		cfg := fast()
		cfg.Answers = &answers.Settings{Key: key, Accuracy: accuracy}
		likeliest, byByte, highest, perByte := 0, 0, math.Inf(-1), math.Inf(-1)
		for i, end := range ends {
			_, e := echoAnswer(t, cfg, context+end, nil)
			sum := 0.0
			for _, v := range e.Logprobs[len(before) : len(e.Logprobs)-1] {
				sum += *v
			}
			if sum > highest {
				likeliest, highest = i+1, sum
			}
			if each := sum / float64(len(end)); each > perByte {
				byByte, perByte = i+1, each
			}
		}
		if (likeliest == right) != (accuracy == 1) || byByte != likeliest {
			t.Errorf("accuracy %v: choice %d is the likeliest, and %d per byte", accuracy, likeliest, byByte)
		}
	}
}
