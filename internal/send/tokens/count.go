package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
)

// Counter asks a server how long prompts and answers are, for who looks at its traffic. The server need not be there
// when it is made.
type Counter struct {
	client *http.Client
	base   string
	header http.Header

	mu     sync.Mutex
	server *Server // nil: not found yet
	none   error   // not nil: it answered, and does not tokenize
}

// NewCounter asks the server at base; the headers go with each request.
func NewCounter(client *http.Client, base string, header http.Header) *Counter {
	return &Counter{client: client, base: base, header: header}
}

// Find is how the server speaks /tokenize. One that is not up yet is asked again the next time.
func (c *Counter) Find(ctx context.Context) (dialect string, err error) {
	s, err := c.found(ctx)
	if err != nil {
		return "", err
	}
	return s.dialect.name, nil
}

// Why a server does not count: nobody knows yet whether it can, it wants a key, or it can't.
var (
	ErrNotYet = errors.New("it can't be asked yet")
	ErrKey    = errors.New("its /tokenize wants a key; give it in the variable OPENAI_API_KEY")
	ErrNone   = errors.New("it has no /tokenize")
)

func (c *Counter) found(ctx context.Context) (*Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == nil && c.none == nil {
		s, err := NewServer(ctx, c.client, c.base, "", c.header)
		var unreachable *url.Error
		var refused *refusal
		switch {
		case err == nil:
			c.server = s
		case ctx.Err() != nil || errors.As(err, &unreachable) || errors.As(err, &refused) && refused.busy():
			return nil, ErrNotYet
		case refused != nil && (refused.status == http.StatusUnauthorized || refused.status == http.StatusForbidden):
			c.none = ErrKey
		default:
			c.none = ErrNone
		}
	}
	if c.none != nil {
		return nil, c.none
	}
	s := *c.server
	s.ctx = ctx
	return &s, nil
}

// Prompt counts a prompt as the server does before it generates: with the special tokens.
func (c *Counter) Prompt(ctx context.Context, model, text string) (int, error) {
	s, err := c.found(ctx)
	if err != nil {
		return 0, err
	}
	return s.count(s.dialect.prompt(model, text))
}

// Text counts the text of an answer.
func (c *Counter) Text(ctx context.Context, model, text string) (int, error) {
	s, err := c.found(ctx)
	if err != nil {
		return 0, err
	}
	return s.count(s.dialect.tokenize(model, text))
}

// ChatFields are the fields of a chat request that its template reads.
var ChatFields = []string{"messages", "tools", "chat_template_kwargs", "add_generation_prompt", "continue_final_message"}

// Chat counts the prompt that the server's chat template makes of ChatFields.
func (c *Counter) Chat(ctx context.Context, model string, fields map[string]json.RawMessage) (int, error) {
	s, err := c.found(ctx)
	if err != nil {
		return 0, err
	}
	question := map[string]any{}
	for _, name := range ChatFields {
		if v := fields[name]; len(v) > 0 {
			question[name] = v
		}
	}
	if !s.dialect.template {
		return s.count(named(model, question))
	}
	var answer struct {
		Prompt string `json:"prompt"`
	}
	if err := s.ask("/apply-template", question, &answer); err != nil {
		return 0, err
	}
	return s.count(s.dialect.prompt(model, answer.Prompt))
}

// count is how many tokens an answer lists.
func (s *Server) count(question any) (int, error) {
	var answer struct {
		Tokens []int32 `json:"tokens"`
	}
	if err := s.ask("/tokenize", question, &answer); err != nil {
		return 0, err
	}
	if len(answer.Tokens) == 0 {
		return 0, errors.New("/tokenize: no tokens for a text")
	}
	return len(answer.Tokens), nil
}
