package target

import (
	"context"
	"net/http"
)

// Profile starts or stops the server's own profiler, as vLLM's client does: an empty POST to /start_profile or
// /stop_profile, beside /v1.
func (t *Target) Profile(ctx context.Context, path string) error {
	req, err := t.request(ctx, http.MethodPost, path, http.NoBody)
	if err != nil {
		return err
	}
	_, err = t.do(req, path)
	return err
}
