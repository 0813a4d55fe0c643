package spec

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/lora"
	"github.com/inferometer/inferometer/internal/spec/fault"
	"github.com/inferometer/inferometer/internal/usage"
)

// full has a value in every field.
func full(t *testing.T) Spec {
	t.Helper()
	s := Default()
	s.PaceName, s.PaceOptions = pace.Gamma, &pace.GammaOptions{}
	for _, section := range s.sections(nil) {
		for _, k := range section.keys {
			switch p := k.field.Reflect(k.of).Addr().Interface().(type) {
			case *string:
				if *p == "" {
					*p = "x"
				}
			case *bool:
				*p = true
			case *int:
				*p = max(*p, 1)
			case *float64:
				*p = max(*p, 0.5)
			case *lengths.RangeRatio:
				*p = lengths.RangeRatio{Input: 0.5}
			case **lengths.Dist:
				*p = &lengths.Dist{}
				if err := (*p).UnmarshalText([]byte("fixed:len=5")); err != nil {
					t.Fatal(err)
				}
			case *lora.AdapterNames:
				*p = lora.AdapterNames{"a", "b c"}
			case *share.Share:
				*p = share.Equal(1, 3)
			case *workload.ChatKwargs:
				*p = `{"x":1}`
			case *workload.ChatDate:
				*p = "2024-07-26"
			case *[]float64:
				*p = []float64{20, 99}
			case *Labels:
				*p = Labels{"region": "eu"}
			case **int:
				n := 1
				*p = &n
			case **float64:
				v := 0.5
				*p = &v
			case **time.Duration:
				d := 500 * time.Millisecond
				*p = &d
			case *time.Duration:
				*p = 90 * time.Second
			}
		}
	}
	s.Login, s.ProxyLogin, s.Power = Value{Env: "LOGIN"}, Value{Env: "PROXY"}, Value{Env: "POWER", Prefix: "a"}
	s.Headers = []Header{{"A", Value{Env: "H", Prefix: "Bearer "}}, {"B", Value{Text: "<plain>"}}}
	s.Metadata, s.Command = []Pair{{"k", "v"}}, []string{"inferometer", "bench", "serve"}
	s.ExtraBody, s.DefaultBody = []byte(`{"b":{"c":"<&>"},"a":1}`), []byte(`{"z":1.0}`)
	s.Protocol = []byte(`{"path":"/g","body":{"p":"{prompt}","z":1.0},"text":"a<b"}`)
	s.MetricsURLs, s.ServerLogs = []string{"http://h:8002/metrics"}, []string{"server.log"}
	s.Replicas = []string{"prefill=http://h:1", "decode=http://h:2"}
	s.MetricsMap = []byte(`{"running":"a<b"}`)
	s.Faults = fault.List{{At: time.Second, Do: fault.Command, Args: []string{"a", "b <"}}, {After: 3, Do: fault.Slow, On: "backend-1", For: time.Minute, By: time.Millisecond}}
	s.Goodput = map[string]float64{"ttft": 200}
	s.LoRAAssignment, s.Compat, s.Rules = "zipf", "vllm", "agentx"
	s.Batches = &batches.BatchOptions{Size: 2, Seed: 1 << 40}
	return s
}

// --rules has a choice for each set of rules.
func TestRulesAreChoices(t *testing.T) {
	var names []string
	for _, s := range rules.Sets() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff(names, Field("rules").Choices); diff != "" {
		t.Error(diff)
	}
}

