package target

import (
	"context"
	"encoding/json"
)

// llamaProps is what llama.cpp's server says at /props, as far as we read it.
type llamaProps struct {
	ModelPath string `json:"model_path"`
	Slots     int    `json:"total_slots"`
	Settings  struct {
		Context int `json:"n_ctx"`
	} `json:"default_generation_settings"`
}

// props asks for them; ok is false where the server has none.
func (t *Target) props(ctx context.Context) (p llamaProps, ok bool) {
	b, err := t.get(ctx, "/props")
	if err != nil || json.Unmarshal(b, &p) != nil {
		return llamaProps{}, false
	}
	return p, true
}

// Slots asks a llama.cpp server how many requests it works on at a time and how many
// tokens each may have; 0 where the server does not say.
func (t *Target) Slots(ctx context.Context) (slots, maxLen int) {
	p, _ := t.props(ctx)
	return plausible(p.Slots), plausible(p.Settings.Context)
}

// plausible is a count that a server can mean; 0 in place of any other.
func plausible(n int) int {
	const most = 1 << 24 // beyond the longest context
	if n < 0 || n > most {
		return 0
	}
	return n
}
