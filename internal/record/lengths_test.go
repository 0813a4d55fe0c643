package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/inferometer/inferometer/internal/send/tokens"
	"github.com/inferometer/inferometer/internal/send/trace"
)

// plainServer streams three events as a server does whose client did not ask for usage. Texts are counted by words; a
// chat template adds five tokens, a beginning one. In llama.cpp's dialect messages become a text first.
type plainServer struct {
	dialect string // vLLM, llama.cpp; else it does not tokenize
	timings string // what the last event says, beside its finish reason
	asked   sync.Map
}

func (p *plainServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var body map[string]json.RawMessage
	data, _ := io.ReadAll(q.Body)
	_ = json.Unmarshal(data, &body)
	n, _ := p.asked.LoadOrStore(q.URL.Path, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	switch {
	case strings.HasSuffix(q.URL.Path, "completions"):
		p.stream(w, strings.Contains(q.URL.Path, "chat"))
	case p.dialect == "vLLM" && q.URL.Path == "/tokenize" && body["messages"] != nil:
		tokensOfText(w, template(body["messages"]), 0)
	case p.dialect == "vLLM" && q.URL.Path == "/tokenize" && body["prompt"] != nil:
		tokensOfText(w, text(body["prompt"]), special(body["add_special_tokens"]))
	case p.dialect == "llama.cpp" && q.URL.Path == "/apply-template":
		_ = json.NewEncoder(w).Encode(map[string]string{"prompt": strings.TrimPrefix(template(body["messages"]), "b ")})
	case p.dialect == "llama.cpp" && q.URL.Path == "/tokenize":
		tokensOfText(w, text(body["content"]), special(body["add_special"]))
	case p.dialect != "" && q.URL.Path == "/detokenize":
		_ = json.NewEncoder(w).Encode(map[string]string{"prompt": "Hello world"})
	default:
		http.NotFound(w, q)
	}
}

func (p *plainServer) stream(w http.ResponseWriter, chat bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	form := "data: {\"choices\":[{\"text\":\"a b c \"}]}\n\n"
	if chat {
		form = "data: {\"choices\":[{\"delta\":{\"content\":\"a b c \"}}]}\n\n"
	}
	fmt.Fprint(w, strings.Repeat(form, 3)+`data: {"choices":[{"index":0,"finish_reason":"stop"}]`+p.timings+"}\n\ndata: [DONE]\n\n")
}

func template(messages json.RawMessage) string {
	var list []struct{ Content string }
	_ = json.Unmarshal(messages, &list)
	all := "b <user>"
	for _, m := range list {
		all += " " + m.Content
	}
	return all + " </user> <assistant> ."
}

func special(raw json.RawMessage) int {
	if string(raw) == "true" {
		return 1
	}
	return 0
}

func tokensOfText(w http.ResponseWriter, text string, more int) {
	_ = json.NewEncoder(w).Encode(map[string]any{"tokens": make([]int32, len(strings.Fields(text))+more)})
}

// Clients that do not ask for usage: the lengths are found all the same, as well as the server can tell them.
func TestLengthsWithoutUsage(t *testing.T) {
	const (
		prompt = `{"model":"m","prompt":"one two three four","stream":true}`
		chat   = `{"model":"m","messages":[{"role":"user","content":"one two three four"}],"stream":true}`
		image  = `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://x/y.png"}}]}],"stream":true}`
	)
	for _, c := range []struct {
		name, dialect, timings, path, body string
		input, output                      int // 0: not known
		inputBy, outputBy                  string
	}{
		{"vLLM, completions", "vLLM", "", "/v1/completions", prompt, 5, 9, trace.ByServer, trace.ByServer},
		{"vLLM, chat", "vLLM", "", "/v1/chat/completions", chat, 9, 9, trace.ByServer, trace.ByServer},
		{"llama.cpp, chat", "llama.cpp", "", "/v1/chat/completions", chat, 9, 9, trace.ByServer, trace.ByServer},
		{"timings", "llama.cpp", `,"timings":{"cache_n":0,"prompt_n":7,"predicted_n":11}`, "/v1/chat/completions", chat, 7, 11, trace.ByTimings, trace.ByTimings},
		{"timings, most of the prompt cached", "", `,"timings":{"cache_n":900,"prompt_n":1,"predicted_n":11}`, "/v1/completions", prompt, 901, 11, trace.ByTimings, trace.ByTimings},
		{"older timings: what was cached is not told", "llama.cpp", `,"timings":{"prompt_n":1,"predicted_n":11}`, "/v1/completions", prompt, 5, 11, trace.ByServer, trace.ByTimings},
		{"an image is not fetched again", "vLLM", "", "/v1/chat/completions", image, 0, 9, "", trace.ByServer},
		{"nobody counts", "", "", "/v1/completions", prompt, 0, 3, "", trace.ByEvents},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &plainServer{dialect: c.dialect, timings: c.timings}
			s := httptest.NewServer(p)
			defer s.Close()
			r := start(t, s.URL, func(o *Options) { o.Counter = tokens.NewCounter(s.Client(), s.URL+"/v1", nil) })
			if _, _, err := post(t.Context(), r.url+c.path, c.body); err != nil {
				t.Fatal(err)
			}
			row := r.stop()[0]
			if number(row.Input) != c.input || number(row.Output) != c.output || row.InputBy != c.inputBy || row.OutputBy != c.outputBy {
				t.Errorf("%d by %q and %d by %q, want %d by %q and %d by %q", number(row.Input), row.InputBy, number(row.Output), row.OutputBy, c.input, c.inputBy, c.output, c.outputBy)
			}
			if (c.input > 0) != (len(row.IDs) > 0) {
				t.Errorf("%d blocks", len(row.IDs))
			}
			if n := r.Counts().Unknown; (n == 1) != (c.input == 0) {
				t.Errorf("%d of unknown length", n)
			}
			if n, ok := p.asked.Load("/tokenize"); ok && c.inputBy == trace.ByTimings && c.outputBy == trace.ByTimings {
				t.Errorf("asked %d times, and the answer had told", n.(*atomic.Int64).Load())
			}
		})
	}
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// gate is a counter that answers when it is let.
type gate struct {
	open     chan struct{}
	now, top atomic.Int64
}

