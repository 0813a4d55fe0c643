package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/target"
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

// One value that is no number is no reason to lose a run: it is left out, by name.
func TestCountersThatAreNoNumbers(t *testing.T) {
	m := target.ParseMetrics([]byte("good_total 3\ngood_total{a=\"b\"} NaN\nbad_total NaN\nworse_sum +Inf\nless_count -Inf\nhuge_total 1e300\n" +
		"gauge NaN\nvllm:spec_decode_num_drafts_total NaN\nvllm:num_requests_running NaN\n"))
	sums, dropped := sumUp(m, (*target.Metric).Counts)
	if diff := cmp.Diff(map[string]float64{"good_total": 3}, sums); diff != "" {
		t.Error(diff)
	}
	want := []string{"good_total", "bad_total", "worse_sum", "less_count", "huge_total", "vllm:spec_decode_num_drafts_total"}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	if s, ok := m.SpecDecode(); ok {
		t.Errorf("%+v out of NaN", s)
	}
	if got := (&Scrape{names: serving.NewTable()}).overTime(m); len(got) != 0 {
		t.Errorf("drawn: %v", got)
	}
}
