package target

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
)

// Startup is how long a server took to be of use, from the moment at which its
// process was started.
type Startup struct {
	Healthy     time.Duration // its health check said yes
	FirstAnswer time.Duration // it had answered one real request
}

// Ready waits until the server is healthy and has answered one real request, which
// first sends. It gives up when the context ends or the server does. healthy and
// first are tried again until they return nil.
func (p *Process) Ready(ctx context.Context, healthy, first func(context.Context) error) (Startup, error) {
	var s Startup
	if err := p.until(ctx, healthy); err != nil {
		return s, fmt.Errorf("wait until the server is healthy: %w", err)
	}
	s.Healthy = time.Since(p.started)
	if err := p.until(ctx, first); err != nil {
		return s, fmt.Errorf("wait for the server's first answer: %w", err)
	}
	s.FirstAnswer = time.Since(p.started)
	return s, nil
}

// The pause between two tries is the error of a start-up time: a fiftieth of it. A
// server that loads for minutes is not asked fifty times a second.
const (
	readyEvery   = 20 * time.Millisecond
	readyAtMost  = time.Second
	readyShareOf = 50
)

func (p *Process) until(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var last error // of a try that we did not cut off ourselves, if there was one
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		pause := min(max(time.Since(p.started)/readyShareOf, readyEvery), readyAtMost)
		select {
		case <-p.exited:
			return p.Ended()
		case <-ctx.Done():
			return fmt.Errorf("%w; the last try: %w%s", context.Cause(ctx), last, p.logHint())
		case <-time.After(pause):
		}
	}
}

// Healthy asks a path such as /health, which must answer 200.
func (t *Target) Healthy(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	_, err := t.get(ctx, path)
	return err
}

// healthTimeout bounds one try: a server that is starting may accept and say nothing.
const healthTimeout = 5 * time.Second

// Ask sends one small request, for a single token or a vector, to the protocol that the
// endpoint's name tells, and wants a 200 that is JSON. An empty model is the first that
// the server lists.
func (t *Target) Ask(ctx context.Context, endpoint, model string) error {
	if model == "" {
		models, err := t.Models(ctx)
		if err != nil {
			return err
		}
		if len(models) == 0 {
			return errors.New("the server lists no model")
		}
		model = models[0].ID
	}
	body := map[string]any{"model": model, "max_tokens": 1, "temperature": 0}
	switch {
	case strings.HasSuffix(endpoint, "chat/completions"):
		body["messages"] = []map[string]string{{"role": "user", "content": "Hello"}}
	case strings.HasSuffix(endpoint, "completions"):
		body["prompt"] = "Hello"
	case strings.HasSuffix(endpoint, "rerank"):
		body = map[string]any{"model": model, "query": "Hello", "documents": []string{"Hello"}}
	case strings.HasSuffix(endpoint, "embeddings"), strings.HasSuffix(endpoint, "pooling"):
		body = map[string]any{"model": model, "input": "Hello"}
	default:
		return nil // it would need a file
	}
	b, err := t.post(ctx, endpoint, body)
	if err != nil {
		return err
	}
	if !json.Valid(b) {
		return fmt.Errorf("%s%s answered %q, which is not JSON", t.Base, endpoint, t.secrets().Word(string(b)))
	}
	return nil
}

// Post sends an empty POST, as for /reset_prefix_cache, and wants a 2xx.
func (t *Target) Post(ctx context.Context, path string) error {
	return t.PostJSON(ctx, path, nil)
}

// PostJSON sends a JSON object, as for /v1/load_lora_adapter, or nothing if it is nil, and wants a 2xx.
func (t *Target) PostJSON(ctx context.Context, path string, body any) error {
	_, err := t.post(ctx, path, body)
	return err
}

func (t *Target) post(ctx context.Context, path string, body any) ([]byte, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	req, err := t.request(ctx, http.MethodPost, path, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return t.do(req, path)
}

// Text asks a path and gives what it answers, on one line: for a version.
func (t *Target) Text(ctx context.Context, path string) (string, error) {
	b, err := t.get(ctx, path)
	return t.secrets().Word(string(b)), err
}
