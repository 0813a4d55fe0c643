package explain

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// TestHostile: whatever a server says of itself, and whatever stands in a journal that somebody edited, the
// answer is one of ours, can be written as JSON, and carries no escape sequence.
func TestHostile(t *testing.T) {
	values := []float64{0, -1, 1, 0.5, 1e18, -1e18, math.MaxFloat64, math.SmallestNonzeroFloat64, 3, 100}
	names := []string{
		"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc", "vllm:num_preemptions_total", "vllm:request_success_total",
		"vllm:request_queue_time_seconds_sum", "vllm:request_queue_time_seconds_count", "vllm:request_prefill_time_seconds_sum", "vllm:request_prefill_time_seconds_count",
		"vllm:request_decode_time_seconds_sum", "vllm:request_decode_time_seconds_count", "vllm:prompt_tokens_total", "vllm:generation_tokens_total",
		"vllm:spec_decode_num_drafts_total", "vllm:spec_decode_num_draft_tokens_total", "vllm:spec_decode_num_accepted_tokens_total",
		"vllm:iteration_tokens_total_sum", "vllm:iteration_tokens_total_count",
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		pick := func() float64 { return values[r.IntN(len(values))] }
		run := &journal.Run{Targets: []journal.Target{{URL: "http://a\x1b[31m\n"}, {URL: "http://b"}}}
		run.Options.Pace = []string{"closed", "burst", "constant", "?"}[r.IntN(4)]
		run.Options.MaxConcurrency, run.Options.RequestRate = r.IntN(3), pick()
		in := Input{Run: run}
		for range r.IntN(20) {
			s := journal.Scrape{At: r.Int64N(1e11) - 1e10, Target: r.IntN(3), After: r.IntN(9) == 0, Counters: map[string]float64{}}
			for _, name := range names {
				if r.IntN(3) > 0 {
					s.Counters[name] = pick()
				}
			}
			s.Buckets = map[string]map[string]float64{"vllm:iteration_tokens_total": {"1.0": pick(), "x": pick(), "+Inf": pick()}}
			in.Scrapes = append(in.Scrapes, s)
			in.Samples = append(in.Samples, journal.Sample{At: r.Int64N(1e11), CPUNs: r.Int64(), WaitNs: -r.Int64(), Agent: r.IntN(3)})
		}
		n := r.IntN(60)
		next := func() (*journal.Request, error) {
			if n--; n < 0 {
				return nil, io.EOF
			}
			q := &journal.Request{Index: n, Target: r.IntN(4), Due: r.Int64N(1e11), Outcome: journal.Complete, UsageOutput: r.IntN(9)}
			q.Sent = q.Due + r.Int64N(1e10)
			q.End = q.Sent + r.Int64N(1e10)
			for range r.IntN(9) {
				q.Events.At, q.Events.Kind = append(q.Events.At, r.Int64N(1e10)), append(q.Events.Kind, journal.EventChoices|journal.EventText)
				q.Events.Lag = append(q.Events.Lag, r.Int64N(1e9)-5e8)
			}
			return q, nil
		}
		c := NewCollector()
		if err := row.Pass(next, row.NewRules(&run.Options, ""), c); err != nil {
			t.Fatal(err)
		}
		e := c.Explain(in)
		if e.Title == "" || len(e.Why) == 0 {
			t.Errorf("seed %d: %+v", seed, e)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if all := strings.Join(append(append(e.Why, e.Seen...), e.Next), " "); strings.ContainsAny(all, "\x1b\n") {
			t.Errorf("seed %d: %q", seed, all)
		}
	}
}
