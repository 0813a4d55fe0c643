package foreign

import (
	"maps"
	"testing"
)

func TestMetadata(t *testing.T) {
	runs, err := Read("r.json", []byte(`{"date": "20260101-000000", "backend": "vllm", "label": null, "model_id": "m", "request_rate": "inf",
		"request_throughput": 1.0, "completed": 1, "errors": ["x"], "commit": "abc", "gpu": "h100"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := runs[0].Metadata, map[string]string{"commit": "abc", "gpu": "h100"}; !maps.Equal(got, want) {
		t.Errorf("metadata %v, want %v", got, want)
	}
}
