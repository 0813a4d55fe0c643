package journal

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const exampleSpec = `{"version":1,"server":{"urls":["http://a:1"],"backend":"vllm","model":"m"},"dataset":{"name":"random","input_len":8},"pace":{"name":"poisson","rate":2.5},` +
	`"load":{"seed":7,"max_concurrency":4,"until":"p99_ttft±5%"},"request":{"ignore_eos":true,"extra_body":{"stop":"<|end|>"}},"keep":{"label":"night","metadata":[{"key":"tp","value":"8"},{"key":"a","value":"b"}]},` +
	`"judge":{"percentile_metrics":["ttft"],"metric_percentiles":[50,99.9],"goodput":{"ttft":100},"compat":"vllm","integrity_sample":3}}`

func exampleOptions() Options {
	return Options{
		Backend: "vllm", Model: "m", Dataset: "random", RequestRate: 2.5, Seed: 7, MaxConcurrency: 4, Until: "p99_ttft±5%", IgnoreEOS: true, Label: "night",
		Metadata: []Pair{{"tp", "8"}, {"a", "b"}}, PercentileMetrics: []string{"ttft"}, MetricPercentiles: []float64{50, 99.9}, Goodput: map[string]float64{"ttft": 100},
		Compat: "vllm", IntegritySample: 3, Workload: map[string]string{
			"server.backend": `"vllm"`, "dataset.name": `"random"`, "dataset.input_len": "8", "pace.name": `"poisson"`, "pace.rate": "2.5",
			"load.seed": "7", "load.max_concurrency": "4", "load.until": `"p99_ttft±5%"`, "request.ignore_eos": "true", "request.extra_body": `{"stop":"<|end|>"}`,
		},
	}
}

func TestOptionsOfASpec(t *testing.T) {
	got, err := OptionsOf(json.RawMessage(exampleSpec))
	if want := exampleOptions(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if got, err = OptionsOf(json.RawMessage(`{"version":1,"pace":{"rate":"inf"},"load":{"spawn_rate":"inf"}}`)); err != nil || got.RequestRate != 0 || got.SpawnRate != 0 {
		t.Errorf("without a bound: %+v, %v", got, err)
	}
	if _, err = OptionsOf(json.RawMessage(`{"load":{"seed":"x"}}`)); err == nil || !strings.Contains(err.Error(), "load.seed") {
		t.Errorf("a seed that is none: %v", err)
	}
}

// reread writes a first line and reads it back.
func reread(t *testing.T, run *Run) *Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(run); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Run()
}

// A line with a Spec and one of schema 1 of the same run are read as the same options, whatever was found out beside the
// Spec, or against it.
func TestFirstLineWithASpec(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"as the Spec says": func(*Options) {},
		"found out": func(o *Options) {
			o.ModelID, o.SentModel, o.NumPrompts, o.Burstiness, o.Pace = "M", "m", 12, 1, "poisson"
			o.Price, o.Asked = &Price{PerHour: 2, Devices: 1}, &Asked{Requests: 3, Over: 5}
		},
		"against it": func(o *Options) {
			o.MaxConcurrency, o.IgnoreEOS, o.Label, o.SpawnRate, o.IntegritySample = 0, false, "", 3, 9
			o.Goodput, o.Metadata, o.MetricPercentiles = map[string]float64{"itl": 5}, nil, []float64{1}
			o.Workload = map[string]string{"load.seed": "8"}
		},
	} {
		options := exampleOptions()
		change(&options)
		got := reread(t, &Run{Schema: Schema, Spec: json.RawMessage(exampleSpec), Options: options})
		old := reread(t, &Run{Schema: 1, Options: options})
		if !reflect.DeepEqual(got.Options, options) || !reflect.DeepEqual(old.Options, options) {
			t.Errorf("%s: %+v\nof schema 1 %+v\nwant %+v", name, got.Options, old.Options, options)
		}
		if string(got.Spec) != exampleSpec || old.Spec != nil {
			t.Errorf("%s: the Spec is %s, of schema 1 %s", name, got.Spec, old.Spec)
		}
	}
}

// What the Spec says is in the line once.
func TestFirstLineSaysAThingOnce(t *testing.T) {
	options := exampleOptions()
	options.ModelID, options.MaxConcurrency = "M", 0
	b, err := json.Marshal(&Run{Schema: Schema, Spec: json.RawMessage(exampleSpec), Options: options})
	var line struct {
		Options json.RawMessage `json:"options"`
	}
	if err == nil {
		err = json.Unmarshal(b, &line)
	}
	if want := `{"model_id":"M","max_concurrency":0}`; err != nil || string(line.Options) != want {
		t.Errorf("%s, %v, want %s", line.Options, err, want)
	}
}

func TestSpecThatCantBe(t *testing.T) {
	long := `{"keep":{"label":"` + strings.Repeat("a", maxSpec) + `"}}`
	for text, want := range map[string]string{long: "the length of spec", `{"load":{"max_concurrency":2305843009213693952}}`: "max_concurrency"} {
		_, err := NewReader(bytes.NewReader(pack(`{"run":{"schema":2,"spec":` + text + `}}`)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	r, err := NewReader(bytes.NewReader(pack(`{"run":{"schema":2,"spec":{"keep":{"label":"a\u001b[2J\nb"}}}}`)))
	if err != nil || strings.ContainsAny(r.Run().Options.Label, "\x1b\n") {
		t.Errorf("a label from outside: %q, %v", r.Run().Options.Label, err)
	}
}