// A Spec comes back as it was, in every field, and its bodies byte for byte.
func TestSpecRoundTrip(t *testing.T) {
	for name, s := range map[string]Spec{"default": Default(), "full": full(t)} {
		back := Spec{}
		if _, err := back.read(s.Encode()); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, s.Encode())
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Encode leaves nothing of a full Spec out.
func TestSpecHasAllKeys(t *testing.T) {
	s := full(t)
	text := string(s.Encode())
	for _, section := range s.sections(nil) {
		for _, k := range section.keys {
			if k.field.Reflect(k.of).IsZero() {
				t.Errorf("the test gives %s.%s no value", section.name, k.field.Key)
			}
			if !strings.Contains(text, `"`+k.field.Key+`":`) {
				t.Errorf("%s.%s is not written", section.name, k.field.Key)
			}
		}
	}
}

func TestDecodeFillsIn(t *testing.T) {
	for text, ok := range map[string]func(*Spec) bool{
		`{"version":1}`: func(s *Spec) bool {
			want := Default()
			want.Endpoint, want.IgnoreEOS = CompletionsEndpoint, true
			return reflect.DeepEqual(*s, want)
		},
		`{"version":1,"load":{"duration":"2m","max_concurrency":4}}`: func(s *Spec) bool {
			return s.Unbounded && s.NumPrompts == 0 && s.Duration == 2*time.Minute
		},
		`{"version":1,"load":{"duration":"2m","num_prompts":4}}`:            func(s *Spec) bool { return !s.Unbounded && s.NumPrompts == 4 },
		`{"version":1,"judge":{"compat":"vllm"}}`:                           func(s *Spec) bool { return s.RequestTimeout == vllmRequestTimeout },
		`{"version":1,"server":{"urls":["http://h/v1/"]}}`:                  func(s *Spec) bool { return s.URLs[0] == "http://h" && s.Endpoint == CompletionsEndpoint },
		`{"version":1,"pace":{"rate":"inf","burstiness":2}}`:                func(s *Spec) bool { return s.PaceName == pace.Burst && s.Burstiness() == 2 },
		`{"version":1,"pace":{"rate":5},"load":{"max_concurrency":4}}`:      func(s *Spec) bool { return s.PaceName == pace.Poisson && s.Rate() == 5 },
		`{"version":1,"pace":{"name":"gamma","rate":5,"burstiness":"inf"}}`: func(s *Spec) bool { return s.PaceSpec(1).Name == pace.Gamma },
		`{"version":1,"load":{"max_concurrency":4}}`:                        func(s *Spec) bool { return s.PaceSpec(1).Name == pace.Closed },
		`{"version":1,"pace":{"stages":"1s@5"}}`:                            func(s *Spec) bool { return s.Unbounded && s.Length() == time.Second },
		`{"version":1,"dataset":{"name":"sonnet","path":"x","input_len":900}}`: func(s *Spec) bool {
			return cmp.Equal(s.DatasetOptions, &workload.SonnetOptions{InputLen: 900, OutputLen: 150, PrefixLen: 200}) && !s.IgnoreEOS
		},
		`{"version":1,"dataset":{"output_len":9,"range_ratio":{"input":0.5,"output":0}}}`: func(s *Spec) bool {
			return cmp.Equal(s.DatasetOptions, &workload.RandomOptions{InputLen: 1024, OutputLen: 9, RangeRatio: lengths.RangeRatio{Input: 0.5}, BatchSize: 1, RandomShape: workload.RandomShape{PrefixCount: 1}})
		},
		`{"version":1,"request":{"extra_body":{ "a" : [ 1 ] }}}`: func(s *Spec) bool { return string(s.ExtraBody) == `{"a":[1]}` },
	} {
		s, err := Decode(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !ok(s) {
			t.Errorf("%s: %s", text, s.Encode())
		}
	}
}

// What is wrong with a file is said in the file's own words.
func TestDecodeErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                            "the Spec is no JSON object: unexpected end of JSON input",
		`[]`:                          "the Spec is no JSON object",
		`null`:                        "the Spec is no JSON object: it is null",
		`{}`:                          `the Spec needs "version": 1, the only one that this program reads`,
		`{"version":2}`:               `the Spec needs "version": 1`,
		`{"version":1,"version":1}`:   `the Spec has the key "version" twice`,
		`{"version":1,"lode":{}}`:     `"lode" is no section of a Spec: there are version, server, dataset, pace, load, request, keep, judge, fleet`,
		`{"version":1,"load":[]}`:     "load is no JSON object",
		`{"version":1} {"version":1}`: "the Spec is no JSON object",
		`{"version":1,"load":{"max_concurency":1}}`:                                        `"max_concurency" is no key of load: there are num_prompts, `,
		`{"version":1,"load":{"num_prompts":"five"}}`:                                      `load.num_prompts needs a whole number, not "five"`,
		`{"version":1,"load":{"duration":"soon"}}`:                                         `load.duration needs a time span such as 90s, 2m or 1h30m, not "soon"`,
		`{"version":1,"judge":{"metric_percentiles":"99"}}`:                                "judge.metric_percentiles needs a JSON value of the kind []float64, not a string",
		`{"version":1,"load":{"max_concurrency":0}}`:                                       "load.max_concurrency must be at least 1, not 0",
		`{"version":1,"load":{"duration":"5s"}}`:                                           "load.duration needs a bound on what is sent; give load.max_concurrency, pace.rate or load.num_prompts",
		`{"version":1,"load":{"unbounded":true}}`:                                          "load.duration is needed where the number of requests has no bound",
		`{"version":1,"server":{"backend":"unheard"}}`:                                     `server.backend must be one of ` + strings.Join(BackendNames(), ", ") + `, not "unheard"`,
		`{"version":1,"server":{"urls":[]}}`:                                               "server.urls needs at least one URL",
		`{"version":1,"server":{"urls":["http://me:pw@h"]}}`:                               "server.urls has a login in it, which a Spec must not hold",
		`{"version":1,"server":{"api_key":"sk-1"}}`:                                        "server.api_key is a secret, which a Spec must not hold",
		`{"version":1,"server":{"headers":[{"name":"Authorization","value":"Bearer x"}]}}`: "server.headers Authorization is a secret",
		`{"version":1,"server":{"headers":[{"name":"A","value":{"evn":"x"}}]}}`:            `server.headers needs a text, or {"env": "NAME"}`,
		`{"version":1,"request":{"extra_body":{"api_key":"sk-1"}}}`:                        "request.extra_body has a field that is named like a secret",
		`{"version":1,"request":{"extra_body":[1]}}`:                                       "request.extra_body needs a JSON object",
		`{"version":1,"dataset":{"name":"batches"}}`:                                       "dataset.name batches and the shape of the batches go together",
		`{"version":1,"dataset":{"name":"sharegpt"}}`:                                      "dataset.path is needed for dataset.name sharegpt",
		`{"version":1,"judge":{"goodput":{"p99":5}}}`:                                      `judge.goodput there is no metric "p99" per request`,
		`{"version":1,"dataset":{"name":"rendom"}}`:                                        "dataset.name must be one of " + strings.Join(workload.Names(), ", ") + `, not "rendom"`,
		`{"version":1,"dataset":{"input_len":"five"}}`:                                     `dataset.input_len needs a whole number, not "five"`,
		`{"version":1,"dataset":{"input_len":0}}`:                                          "dataset.input_len and dataset.prefix_len can't both be 0",
		`{"version":1,"dataset":{"suffix_len":5}}`:                                         `"suffix_len" is no key of dataset: there are name, hub_revision, batches, path, `,
		`{"version":1,"dataset":{"name":"prefix_repetition"},"load":{"num_prompts":3}}`:    "load.num_prompts must be at least dataset.num_prefixes, and 3 is below 10",
		`{"version":1,"pace":{"name":"often"}}`:                                            `pace.name: pace "often" is unknown: use one of closed, burst`,
		`{"version":1,"pace":{"rate":0}}`:                                                  "pace.rate must be above 0, not 0",
		`{"version":1,"pace":{"name":"poisson"}}`:                                          "pace.rate must be finite, not inf",
		`{"version":1,"pace":{"name":"poisson","burstiness":2}}`:                           `"burstiness" is no key of pace: there are name, rate`,
		`{"version":1,"pace":{"rate":5,"stages":"1s@5"}}`:                                  "pace.stages can't be used together with pace.rate: both say when requests are sent",
		`{"version":1,"pace":{"stages":"1s@5"},"load":{"duration":"5s"}}`:                  "load.duration can't be used together with pace.stages: they say how long the run lasts",
		`{"version":1,"judge":{"slo":"ttft<5"}}`:                                           "judge.slo ",
		`{"version":1,"keep":{"label":"` + strings.Repeat("x", mostSpec) + `"}}`:           "a Spec has at most 1048576 bytes",
	} {
		_, err := Decode(strings.NewReader(text))
		var u *usage.Error
		if !errors.As(err, &u) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.80s:\n got %v\nwant %s", text, err, want)
		}
	}
}

// FuzzDecode: whatever stands in a file, it is refused or comes back the same.
func FuzzDecode(f *testing.F) {
	s := Default()
	f.Add(s.Encode())
	f.Add([]byte(`{"version":1,"load":{"duration":"2m","max_concurrency":4},"server":{"headers":[{"name":"A","value":{"env":"x"}}]},"request":{"extra_body":{"a":{"$env":"B"}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := Decode(bytes.NewReader(s.Encode()))
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Encode())
		}
		if !bytes.Equal(s.Encode(), again.Encode()) {
			t.Errorf("%s\n%s", s.Encode(), again.Encode())
		}
		_, _ = fillIn(s.ExtraBody, environment(map[string]string{"B": "x"}))
	})
}

// The file that docs/spec.md shows is one.
func TestDocsShowASpec(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	if s, err := Decode(strings.NewReader(block)); err != nil || s.SLO == "" {
		t.Errorf("%v\n%s", err, block)
	}
}
