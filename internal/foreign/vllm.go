package foreign

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/verdict"
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
	Run        string           `json:"run"`
	Workload   result.Sent      `json:"workload"`
	Verdict    *verdict.Verdict `json:"verdict"`
	Confidence struct {
		Level     float64                    `json:"level"`
		Intervals map[string]sample.Interval `json:"intervals"`
	} `json:"confidence"`
	Bounds   bounds.Bounds       `json:"bounds"`
	Numbers  map[string]*float64 `json:"numbers"` // of the whole run, beside vLLM's
	Goodput  *measure.Goodput    `json:"goodput"`
	Outcomes map[string]int      `json:"outcomes"`
	Replicas *replicas           `json:"replicas"`
	Targets  *replicas           `json:"targets"` // as versions before replicas had a name called them
	Eval     *score.Result       `json:"eval"`
}

// replicas are the servers that were loaded as one.
type replicas struct {
	Balance string `json:"balance"`
	Each    []struct {
		Name             string          `json:"name"`
		URL              string          `json:"url"`
		Requests         *int            `json:"requests"`
		Counted          float64         `json:"counted_requests"`
		Failed           int             `json:"failed"`
		OutputThroughput float64         `json:"output_throughput"`
		TTFT             measure.Summary `json:"ttft"`
		TPOT             measure.Summary `json:"tpot"`
		Cached           *float64        `json:"cached_share"`
	} `json:"each"`
	Skew measure.PartSkew `json:"skew"`
}

// metricKey is a key of vLLM's that holds a metric.
var metricKey = regexp.MustCompile(`^(?:(?:mean|median|std|p[0-9.]+)_[a-z0-9_]+_ms|request_throughput|request_goodput|output_throughput|input_throughput|total_token_throughput|max_output_tokens_per_s|spec_decode_acceptance_(?:rate|length))$`)

// numberKey is a key of ours for a number of the whole run.
var numberKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func readVLLM(o object) ([]result.Result, error) {
	var k vllmKeys
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.VLLM, Values: numbersOf(o, metricKey.MatchString), Numbers: numbersOf(o, func(string) bool { return true }), Metadata: metadataOf(o)}
	if k.MaxModelLen != nil || (k.InputThru != nil && k.Inferometer == nil) {
		r.Tool = result.VLLMRust
	}
	if k.Label != nil {
		r.Name = *k.Label
	}
	r.Facts = result.Facts{
		Model: k.Model, Backend: k.Backend, Date: k.Date, Asked: k.Asked,
		Failed: k.Failed, InputTokens: k.Input, OutputTokens: k.Output, Duration: k.Duration,
	}
	r.Facts.Done(k.Completed)
	setLoad(&r.Facts, k.Concurrency, k.Rate)
	r.Notes = []string{"itl is the time between chunks, not between tokens", "a stream that broke off after its first chunk counts as a success"}
	if k.Inferometer != nil {
		k.Inferometer.into(&r)
	}
	k.samples(&r)
	return []result.Result{r}, nil
}

// setLoad keeps a concurrency and a rate; a rate that is told but infinite bounds nothing.
func setLoad(f *result.Facts, concurrency *int, rate number) {
	f.Rate = rate.value
	if concurrency != nil {
		f.Concurrency = max(*concurrency, 0)
	}
	f.AtOnce = rate.told && f.Rate == 0 && f.Concurrency == 0
}

func (o *ours) into(r *result.Result) {
	r.Tool, r.Notes = result.Inferometer, nil
	r.Facts.RunDir, r.Outcomes, r.Facts.HungUp = o.Run, o.Outcomes, o.Outcomes["hung_up"]
	r.SetSent(&o.Workload)
	r.SetVerdict(o.Verdict)
	for metric, v := range o.Numbers {
		if numberKey.MatchString(metric) && v != nil {
			r.Set(metric, v)
			r.Numbers[metric] = *v
		}
	}
	if o.Goodput != nil {
		r.Set("output_token_goodput", &o.Goodput.TokensPerSecond)
		r.Numbers["output_token_goodput"] = o.Goodput.TokensPerSecond
	}
	if p := cmp.Or(o.Replicas, o.Targets); p != nil {
		r.Replicas = &result.Replicas{Balance: p.Balance, Skew: p.Skew.OutputThroughput.MaxOverMin}
		for _, e := range p.Each {
			one := result.Replica{Name: cmp.Or(e.Name, e.URL), Failed: e.Failed, OutputThroughput: e.OutputThroughput, Cached: e.Cached}
			if one.Requests = result.Count(e.Counted); e.Requests != nil {
				one.Requests = *e.Requests
			}
			one.SetLatencies(&e.TTFT, &e.TPOT)
			r.Replicas.Each = append(r.Replicas.Each, one)
		}
	}
	r.SetEval(o.Eval)
	r.SetBounds(&o.Bounds)
	for metric, in := range o.Confidence.Intervals {
		r.SetInterval(metric, o.Confidence.Level, &in)
	}
}

// samples keeps the successes' values of a detailed result.
func (k *vllmKeys) samples(r *result.Result) {
	n := len(k.TTFTs)
	if n == 0 || len(k.ITLs) != n {
		r.Keep("e2el", k.Latencies)
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
	r.Keep("ttft", ttft)
	r.Keep("tpot", tpot)
	r.Keep("itl", itl)
	r.Keep("itl"+result.EndsOf, ends)
	r.Keep("e2el", e2el)
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

// numbersOf are the numbers of an object whose keys are wanted.
func numbersOf(o object, wanted func(key string) bool) map[string]float64 {
	values := map[string]float64{}
	for key, raw := range o.top {
		var v *float64
		if wanted(key) && json.Unmarshal(raw, &v) == nil && v != nil {
			values[key] = *v
		}
	}
	return values
}

func readSGLang(o object) ([]result.Result, error) {
	var k struct {
		vllmKeys
		Rate        number `json:"request_rate"`
		Concurrency *int   `json:"max_concurrency"`
		Dataset     string `json:"dataset_name"`
	}
	if err := json.Unmarshal(o.whole, &k); err != nil {
		return nil, err
	}
	r := result.Result{Tool: result.SGLang, Values: numbersOf(o, metricKey.MatchString)}
	if total, ok := r.Values["input_throughput"]; ok { // it has no key for the sum
		r.Values["total_token_throughput"] = total + r.Values["output_throughput"]
	}
	r.Facts = result.Facts{
		Backend: k.Backend, Dataset: k.Dataset,
		InputTokens: k.Input, OutputTokens: k.Output, Duration: k.Duration,
	}
	r.Facts.Done(k.Completed)
	setLoad(&r.Facts, k.Concurrency, k.Rate)
	r.Notes = []string{"itl is the gap between chunks, shared by the tokens of a chunk", "failures are not counted"}
	return []result.Result{r}, nil
}

// readInferenceX reads what InferenceX keeps of a vLLM result: seconds, and no _ms.
func readInferenceX(o object) ([]result.Result, error) {
	runs, err := readVLLM(o)
	if err != nil {
		return nil, err
	}
	r := &runs[0]
	r.Tool = result.InferenceX
	for key, raw := range o.top {
		var v *float64
		if secondsKey.MatchString(key) && json.Unmarshal(raw, &v) == nil && v != nil {
			r.Values[key+"_ms"] = *v * 1000
		}
	}
	return runs, nil
}

var secondsKey = regexp.MustCompile(`^(?:mean|median|std|p[0-9.]+)_(?:ttft|tpot|itl|e2el|intvty)$`)
