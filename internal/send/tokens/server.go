package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// Server is the tokenizer of the server under test. Each call is a request, so it serves to make a
// workload before the measurement, never during it.
type Server struct {
	ctx     context.Context // of the run: Encode and Decode take none
	client  *http.Client
	base    string
	model   string
	header  http.Header
	dialect dialect
}

// dialect is how a server names the two endpoints' fields.
type dialect struct {
	name       string
	tokenize   func(model, text string) any
	detokenize func(model string, ids []int32) any
	prompt     func(model, text string) any // as tokenize, with special tokens
	template   bool                         // messages become a text first, by /apply-template; else /tokenize takes them
	// single: a connection for each question. llama.cpp has a few threads for all connections, and an idle one that is
	// kept holds a thread for seconds: the questions of others, and the load, would wait.
	single bool
}

// named is a question about a model; without its name it is about the one that is served.
func named(model string, question map[string]any) map[string]any {
	if model != "" {
		question["model"] = model
	}
	return question
}

// dialects in the order in which they are tried. llama.cpp answers the question of vLLM with an empty
// list, not with an error; vLLM refuses the question of llama.cpp.
var dialects = []dialect{
	{
		name: "vLLM",
		tokenize: func(model, text string) any {
			return named(model, map[string]any{"prompt": text, "add_special_tokens": false})
		},
		detokenize: func(model string, ids []int32) any { return named(model, map[string]any{"tokens": ids}) },
		prompt: func(model, text string) any {
			return named(model, map[string]any{"prompt": text, "add_special_tokens": true})
		},
	},
	{
		name:       "llama.cpp",
		tokenize:   func(_, text string) any { return map[string]any{"content": text, "add_special": false} },
		detokenize: func(_ string, ids []int32) any { return map[string]any{"tokens": ids} },
		prompt:     func(_, text string) any { return map[string]any{"content": text, "add_special": true} },
		template:   true,
		single:     true,
	},
}

// probeTimeout bounds what it may take to find out how a server tokenizes: its questions are about two words.
const probeTimeout = 10 * time.Second

// NewServer finds out how the server at base speaks /tokenize and /detokenize. The headers go with each
// request. The error says what the server answered, if it has no such endpoints.
func NewServer(ctx context.Context, client *http.Client, base, model string, header http.Header) (*Server, error) {
	asking := *client
	asking.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the key would go along
	probing, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	s := &Server{ctx: probing, client: &asking, base: serverRoot(base), model: model, header: header.Clone()}
	var failures []error
	for _, d := range dialects {
		s.dialect = d
		err := s.probe()
		if err == nil {
			s.ctx = ctx
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		failures = append(failures, fmt.Errorf("as %s: %w", d.name, err))
	}
	return nil, fmt.Errorf("the server does not tokenize; give a tokenizer.json (--tokenizer), or go without (--skip-tokenizer-init): %w", errors.Join(failures...))
}

// serverRoot: the endpoints lie beside /v1, not under it.
func serverRoot(base string) string {
	return strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1")
}

func (s *Server) probe() error {
	const text = "Hello world"
	ids, err := s.Encode(text)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return errors.New("no tokens for a text")
	}
	back, err := s.Decode(ids)
	if err == nil && strings.TrimSpace(back) != text { // some vocabularies put a space before the first word
		err = fmt.Errorf("%q came back as %q", text, back)
	}
	return err
}

// Encode asks for the tokens of text.
func (s *Server) Encode(text string) ([]int32, error) {
	var answer struct {
		Tokens []int32 `json:"tokens"`
	}
	err := s.ask("/tokenize", s.dialect.tokenize(s.model, text), &answer)
	return answer.Tokens, err
}

// Decode asks for the text of tokens.
func (s *Server) Decode(ids []int32) (string, error) {
	if ids == nil {
		ids = []int32{} // null is no list
	}
	var answer struct {
		Prompt  *string `json:"prompt"`  // vLLM
		Content *string `json:"content"` // llama.cpp
	}
	if err := s.ask("/detokenize", s.dialect.detokenize(s.model, ids), &answer); err != nil {
		return "", err
	}
	switch {
	case answer.Prompt != nil:
		return *answer.Prompt, nil
	case answer.Content != nil:
		return *answer.Content, nil
	}
	return "", errors.New("/detokenize: the answer holds no text")
}

func (s *Server) ask(path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if s.header != nil {
		req.Header = s.header.Clone()
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = s.dialect.single
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		words, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		secrets := outside.NewSecrets(outside.HeaderSecrets(s.header)...)
		return &refusal{path, resp.StatusCode, secrets.Word(string(words))}
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxServerAnswer+1)) // to its end, so that the connection is used again
	if err == nil && len(b) > maxServerAnswer {
		err = fmt.Errorf("the answer is longer than %d MiB", maxServerAnswer>>20)
	}
	if err == nil {
		err = json.Unmarshal(b, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// refusal is an answer other than 200.
type refusal struct {
	path   string
	status int
	words  string
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: HTTP %d: %s", r.path, r.status, r.words) }

// busy says that the server may answer later, as llama.cpp while it loads its model.
func (r *refusal) busy() bool {
	return r.status >= 500 && r.status != http.StatusNotImplemented || r.status == http.StatusTooManyRequests
}

// maxServerAnswer bounds an answer: the ids of a prompt of two million tokens, with
// their texts beside them as vLLM may give them.
const maxServerAnswer = 32 << 20
