package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vLLM until 0.8 (engine V0) counts no drafts; its figures are those of a note of 2024.
func TestSpecDecodeOfOldVLLM(t *testing.T) {
	const before = `
vllm:spec_decode_draft_acceptance_rate{model_name="m"} 0.0
vllm:spec_decode_efficiency{model_name="m"} 0.0
vllm:spec_decode_num_accepted_tokens_total{model_name="m"} 0.0
vllm:spec_decode_num_draft_tokens_total{model_name="m"} 0.0
vllm:spec_decode_num_emitted_tokens_total{model_name="m"} 0.0
`
	const after = `
vllm:spec_decode_draft_acceptance_rate{model_name="m"} 0.79669
vllm:spec_decode_efficiency{model_name="m"} 0.63983
vllm:spec_decode_num_accepted_tokens_total{model_name="m"} 197711.0
vllm:spec_decode_num_draft_tokens_total{model_name="m"} 248165.0
vllm:spec_decode_num_emitted_tokens_total{model_name="m"} 190541.0
`
	a, ok := ParseMetrics([]byte(before)).SpecDecode()
	b, ok2 := ParseMetrics([]byte(after)).SpecDecode()
	if !ok || !ok2 {
		t.Fatal("the counters are there, without drafts")
	}
	want := SpecDecode{Drafts: 49633, DraftTokens: 248165, Accepted: 197711, Emitted: 190541} // five tokens per draft
	if diff := cmp.Diff(want, b.Since(a)); diff != "" {
		t.Error(diff)
	}
}

func TestSpecDecodeNames(t *testing.T) {
	tests := []struct {
		name, text string
		ok         bool
		want       SpecDecode
	}{
		{"llama.cpp", "llamacpp:spec_decode_num_draft_tokens_total 8\nllamacpp:spec_decode_num_accepted_tokens_total 6\nllamacpp:spec_decode_num_drafts_total 2\n", true, SpecDecode{Drafts: 2, DraftTokens: 8, Accepted: 6}},
		{"no efficiency", "vllm:spec_decode_num_draft_tokens_total 8\nvllm:spec_decode_num_accepted_tokens_total 6\n", true, SpecDecode{DraftTokens: 8, Accepted: 6}},
		{"an efficiency that can't be", "vllm:spec_decode_num_draft_tokens_total 8\nvllm:spec_decode_num_accepted_tokens_total 6\nvllm:spec_decode_num_emitted_tokens_total 5\nvllm:spec_decode_efficiency 7\n", true, SpecDecode{DraftTokens: 8, Accepted: 6, Emitted: 5}},
		{"no numbers", "vllm:spec_decode_num_draft_tokens_total NaN\nvllm:spec_decode_num_accepted_tokens_total -3\nvllm:spec_decode_num_drafts_total +Inf\n", true, SpecDecode{}},
		{"none", "vllm:num_requests_running 1\n", false, SpecDecode{}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, ok := ParseMetrics([]byte(c.text)).SpecDecode()
			if c.name == "no numbers" && !ok { // non-finite values may be dropped by the reader
				return
			}
			if ok != c.ok {
				t.Fatalf("ok = %v", ok)
			}
			if diff := cmp.Diff(c.want, got.Since(SpecDecode{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
