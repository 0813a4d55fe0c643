package bench

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/spec"
)

// extraFields are what the flags add to each body, in vLLM's order: sampling
// first, --extra-body over all.
func (r *Run) extraFields() []protocol.Field {
	fields := r.Sampling()
	if r.ContinuousUsage {
		fields = append(fields, protocol.Field{Name: "stream_options", Value: json.RawMessage(`{"include_usage": true, "continuous_usage_stats": true}`)})
	}
	return append(fields, spec.ObjectFields(r.wire.Extra)...)
}