func (g *gate) Prompt(ctx context.Context, _, _ string) (int, error) {
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for top := g.top.Load(); n > top && !g.top.CompareAndSwap(top, n); top = g.top.Load() {
	}
	select {
	case <-g.open:
		return 7, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (g *gate) Chat(context.Context, string, map[string]json.RawMessage) (int, error) {
	return 0, errors.New("no chat")
}

func (g *gate) Text(context.Context, string, string) (int, error) { return 3, nil }

// A server that is slow to count holds up no traffic; it is asked a few at once, and what it can't be asked stays unknown.
func TestSlowCounterHoldsUpNothing(t *testing.T) {
	s := httptest.NewServer(&plainServer{})
	defer s.Close()
	g, said := &gate{open: make(chan struct{})}, ""
	r := start(t, s.URL, func(o *Options) {
		o.Counter, o.Say = g, func(format string, args ...any) { said += fmt.Sprintf(format, args...) + "\n" }
	})
	const n = mostAsked + askersAtOnce + 50
	for i := range n {
		if status, _, err := post(t.Context(), r.url+"/v1/completions", fmt.Sprintf(`{"model":"m","prompt":"p%d"}`, i)); err != nil || status != 200 {
			t.Fatal(status, err)
		}
	}
	close(g.open)
	rows := r.stop()
	known := 0
	for _, row := range rows {
		if row.Input != nil {
			known++
		}
	}
	if len(rows) != n || known < mostAsked || known == n || g.top.Load() > askersAtOnce || int(r.Counts().Unknown) != n-known {
		t.Errorf("%d rows, %d with a length, at most %d asked at once, %+v", len(rows), known, g.top.Load(), r.Counts())
	}
	if strings.Count(said, "could not be asked") != 1 {
		t.Error(said)
	}
}

// The second Ctrl-C ends the questions too.
func TestQuestionsEndWithTheRecording(t *testing.T) {
	s := httptest.NewServer(&plainServer{})
	defer s.Close()
	r := start(t, s.URL, func(o *Options) { o.Counter = &gate{open: make(chan struct{})} })
	if _, _, err := post(t.Context(), r.url+"/v1/completions", `{"model":"m","prompt":"p"}`); err != nil {
		t.Fatal(err)
	}
	r.hurry()
	if rows := r.stop(); len(rows) != 1 || rows[0].Input != nil || number(rows[0].Output) != 3 {
		t.Errorf("%+v", rows)
	}
}
