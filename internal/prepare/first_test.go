package prepare

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// Each key that the journal reads from a Spec is one.
func TestJournalReadsKeysOfTheSpec(t *testing.T) {
	var keys []string
	for _, f := range spec.Fields() {
		keys = append(keys, f.Section+"."+f.Key)
	}
	for _, f := range pace.Fields() {
		keys = append(keys, "pace."+f.Key)
	}
	for _, k := range workload.Kinds() {
		for _, f := range option.Fields(k.Options()) {
			keys = append(keys, "dataset."+f.Key)
		}
	}
	for i := range reflect.TypeFor[journal.Options]().NumField() {
		f := reflect.TypeFor[journal.Options]().Field(i)
		if key := f.Tag.Get("spec"); key != "" && !slices.Contains(keys, key) {
			t.Errorf("%s is %s, which no Spec has", f.Name, key)
		}
	}
}

// The first line has the Spec, and its options are the Spec's values.
func TestFirstLine(t *testing.T) {
	text := `{"version":1,` + nobody + `,"backend":"openai-chat","headers":[{"name":"x-key","value":{"env":"KEY"}}]},"dataset":{"name":"multi-turn","history":"recorded"},` +
		`"load":{"num_prompts":40,"max_concurrency":5,"max_conversations":9,"seed":3,"spawn_rate":2.5,"probe_request_rate":0.5},"request":{"ignore_eos":true,"temperature":0},` +
		`"keep":{"label":"l","metadata":[{"key":"tp","value":"8"}]},"judge":{"percentile_metrics":["ttft","e2el"],"metric_percentiles":[50,99],"goodput":{"ttft":100},"compat":"vllm","price_per_hour":2}}`
	asked, err := spec.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	h := plainHost()
	h.Lookup = func(name string) (string, bool) { return "secret-value", name == "KEY" }
	p, err := NewPlan(t.Context(), asked, h)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	first := p.First("1", time.Unix(1, 0))
	o := &first.Options
	want := journal.Options{
		Backend: "openai-chat", Model: "m", Dataset: "multi-turn", History: "recorded", Seed: 3, MaxConcurrency: 5, MaxConversations: 9, SpawnRate: 2.5, ProbeRate: 0.5, IgnoreEOS: true,
		Label: "l", Metadata: []journal.Pair{{"tp", "8"}}, PercentileMetrics: []string{"ttft", "e2el"}, MetricPercentiles: []float64{50, 99}, Goodput: map[string]float64{"ttft": 100},
		Compat: "vllm", RecoveryWithin: 10,
		BaseURL: "http://127.0.0.1:1", Endpoint: "/v1/chat/completions", ModelID: "m", SentModel: "m", TokenizerSource: o.TokenizerSource, NumPrompts: o.NumPrompts, Conversations: 40,
		Burstiness: 1, Pace: "closed", Price: &journal.Price{PerHour: 2, Devices: 1}, Workload: o.Workload,
	}
	if !reflect.DeepEqual(*o, want) {
		t.Errorf("%+v\nwant %+v", *o, want)
	}
	if o.Workload["load.seed"] != "3" || o.Workload["keep.label"] != "" || o.Workload["server.replica_key"] != "" {
		t.Errorf("the workload is %v", o.Workload)
	}
	again, err := spec.Decode(strings.NewReader(string(first.Spec)))
	if err != nil || again.Label != "l" || *again.MaxConcurrency != 5 {
		t.Errorf("the Spec of the first line: %v, %v", again, err)
	}
	if b, err := first.MarshalJSON(); err != nil || strings.Contains(string(b), "secret-value") {
		t.Errorf("the first line has a secret: %s, %v", b, err)
	}
}
