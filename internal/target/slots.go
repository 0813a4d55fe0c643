package target

import (
	"context"
	"encoding/json"
)

// Slots asks a llama.cpp server how many requests it works on at a time and how many
// tokens each may have; 0 where the server does not say.
func (t *Target) Slots(ctx context.Context) (slots, maxLen int) {
	var props struct {
		TotalSlots int `json:"total_slots"`
		Settings   struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	b, err := t.get(ctx, "/props")
	if err != nil || json.Unmarshal(b, &props) != nil {
		return 0, 0
	}
	return plausible(props.TotalSlots), plausible(props.Settings.Context)
}

// plausible is a count that a server can mean; 0 in place of any other.
func plausible(n int) int {
	const most = 1 << 24 // beyond the longest context
	if n < 0 || n > most {
		return 0
	}
	return n
}
