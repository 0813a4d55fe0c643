package agentic

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/stats"
)

// WriteAggregate writes what InferenceX keeps of a run of agents, as its own script makes it of AIPerf's files. What only
// a recipe knows (hw, image, framework, tp…) is taken from the run's --metadata of that name.
func WriteAggregate(w io.Writer, r *Run) error {
	if r.trees == 0 {
		return errors.New("its requests are no turns of conversations: inferencex is the form for it")
	}
	s, err := r.readServer(r.begin())
	if err != nil {
		return err
	}
	if err := pyjson.WriteIndent(w, rounded(r.aggregate(s)), 2); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// begin is when the first measured request was sent, in ns on the run's clock.
func (r *Run) begin() int64 {
	t := r.totals()
	return t.first - r.Result.Run.StartUnixNs
}

// aggregate has the keys in the order of InferenceX's script.
func (r *Run) aggregate(s *server) ordered.Object {
	o, t, m := &r.Result.Run.Options, r.totals(), labels(r.Result.Run)
	whole := func(key string, otherwise int) int {
		if n, err := strconv.Atoi(m[key]); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	warm := 0
	for i := range r.records {
		if r.records[i].warmup {
			warm++
		}
	}
	categories := ordered.Object{}
	dropped := 0
	for i := range r.records {
		if kind := r.records[i].failed; kind != "" {
			before, _ := categories.Get(kind).(int)
			categories.Set(kind, before+1)
			dropped++
		}
	}
	tp, pp, pcp := whole("tp", r.devices()), whole("pp", 1), whole("pcp_size", 1)
	a := ordered.Object{
		{"hw", m["hw"]},
		{"conc", concurrency(o)},
		{"image", m["image"]},
		{"recipe_fingerprint", m["recipe_fingerprint"]},
		{"model", o.ModelID},
		{"infmax_model_prefix", m["infmax_model_prefix"]},
		{"framework", m["framework"]},
		{"precision", m["precision"]},
		{"spec_decoding", cmp.Or(m["spec_decoding"], "none")},
		{"disagg", m["disagg"] == "true"},
		{"scenario_type", "agentic-coding"},
		{"is_multinode", false},
		{"tp", tp},
		{"ep", whole("ep", 1)},
		{"dp_attention", cmp.Or(m["dp_attention"], "false")},
		{"kv_offloading", cmp.Or(m["kv_offloading"], "none")},
		{"kv_offload_backend", nil},
		{"allocated_cpu_dram_gb", whole("allocated_cpu_dram_gb", 0)},
		{"num_requests_total", len(r.records)},
		{"num_requests_successful", t.completed},
		{"request_accounting", ordered.Object{
			{"records_total", len(r.records)},
			{"records_profiled", t.completed},
			{"records_dropped_total", len(r.records) - t.completed},
			{"records_warmup_dropped", warm},
			{"records_error_dropped", dropped},
			{"error_categories", categories},
		}},
		{"pp", pp},
		{"dcp_size", whole("dcp_size", 1)},
		{"pcp_size", pcp},
		{"dataset", r.dataset()},
		{"request_metrics", r.requestMetrics(&t, tp*pp*pcp)},
		{"server_metrics", s.aggregate(&t)},
		{"kv_cache_pool_tokens", nil},
	}
	if len(s.list) == 0 {
		a.Set("warnings", []string{"server_metrics_export.json missing or empty"})
	}
	return a
}

func (r *Run) devices() int {
	if e := r.Result.Economy; e != nil {
		return max(e.Devices, 1)
	}
	return 1
}

func (r *Run) requestMetrics(t *totals, gpus int) ordered.Object {
	seconds := func(of func(*record) float64) []float64 {
		return r.values(func(rec *record) (float64, bool) { v := of(rec); return v / 1000, v > 0 }, false)
	}
	ttft := seconds(func(rec *record) float64 { return rec.ttft })
	e2el := seconds(func(rec *record) float64 { return rec.latency })
	itl := seconds(func(rec *record) float64 { return rec.itl })
	normal := seconds(func(rec *record) float64 {
		if rec.out <= 0 {
			return -1
		}
		return rec.latency / float64(rec.out)
	})
	tokens := func(of func(*record) int) ordered.Object {
		return statistics(r.values(func(rec *record) (float64, bool) { return float64(of(rec)), true }, false))
	}
	hits := any(nil)
	if t.of > 0 {
		hits = float64(t.planned) / float64(t.of)
	}
	return ordered.Object{
		{"qps", r.qps()},
		{"latency", ordered.Object{
			{"ttft", statistics(ttft)},
			{"e2el", statistics(e2el)},
			{"itl", statistics(itl)},
			{"tpot", statistics(itl)},
			{"intvty", interactivity(itl)},
			{"e2e_norm_intvty", interactivity(normal)},
			{"full_response_itl", ordered.Object{}},
			{"full_response_intvty", ordered.Object{}},
		}},
		{"tokens", ordered.Object{
			{"input", tokens(func(rec *record) int { return rec.in })},
			{"output_actual", tokens(func(rec *record) int { return rec.out })},
			{"output_expected", tokens(func(rec *record) int { return rec.asked })},
		}},
		{"throughput", throughput(t, gpus)},
		{"cache", ordered.Object{{"theoretical_cache_hit_rate", hits}}},
	}
}

func throughput(t *totals, gpus int) ordered.Object {
	s := t.seconds()
	if s <= 0 {
		return ordered.Object{}
	}
	in, out, all := float64(t.in)/s, float64(t.out)/s, float64(t.in+t.out)/s
	rate := func(v float64) ordered.Object { return ordered.Object{{"tokens_per_second", v}} }
	n := float64(gpus)
	return ordered.Object{
		{"input", rate(in)},
		{"output", rate(out)},
		{"total", rate(all)},
		{"duration_seconds", s},
		{"per_gpu", ordered.Object{{"total_tput_tps", all / n}, {"output_tput_tps", out / n}, {"input_tput_tps", in / n}}},
	}
}

// statistics are those of InferenceX: empty where there are no values.
func statistics(values []float64) ordered.Object {
	if len(values) == 0 {
		return ordered.Object{}
	}
	mean, deviation := stats.Mean(values), stats.Std(values)
	slices.Sort(values)
	o := ordered.Object{{"mean", mean}}
	for _, p := range []struct {
		name string
		p    float64
	}{{"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}} {
		o = append(o, ordered.Member{p.name, stats.Percentile(values, p.p)})
	}
	return append(o, ordered.Member{"std", deviation})
}

// interactivity is 1 over each statistic of times between tokens, so that p90 is the slow tail; std is of the single rates.
func interactivity(times []float64) ordered.Object {
	o := statistics(times)
	var rates []float64
	for _, v := range times {
		rates = append(rates, 1/v)
	}
	for i := range o {
		if o[i].Key == "std" {
			o[i].Value = stats.Std(rates)
		} else {
			o[i].Value = 1 / o[i].Value.(float64)
		}
	}
	return o
}

// qps is how many requests ended in each second from the first end on; the last, which is not whole, is left out.
func (r *Run) qps() ordered.Object {
	var ends []int64
	for i := range r.records {
		if rec := &r.records[i]; !rec.warmup && rec.failed == "" {
			ends = append(ends, rec.end)
		}
	}
	slices.Sort(ends)
	if len(ends) < 2 || ends[0] == ends[len(ends)-1] {
		return ordered.Object{}
	}
	const second = int64(1e9)
	var counts []float64
	next := 0
	for at := ends[0]; at+second <= ends[len(ends)-1]; at += second {
		n := 0
		for ; next < len(ends) && ends[next] < at+second; next++ {
			n++
		}
		counts = append(counts, float64(n))
	}
	o := ordered.Object{{"window_seconds", 1.0}, {"samples", len(counts)}}
	if len(counts) == 0 {
		return append(o, ordered.Member{"mean", float64(len(ends)) / (float64(ends[len(ends)-1]-ends[0]) / 1e9)})
	}
	return append(o, statistics(counts)...)
}

// rounded has floats to five places, as InferenceX writes them, and whole ones from 1 on as integers.
func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 5, 64), 64) // which rounds as Python does
		if math.Abs(short) >= 1 && short == math.Trunc(short) && math.Abs(short) < 1<<62 {
			return int64(short)
		}
		return short
	case ordered.Object:
		o := make(ordered.Object, len(v))
		for i, m := range v {
			o[i] = ordered.Member{m.Key, rounded(m.Value)}
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = rounded(v[i])
		}
		return list
	}
	return v
}
