package foreign

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
)

// vllmKeys is vLLM's JSON, and with the key inferometer ours.
type vllmKeys struct {
	Date           string   `json:"date"`
	Backend        string   `json:"backend"`
	Label          *string  `json:"label"`
	Model          string   `json:"model_id"`
	Asked          int      `json:"num_prompts"`
	Rate           number   `json:"request_rate"`
	Concurrency    *int     `json:"max_concurrency"`
	Duration       float64  `json:"duration"`
	Completed      *int     `json:"completed"`
	Failed         *int     `json:"failed"`
	Input          int64    `json:"total_input_tokens"`
	Output         int64    `json:"total_output_tokens"`
	TotalThru      *float64 `json:"total_token_throughput"`
	InputThru      *float64 `json:"input_throughput"`
	MaxModelLen    *int     `json:"max_model_len"` // only the Rust client writes it
	Inferometer    *ours    `json:"inferometer"`
	vllmPerRequest          // with --save-detailed
}

type vllmPerRequest struct {
	Starts     []float64   `json:"start_times"` // since vLLM 0.11, in seconds of some clock
	TTFTs      []float64   `json:"ttfts"`
	ITLs       [][]float64 `json:"itls"`
	Latencies  []float64   `json:"latencies"`
	OutputLens []int       `json:"output_lens"`
	Errors     []string    `json:"errors"`
}

// ours is the part of our results that a comparison needs.
type ours struct {
	Run      string       `json:"run"`
	Workload oursWorkload `json:"workload"`
	Verdict  *struct {
		Level   string   `json:"level"`
		Reasons []string `json:"reasons"`
		Few     []string `json:"unsupported"`
		Checks  []struct {
			Name string `json:"name"`
			Hint string `json:"hint"`
		} `json:"checks"`
	} `json:"verdict"`
	Confidence struct {
		Level     float64 `json:"level"`
		Intervals map[string]struct {
			Low       *float64 `json:"low"`
			High      *float64 `json:"high"`
			Effective float64  `json:"effective_n"`
			Method    string   `json:"method"`
			Reason    string   `json:"reason"`
		} `json:"intervals"`
	} `json:"confidence"`
	Bounds  oursBounds          `json:"bounds"`
	Numbers map[string]*float64 `json:"numbers"` // of the whole run, beside vLLM's
	Eval    *Eval               `json:"eval"`
}

// metricKey is a key of vLLM's that holds a metric.
var metricKey = regexp.MustCompile(`^(?:(?:mean|median|std|p[0-9.]+)_[a-z0-9_]+_ms|request_throughput|request_goodput|output_throughput|input_throughput|total_token_throughput|max_output_tokens_per_s|spec_decode_acceptance_(?:rate|length))$`)

// numberKey is a key of ours for a number of the whole run.
var numberKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func readVLLM(o object) ([]Run, error) {
	var k vllmKeys
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := Run{Tool: VLLM, Values: metricsOf(o), Metadata: metadataOf(o)}
	if k.MaxModelLen != nil || (k.InputThru != nil && k.Inferometer == nil) {
		r.Tool = VLLMRust
	}
	if k.Label != nil {
		r.Name = *k.Label
	}
	r.Facts = Facts{
		Model: k.Model, Backend: k.Backend, Date: k.Date, Asked: k.Asked,
		Failed: k.Failed, InputTokens: k.Input, OutputTokens: k.Output, Duration: k.Duration,
	}
	r.Facts.done(k.Completed)
	r.Facts.load(k.Concurrency, k.Rate)
	r.Notes = []string{"itl is the time between chunks, not between tokens", "a stream that broke off after its first chunk counts as a success"}
	if k.Inferometer != nil {
		k.Inferometer.into(&r)
	}
	k.samples(&r)
	return []Run{r}, nil
}

// load keeps a concurrency and a rate; a rate that is told but infinite bounds nothing.
func (f *Facts) load(concurrency *int, rate number) {
	f.Rate = rate.value
	if concurrency != nil {
		f.Concurrency = max(*concurrency, 0)
	}
	f.AtOnce = rate.told && f.Rate == 0 && f.Concurrency == 0
}

