package bench

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"time"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// client is for questions beside the load: models, metrics, tokenize.
func (r *Run) client() *http.Client {
	return &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:           r.wire.Proxy,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: r.Insecure}, //nolint:gosec // the user's --insecure
			IdleConnTimeout: 10 * time.Second,
		},
	}
}

// extraFields are what the flags add to each body, in vLLM's order: sampling
// first, --extra-body over all.
func (r *Run) extraFields() []wire.Field {
	var fields []wire.Field
	number := func(name string, v *float64) {
		if v != nil {
			fields = append(fields, wire.Field{Name: name, Value: json.RawMessage(pyjson.Float(*v))})
		}
	}
	number("top_p", r.TopP)
	if r.TopK != nil {
		b, _ := json.Marshal(*r.TopK) // an int always marshals
		fields = append(fields, wire.Field{Name: "top_k", Value: b})
	}
	number("min_p", r.MinP)
	number("temperature", r.Temperature)
	number("frequency_penalty", r.FrequencyPenalty)
	number("presence_penalty", r.PresencePenalty)
	number("repetition_penalty", r.RepetitionPenalty)
	if r.ContinuousUsage {
		fields = append(fields, wire.Field{Name: "stream_options", Value: json.RawMessage(`{"include_usage": true, "continuous_usage_stats": true}`)})
	}
	return append(fields, objectFields(r.wire.extra)...)
}
