package cli

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/pace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// parseServe parses and validates one command line, words between spaces.
func parseServe(line string) (*argv.Set, *serveOptions, error) {
	set, o := serveFlags()
	err := set.Parse(strings.Fields(line))
	if err == nil {
		err = o.validate(set)
	}
	return set, o, err
}

// vllmFlags returns the names of vllm bench serve's flags, without dashes.
func vllmFlags(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile("testdata/vllm-serve-flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(strings.ReplaceAll(string(content), "--", ""))
	if len(names) != 105 {
		t.Fatalf("%d names, not 105", len(names))
	}
	return names
}

// TestVLLMFlags: each flag takes a value, or is refused by its name.
func TestVLLMFlags(t *testing.T) {
	values := [][]string{{}, {"1"}, {"0.5"}, {"a=1"}, {"ttft:1"}, {"{}"}, {"random"}, {"linear"}, {"auto"}, {"vllm"}, {"ttft"}}
	for _, name := range vllmFlags(t) {
		set, _ := serveFlags()
		f := set.Lookup(name)
		if f == nil {
			t.Errorf("--%s is not declared", name)
			continue
		}
		taken, refused := false, false
		for _, value := range values {
			for _, spelling := range []string{name, strings.ReplaceAll(name, "-", "_")} {
				set, _ := serveFlags()
				err := set.Parse(append([]string{"--" + spelling}, value...))
				taken = taken || err == nil
				refused = refused || err != nil && strings.HasPrefix(err.Error(), "--"+f.Name+" is not supported: ")
			}
		}
		if want := f.Unsupported != ""; refused != want || !want && !taken {
			t.Errorf("--%s: taken %v, refused %v, and the code says %q", name, taken, refused, f.Unsupported)
		}
	}
}

// TestVLLMPrefixes: a shortened name that is unique in vLLM means the same flag
// here, whatever flags of our own there are.
func TestVLLMPrefixes(t *testing.T) {
	names := append(vllmFlags(t), "help")
	set, _ := serveFlags()
	checked := 0
	for _, name := range names {
		for n := 1; n < len(name); n++ {
			prefix, same := name[:n], 0
			for _, other := range names {
				if strings.HasPrefix(other, prefix) {
					same++
				}
			}
			if same != 1 {
				continue
			}
			checked++
			if ours := set.Lookup(prefix); ours != nil {
				t.Errorf("--%s is --%s in vLLM and a flag of its own here", prefix, name)
			}
			if err := set.Parse([]string{"--" + prefix + "=\x00"}); err != nil && strings.Contains(err.Error(), "ambiguous") {
				t.Errorf("--%s is --%s in vLLM: %v", prefix, name, err)
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d prefixes checked", checked)
	}
}

func TestServeDefaults(t *testing.T) {
	_, o, err := parseServe("")
	if err != nil {
		t.Fatal(err)
	}
	if o.Backend != "openai" || o.apiURL() != "http://127.0.0.1:8000/v1/completions" || o.NumPrompts != 1000 || o.Unbounded ||
		o.RequestRate < 1e308 || o.Burstiness != 1 || o.MaxConcurrency != nil || o.Seed != 0 || !o.IgnoreEOS ||
		!reflect.DeepEqual(o.PercentileMetrics, []string{"ttft", "tpot", "itl"}) || !reflect.DeepEqual(o.MetricPercentiles, []float64{99}) ||
		o.DatasetName != "random" || o.RandomInputLen != 1024 || o.RandomOutputLen != 128 || o.RequestTimeout != 10*time.Minute ||
		o.KeepRuns != 100 || o.Temperature != nil || o.CustomOutputLen != 256 || o.SonnetInputLen != 550 {
		t.Errorf("defaults: %+v", o)
	}
}

func TestServeResolve(t *testing.T) {
	tests := []struct {
		line string
		ok   func(*serveOptions) bool
	}{
		{"--backend openai-chat", func(o *serveOptions) bool { return o.Endpoint == "/v1/chat/completions" }},
		{"--backend vllm --endpoint /x/completions", func(o *serveOptions) bool { return o.Endpoint == "/x/completions" }},
		{"--base-url http://h:1/p/", func(o *serveOptions) bool { return o.apiURL() == "http://h:1/p/v1/completions" }},
		{"--targets http://me:pw@a:1/,http://me:pw@b:2/p --balance sticky", func(o *serveOptions) bool {
			return o.several() && o.Balance == "sticky" && o.apiURL() == "http://me:pw@a:1/v1/completions" && o.baseURLs()[1] == "http://me:pw@b:2/p"
		}},
		{"--targets http://a", func(o *serveOptions) bool { return !o.several() && o.baseURL() == "http://a" }},
		{"--host ::1 --port 9", func(o *serveOptions) bool { return o.baseURL() == "http://[::1]:9" }},
		{"--host [::1]", func(o *serveOptions) bool { return o.baseURL() == "http://[::1]:8000" }},
		{"--dataset-name sharegpt --dataset-path x", func(o *serveOptions) bool { return !o.IgnoreEOS && o.SharegptOutputLen == nil }},
		{"--input-len 7 --random-input-len 9 --output-len 3", func(o *serveOptions) bool {
			return o.RandomInputLen == 7 && o.SonnetInputLen == 7 && o.RandomOutputLen == 3 && *o.SharegptOutputLen == 3 &&
				o.CustomOutputLen == 3 && o.SonnetOutputLen == 3 && o.PrefixRepetitionOutputLen == 3
		}},
		{"--dataset-name custom --dataset-path x --custom-output-len -1 --num-prompts 0", func(o *serveOptions) bool { return o.CustomOutputLen == -1 && o.NumPrompts == 0 }},
		{"--dataset-name custom --dataset-path x --output-len -1", func(o *serveOptions) bool { return o.CustomOutputLen == -1 }},
		{"--random-range-ratio 0.5", func(o *serveOptions) bool { return o.RandomRangeRatio == rangeRatio{0.5, 0.5} }},
		{`--random-range-ratio {"input":0.1,"output":0.9}`, func(o *serveOptions) bool { return o.RandomRangeRatio == rangeRatio{0.1, 0.9} }},
		{"--goodput ttft:100 e2el:2000.5", func(o *serveOptions) bool {
			return reflect.DeepEqual(o.Goodput, []goodputLimit{{"ttft", 100}, {"e2el", 2000.5}})
		}},
		{"--goodput itl_p99.9:50 first_visible:900", func(o *serveOptions) bool {
			return reflect.DeepEqual(o.Goodput, []goodputLimit{{"itl_p99.9", 50}, {"first_visible", 900}})
		}},
		{"--burstiness inf --request-rate 5", func(o *serveOptions) bool { return o.Burstiness > 1e308 && o.RequestRate == 5 }},
		{"--duration 2m --max-concurrency 4", func(o *serveOptions) bool { return o.Unbounded && o.NumPrompts == 0 && o.Duration == 2*time.Minute }},
		{"--duration 2m --num-prompts 9", func(o *serveOptions) bool { return !o.Unbounded && o.NumPrompts == 9 }},
		{"--stages 10s@5,60s@50", func(o *serveOptions) bool {
			return o.Unbounded && reflect.DeepEqual(o.Stages, []pace.Stage{{Length: 10 * time.Second, From: 5, To: 5}, {Length: time.Minute, From: 50, To: 50}})
		}},
		{"--ramp-rate 5..50 --ramp-duration 60s", func(o *serveOptions) bool { return *o.RampRate == rampRate{5, 50} && o.RampDuration == time.Minute }},
		{"--ramp-rate 0..1.5 --ramp-duration 60", func(o *serveOptions) bool { return *o.RampRate == rampRate{0, 1.5} }},
		{"--ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 9", func(o *serveOptions) bool { return *o.RampUpEndRPS == 9 }},
		{"--compat vllm", func(o *serveOptions) bool { return o.RequestTimeout == 6*time.Hour }},
		{"--compat vllm --request-timeout 5s", func(o *serveOptions) bool { return o.RequestTimeout == 5*time.Second }},
		{"--disable-tqdm", func(o *serveOptions) bool { return o.Progress == "none" }},
		{"--quiet", func(o *serveOptions) bool { return o.Progress == "none" }},
		{"--extra_body.min_tokens 5", func(o *serveOptions) bool { return string(o.ExtraBody) == `{"min_tokens":5}` }},
		{"--random-batch-size 1 --probe-request-rate 0.0 --lora-assignment random", func(*serveOptions) bool { return true }},
		{"--base-url https://h --http2 --proxy none", func(o *serveOptions) bool { return o.HTTP2 }},
		{"--trust-remote-code --tokenizer-mode hf", func(*serveOptions) bool { return true }},
	}
	for _, tt := range tests {
		if _, o, err := parseServe(tt.line); err != nil {
			t.Errorf("%s: %v", tt.line, err)
		} else if !tt.ok(o) {
			t.Errorf("%s: %+v", tt.line, o)
		}
	}
}

func TestServeHelp(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		set, _ := serveFlags()
		var b bytes.Buffer
		set.Help(&b, width)
		if n := strings.Count(b.String(), "\n  # "); width >= 80 && n < 5 {
			t.Errorf("%d examples, want 5 at least", n)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
	set, _ := serveFlags()
	if err := set.Parse([]string{"--model", "x", "-h"}); !errors.Is(err, argv.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}

func TestServeConfig(t *testing.T) {
	const config = `# a run
backend: openai-chat
num_prompts: 50
request-rate: .inf
max_concurrency: 8
random-range-ratio: {input: 0.1, output: 0.5}
goodput: {ttft: 200, tpot: 50}
metadata:
  - gpu=h100
extra_body:
  min_tokens: 5
  stop: [a, b]
save-result: true
profile: false
metric_percentiles: [50, 99.9]
`
	set, o := serveFlags()
	set.ReadFile = func(string) ([]byte, error) { return []byte(config), nil }
	err := set.Parse([]string{"--max-concurrency", "9", "--config", "run.yaml"})
	if err == nil {
		err = o.validate(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.Endpoint != chatEndpoint || o.NumPrompts != 50 || *o.MaxConcurrency != 9 || o.RandomRangeRatio != (rangeRatio{0.1, 0.5}) ||
		!reflect.DeepEqual(o.Goodput, []goodputLimit{{"ttft", 200}, {"tpot", 50}}) || o.Metadata[0] != (argv.Pair{Key: "gpu", Value: "h100"}) ||
		string(o.ExtraBody) != `{"min_tokens":5,"stop":["a","b"]}` || !o.SaveResult || o.MetricPercentiles[1] != 99.9 {
		t.Errorf("%+v", o)
	}
}

func TestServeNotes(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", ""},
		{"--sharegpt-output-len 5", "--sharegpt-output-len has no effect with --dataset-name random"},
		{"--dataset-name prefix_repetition --input-len 5", "--input-len has no effect with --dataset-name prefix_repetition"},
		{"--output-len 5", ""},
		{"--input-len 5 --random-input-len 6", "--input-len wins over --random-input-len"},
		{"--save-detailed", "--save-detailed has no effect without --save-result or --append-result"},
		{"--result-dir x", "no result is written without --save-result or --append-result"},
		{"--balance sticky", "--balance has no effect with one server"},
		{"--targets http://a,http://b,http://c --num-warmups 2", "2 warm-ups do not reach all 3 targets"},
		{"--base-url http://h --port 1", "--base-url wins over --host and --port"},
		{"--base-url http://h/v1", "/v1 is the endpoint's and was taken off the address: requests go to http://h/v1/completions"},
		{"--base-url http://h/p/v1/", "/v1 is the endpoint's and was taken off the address: requests go to http://h/p/v1/completions"},
		{"--base-url http://h/v1 --endpoint /chat/completions --backend openai-chat", "/v1 is the endpoint's and was taken off the address: requests go to http://h/v1/chat/completions"},
		{"--base-url http://h/v11", ""},
		{"--targets http://a/v1,http://b/v1", "/v1 is the endpoint's and was taken off the address: requests go to http://a/v1/completions"},
		{"--skip-tokenizer-init --tokenizer x", "--tokenizer has no effect with --skip-tokenizer-init"},
		{"--keep-runs 1 --run-dir x", "--keep-runs has no effect with --run-dir"},
	}
	for _, tt := range tests {
		set, o, err := parseServe(tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
		} else if got := strings.Join(o.notes(set), "\n"); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.line, got, tt.want)
		}
	}
}

// BenchmarkServeFlags is what the flags cost at the start of the program.
func BenchmarkServeFlags(b *testing.B) {
	for b.Loop() {
		if _, _, err := parseServe("--backend vllm --num-p 5 --max-concurrency 4 --save-result"); err != nil {
			b.Fatal(err)
		}
	}
}