func (o *ours) into(r *Run) {
	r.Tool, r.Notes = Inferometer, nil
	r.Facts.RunDir, r.Facts.Workload, r.Facts.Dataset = o.Run, o.Workload.facts(), o.Workload.Dataset
	if r.Facts.Asked == 0 { // a run bounded by time
		r.Facts.Asked = o.Workload.Sent
	}
	if o.Verdict != nil {
		r.Facts.Verdict, r.Facts.Reasons, r.Facts.Unsupported = o.Verdict.Level, o.Verdict.Reasons, o.Verdict.Few
		for _, c := range o.Verdict.Checks {
			if len(o.Verdict.Reasons) > 0 && c.Name == o.Verdict.Reasons[0] {
				r.Facts.ToDo = c.Hint
			}
		}
	}
	for metric, v := range o.Numbers {
		if numberKey.MatchString(metric) {
			r.set(metric, v)
		}
	}
	o.Eval.into(r)
	o.Bounds.into(r)
	r.Lacking, r.Intervals = map[string]string{}, map[string]Interval{}
	for metric, i := range o.Confidence.Intervals {
		if i.Low == nil || i.High == nil {
			r.Lacking[metric] = i.Reason
			continue
		}
		r.Intervals[metric] = Interval{*i.Low, *i.High, o.Confidence.Level, degrees(i.Method, i.Effective)}
	}
}

// degrees of freedom with which an interval of ours is known: those of its batches; of
// latencies, those of a variance over up to 128 groups that resemble their neighbours a
// little (docs/confidence.md: groups by 1 + 2τ).
func degrees(method string, effective float64) float64 {
	switch method {
	case "batch means":
		return max(effective-1, 1)
	case "Wilson": // of a share: it rests on no estimated variance
		return 0
	}
	return max(min(effective, 128)/3, 1)
}

// samples keeps the successes' values of a detailed result.
func (k *vllmKeys) samples(r *Run) {
	n := len(k.TTFTs)
	if n == 0 || len(k.ITLs) != n {
		r.keep("e2el", k.Latencies)
		return
	}
	var ttft, tpot, e2el, itl, ends []float64
	for _, i := range k.bySent() {
		first := k.TTFTs[i]
		if i < len(k.Errors) && k.Errors[i] != "" {
			continue
		}
		total := first
		for _, gap := range k.ITLs[i] {
			total += gap
			if len(k.Starts) == n {
				ends = append(ends, k.Starts[i]+total)
			}
		}
		ttft, e2el, itl = append(ttft, first), append(e2el, total), append(itl, k.ITLs[i]...)
		if i < len(k.OutputLens) && k.OutputLens[i] > 1 {
			tpot = append(tpot, (total-first)/float64(k.OutputLens[i]-1))
		}
	}
	r.keep("ttft", ttft)
	r.keep("tpot", tpot)
	r.keep("itl", itl)
	r.keep("itl"+EndsOf, ends)
	r.keep("e2el", e2el)
}

// bySent are the requests in the order of sending, which is the file's unless it tells another.
func (k *vllmKeys) bySent() []int {
	order := make([]int, len(k.TTFTs))
	for i := range order {
		order[i] = i
	}
	if len(k.Starts) == len(order) {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(k.Starts[a], k.Starts[b]) })
	}
	return order
}

// metricsOf are all numbers of an object whose keys name a metric.
func metricsOf(o object) map[string]float64 {
	values := map[string]float64{}
	for key, raw := range o.top {
		var v *float64
		if metricKey.MatchString(key) && json.Unmarshal(raw, &v) == nil && v != nil {
			values[key] = *v
		}
	}
	return values
}

func readSGLang(o object) ([]Run, error) {
	var k struct {
		vllmKeys
		Rate        number `json:"request_rate"`
		Concurrency *int   `json:"max_concurrency"`
		Dataset     string `json:"dataset_name"`
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := Run{Tool: SGLang, Values: metricsOf(o)}
	if total, ok := r.Values["input_throughput"]; ok { // it has no key for the sum
		r.Values["total_token_throughput"] = total + r.Values["output_throughput"]
	}
	r.Facts = Facts{
		Backend: k.Backend, Dataset: k.Dataset,
		InputTokens: k.Input, OutputTokens: k.Output, Duration: k.Duration,
	}
	r.Facts.done(k.Completed)
	r.Facts.load(k.Concurrency, k.Rate)
	r.Notes = []string{"itl is the gap between chunks, shared by the tokens of a chunk", "failures are not counted"}
	return []Run{r}, nil
}

// readInferenceX reads what InferenceX keeps of a vLLM result: seconds, and no _ms.
func readInferenceX(o object) ([]Run, error) {
	runs, err := readVLLM(o)
	if err != nil {
		return nil, err
	}
	r := &runs[0]
	r.Tool = InferenceX
	for key, raw := range o.top {
		var v *float64
		if secondsKey.MatchString(key) && json.Unmarshal(raw, &v) == nil && v != nil {
			r.Values[key+"_ms"] = *v * 1000
		}
	}
	return runs, nil
}

var secondsKey = regexp.MustCompile(`^(?:mean|median|std|p[0-9.]+)_(?:ttft|tpot|itl|e2el|intvty)$`)
