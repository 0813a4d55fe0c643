// Package target is where the load goes: it asks a server what it is and what
// it counts, of several servers it chooses one for each request, and it starts and
// ends servers of our own. It sends no load: its only inference request is the one
// that shows that a server has come up.
package target

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Target is a server by its base URL.
type Target struct {
	Base   string
	Header http.Header
	Client *http.Client
	Kind   string // a name of the table of quirks; empty: its list of models is asked where it matters
}

// At is the server at an address. A login in the address goes to the header, so that
// no error shows it.
func At(address string, header http.Header, client *http.Client) *Target {
	t := &Target{Base: address, Header: header.Clone(), Client: client}
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return t
	}
	password, _ := u.User.Password()
	if t.Header == nil {
		t.Header = http.Header{}
	}
	(&http.Request{Header: t.Header}).SetBasicAuth(u.User.Username(), password)
	u.User = nil
	t.Base = u.String()
	return t
}

// Model is an entry of /v1/models.
type Model struct {
	ID          string `json:"id"`   // the name that requests carry
	Root        string `json:"root"` // what it was loaded from, where the server says
	MaxModelLen int    `json:"max_model_len"`
	OwnedBy     string `json:"owned_by"`
	Meta        Meta   `json:"meta"`
}

// Meta is what llama.cpp tells of a model; zeros elsewhere.
type Meta struct {
	Params     int64 `json:"n_params"`
	Bytes      int64 `json:"size"`
	Vocabulary int   `json:"n_vocab"`
	NCtx       int   `json:"n_ctx"`
}

// Context is the most tokens of prompt and answer together, 0 where it is not told.
func (m *Model) Context() int { return max(m.MaxModelLen, m.Meta.NCtx) }

// Models lists what the server serves.
func (t *Target) Models(ctx context.Context) ([]Model, error) {
	b, err := t.get(ctx, "/v1/models")
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []Model `json:"data"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s/v1/models: %w", t.Base, err)
	}
	s := t.secrets()
	for i := range list.Data {
		m := &list.Data[i]
		m.ID, m.Root, m.OwnedBy = s.Sentence(m.ID), s.Sentence(m.Root), s.Word(m.OwnedBy)
	}
	return list.Data, nil
}

// Metrics reads the server's counters. Where they are depends on its kind: what TensorRT-LLM
// has at the usual path is gone once it was read.
func (t *Target) Metrics(ctx context.Context) (Metrics, error) {
	if t.Kind == "" {
		if models, err := t.Models(ctx); err == nil {
			t.Kind = KindOfModels(models)
		}
	}
	b, err := t.get(ctx, MetricsPath(t.Kind))
	if err != nil {
		return nil, err
	}
	return ParseMetrics(b), nil
}

func (t *Target) get(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, questionTimeout, errSlow)
	defer cancel()
	req, err := t.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return t.do(req, path)
}

func (t *Target) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(t.Base, "/")+path, body)
	if err != nil {
		return nil, err
	}
	req.Header = t.Header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	return req, nil
}

// do gives the answer's body; a status that is no success is an error.
func (t *Target) do(req *http.Request, path string) ([]byte, error) {
	a, err := t.fetch(req)
	switch {
	case err != nil && a == nil:
		return nil, slowWords(req.Context(), err)
	case err != nil:
		return nil, fmt.Errorf("%s%s: %w", t.Base, path, slowWords(req.Context(), err))
	case a.status/100 == 3:
		return nil, fmt.Errorf("%s%s answered HTTP %d, a redirect to %s: redirects are not followed, since the key would go with them",
			t.Base, path, a.status, t.secrets().Word(a.header.Get("Location")))
	case a.status/100 != 2:
		return nil, &StatusError{URL: t.Base + path, Code: a.status, Words: t.secrets().Word(string(a.body))}
	case len(a.body) > maxAnswer:
		return nil, fmt.Errorf("%s%s: the answer is longer than %d MiB", t.Base, path, maxAnswer>>20)
	}
	return a.body, nil
}

// answer is what a server answered, whatever its status.
type answer struct {
	status int
	header http.Header
	body   []byte // up to one byte more than maxAnswer
}

// fetch sends a request. With an error there may be the beginning of an answer.
func (t *Target) fetch(req *http.Request) (*answer, error) {
	client := *t.Client
	client.CheckRedirect = noRedirect
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	return &answer{resp.StatusCode, resp.Header, b}, err
}

// secrets are what the server knows of us and may repeat.
func (t *Target) secrets() *outside.Secrets {
	return outside.NewSecrets(outside.HeaderSecrets(t.Header)...)
}

// StatusError is an answer that is no success.
type StatusError struct {
	URL   string
	Code  int
	Words string // of the server, on one line
}

func (e *StatusError) Error() string {
	if e.Words == "" {
		return fmt.Sprintf("%s answered HTTP %d", e.URL, e.Code)
	}
	return fmt.Sprintf("%s answered HTTP %d: %s", e.URL, e.Code, e.Words)
}
