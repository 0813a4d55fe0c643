package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/target"
)

// Speculative decoding is that of all servers together; one without it adds nothing.
func TestSpecDecodeOfSeveralServers(t *testing.T) {
	scrape := func(drafts, tokens, accepted, first string) target.Metrics {
		return target.ParseMetrics([]byte("vllm:spec_decode_num_drafts_total " + drafts +
			"\nvllm:spec_decode_num_draft_tokens_total " + tokens + "\nvllm:spec_decode_num_accepted_tokens_total " + accepted +
			"\nvllm:spec_decode_num_accepted_tokens_per_pos_total{position=\"0\"} " + first + "\n"))
	}
	none := target.ParseMetrics([]byte("plain 7\n"))
	before := []target.Metrics{scrape("1", "2", "1", "1"), none, scrape("10", "20", "10", "5")}
	after := []target.Metrics{scrape("4", "8", "3", "2"), none, scrape("20", "40", "18", "9")}
	want := &journal.SpecDecode{Drafts: 13, DraftTokens: 26, Accepted: 10, PerPosition: []int64{5}}
	if diff := cmp.Diff(want, specDecode(before, after)); diff != "" {
		t.Error(diff)
	}
	if got := specDecode([]target.Metrics{none, nil}, []target.Metrics{none, nil}); got != nil {
		t.Errorf("counters out of nothing: %+v", got)
	}
}
