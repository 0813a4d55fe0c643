package startup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Again is how a server that is up became useful again: one sleep and wake-up, or one adapter that was loaded.
type Again struct {
	Down  time.Duration // to fall asleep, or to unload the adapter
	Up    time.Duration // the call that wakes it, or loads the adapter
	Asked time.Duration // until our request was sent: our own time
	First time.Duration // until its first token
}

// Whole is from the call to the first token.
func (a *Again) Whole() time.Duration { return a.Up + a.Asked + a.First }

// Wake puts a server to sleep and wakes it. The paths are vLLM's, which has them with VLLM_SERVER_DEV_MODE=1.
func Wake(ctx context.Context, c *Config, up *Server, level int) (*Again, error) {
	return again(ctx, c, up,
		func(ctx context.Context) error { return up.target.Post(ctx, "/sleep?level="+strconv.Itoa(level)) },
		func(ctx context.Context) error { return up.target.Post(ctx, "/wake_up") })
}

// Load loads an adapter and asks it; then it is unloaded. The paths are vLLM's, or SGLang's where it has none of those.
func Load(ctx context.Context, c *Config, up *Server, name, path string) (*Again, error) {
	prefix := "/v1"
	post := func(ctx context.Context, word string, body map[string]string) error {
		err := up.target.PostJSON(ctx, prefix+word, body)
		if prefix != "" && notFound(err) {
			prefix = ""
			err = up.target.PostJSON(ctx, word, body)
		}
		return err
	}
	a, err := again(ctx, c, up, nil, func(ctx context.Context) error {
		return post(ctx, "/load_lora_adapter", map[string]string{"lora_name": name, "lora_path": path})
	})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := post(ctx, "/unload_lora_adapter", map[string]string{"lora_name": name}); err != nil {
		return nil, fmt.Errorf("unload the adapter: %w", err)
	}
	a.Down = time.Since(began)
	return a, nil
}

func again(ctx context.Context, c *Config, up *Server, down, wake func(context.Context) error) (*Again, error) {
	a := &Again{}
	began := time.Now()
	if down != nil {
		if err := down(ctx); err != nil {
			return nil, hinted(err)
		}
		a.Down = time.Since(began)
	}
	began = time.Now()
	if err := wake(ctx); err != nil {
		return nil, hinted(err)
	}
	a.Up = time.Since(began)
	woken := time.Now()
	err := c.Ask(ctx, up.URL, func(answer Answer) bool {
		a.Asked, a.First = answer.Sent.Sub(woken), answer.First
		return false
	})
	return a, err
}

// hinted says what such a path needs.
func hinted(err error) error {
	if notFound(err) {
		return fmt.Errorf("%w (vLLM has this path with VLLM_SERVER_DEV_MODE=1, and adapters with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1)", err)
	}
	return err
}

func notFound(err error) bool {
	var status *target.StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}
