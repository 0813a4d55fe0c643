package foreign

import "encoding/json"

// notMetadata are the keys of vLLM's that hold text and are no --metadata.
var notMetadata = map[string]bool{
	"date": true, "endpoint_type": true, "backend": true, "label": true, "model_id": true, "tokenizer_id": true,
	"request_rate": true, "burstiness": true, "ramp_up_strategy": true,
}

// metadataOf is what the user has said about a run with --metadata KEY=VALUE: vLLM
// writes it as keys of its own, always as text. Nil where there is none.
func metadataOf(o object) map[string]string {
	var out map[string]string
	for key, raw := range o.top {
		var text string
		if notMetadata[key] || len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[key] = text
	}
	return out
}
