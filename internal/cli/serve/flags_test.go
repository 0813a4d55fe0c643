package serve

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// parseServe parses and validates one command line, words between spaces.
func parseServe(line string) (*argv.Set, *Options, error) {
	set, o := Flags()
	err := set.Parse(strings.Fields(line))
	if err == nil {
		err = o.Check(set)
	}
	return set, o, err
}

// vllmFlags returns the names of vllm bench serve's flags as version 0.32 has them, without dashes.
func vllmFlags(t *testing.T) []string { return flagNames(t, "testdata/vllm-serve-flags.txt", 102) }

// olderFlags are those that versions before it had.
func olderFlags(t *testing.T) []string { return flagNames(t, "testdata/vllm-older-flags.txt", 3) }

func flagNames(t *testing.T, file string, n int) []string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(strings.ReplaceAll(string(content), "--", ""))
	if len(names) != n {
		t.Fatalf("%d names, not %d", len(names), n)
	}
	return names
}

// What the pages say of how many flags vLLM has is what there is.
func TestPagesCountVLLMsFlags(t *testing.T) {
	said := regexp.MustCompile(`all\s+(\d+)(?:\)| are known| with their state| names| flags| of vLLM)`)
	for _, name := range []string{"README.md", "docs/vllm.md", "docs/coming-from/vllm.md", "docs/decisions/argv.md"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		found := said.FindAllStringSubmatch(string(content), -1)
		if len(found) == 0 {
			t.Errorf("%s does not say how many", name)
		}
		for _, m := range found {
			if m[1] != strconv.Itoa(len(vllmFlags(t))) {
				t.Errorf("%s: %q", name, m[0])
			}
		}
	}
	set, _ := Flags()
	for _, name := range olderFlags(t) {
		if f := set.Lookup(name); f == nil || !strings.Contains(f.Help, "Older vLLM") {
			t.Errorf("--%s does not say that it is of older versions", name)
		}
	}
	for _, name := range vllmFlags(t) {
		if f := set.Lookup(name); f != nil && strings.Contains(f.Help, "Older vLLM") {
			t.Errorf("--%s is said to be of older versions", name)
		}
	}
}

// TestVLLMFlags: each flag takes a value, or is refused by its name.
func TestVLLMFlags(t *testing.T) {
	values := [][]string{{}, {"1"}, {"0.5"}, {"a=1"}, {"ttft:1"}, {"{}"}, {"random"}, {"linear"}, {"auto"}, {"vllm"}, {"ttft"}, {"qualitative"}, {"{(8, 8, 1): 1}"}}
	for _, name := range append(vllmFlags(t), olderFlags(t)...) {
		set, _ := Flags()
		f := set.Lookup(name)
		if f == nil {
			t.Errorf("--%s is not declared", name)
			continue
		}
		taken, refused := false, false
		for _, spelling := range []string{name, strings.ReplaceAll(name, "-", "_")} {
			set, _ := Flags() // to make all flags anew for each value takes a minute
			for _, value := range values {
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
	names := append(append(vllmFlags(t), olderFlags(t)...), "help")
	set, _ := Flags()
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
			if advice := set.Advice("--" + prefix); advice != "" {
				t.Errorf("--%s is --%s in vLLM, and here it %s", prefix, name, advice)
			}
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
	if o.Backend != "openai" || o.URLs[0]+o.Endpoint != "http://127.0.0.1:8000/v1/completions" || o.NumPrompts != 1000 || o.Unbounded ||
		o.Rate() < 1e308 || o.Burstiness() != 1 || o.MaxConcurrency != nil || o.Seed != 0 || !o.IgnoreEOS ||
		!reflect.DeepEqual(o.PercentileMetrics, []string{"ttft", "tpot", "itl"}) || !reflect.DeepEqual(o.MetricPercentiles, []float64{99}) ||
		o.DatasetName != "random" || !reflect.DeepEqual(o.DatasetOptions, &workload.RandomOptions{InputLen: 1024, OutputLen: 128, BatchSize: 1, RandomShape: workload.RandomShape{PrefixCount: 1}}) || o.RequestTimeout != 10*time.Minute ||
		o.KeepRuns != 100 || o.Temperature != nil {
		t.Errorf("defaults: %+v", o)
	}
}

// TestServeSpec: the defaults are declared twice, by the flags and for files, and are
// the same; and each key of a file has its flag.
func TestServeSpec(t *testing.T) {
	set, o, err := parseServe("")
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Default()
	want.Resolve(func(string) bool { return false })
	if got := o.Spec; !bytes.Equal(got.Encode(), want.Encode()) {
		t.Errorf("without flags the Spec is\n%s\nand without keys\n%s", got.Encode(), want.Encode())
	}
	noFlag := []string{"login", "api-key", "proxy-login", "unbounded", "batches", "default-body", "command", "summary-load", "name", "times"}
	for flag, key := range spec.Keys() {
		if set.Lookup(flag) == nil && !slices.Contains(noFlag, flag) {
			t.Errorf("%s has no flag --%s", key, flag)
		}
	}
}

// TestServeSecrets: no secret of a flag is in the Spec, and each is found by the
// variable that stands for it.
func TestServeSecrets(t *testing.T) {
	t.Setenv("MY_GATEWAY_KEY", "from-the-environment")
	set, o := Flags()
	err := set.Parse([]string{
		"--base-url", "http://me:secret-login@h", "--proxy", "http://me:secret-proxy@p", "--header", "X-A=secret-header", "Authorization=Bearer from-the-environment",
		"--extra-body", `{"a":{"api_key":"secret-body"}}`, "--power", "prometheus:http://me:secret-power@h:9090?query=x",
	})
	if err == nil {
		err = o.Check(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := string(o.Encode())
	if strings.Contains(text, "secret-") || strings.Contains(text, "from-the-environment") || !strings.Contains(text, `"env": "MY_GATEWAY_KEY"`) {
		t.Errorf("the Spec is %s", text)
	}
	w, err := o.Wire(&o.RunHost(command.Streams{}).Environment)
	if err != nil {
		t.Fatal(err)
	}
	if w.Header.Get("X-A") != "secret-header" || w.Header.Get("Authorization") != "Bearer from-the-environment" {
		t.Errorf("headers: %v", w.Header)
	}
	to, err := w.Proxy(&http.Request{})
	if err != nil || to.String() != "http://me:secret-proxy@p" {
		t.Errorf("proxy: %v, %v", to, err)
	}
}

func ratio(o *Options) lengths.RangeRatio {
	return o.DatasetOptions.(*workload.RandomOptions).RangeRatio
}

func paceText(o *Options) string {
	var list []string
	for _, f := range option.Fields(o.PaceOptions) {
		raw, err := f.JSON(o.PaceOptions)
		if err != nil {
			panic(err)
		}
		if raw != nil {
			list = append(list, fmt.Sprintf("%q:%s", f.Key, raw))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

func TestServeResolve(t *testing.T) {
	tests := []struct {
		line string
		ok   func(*Options) bool
	}{
		{"--backend openai-chat", func(o *Options) bool { return o.Endpoint == "/v1/chat/completions" }},
		{"--backend vllm --endpoint /x/completions", func(o *Options) bool { return o.Endpoint == "/x/completions" }},
		{"--base-url http://h:1/p/", func(o *Options) bool { return o.URLs[0]+o.Endpoint == "http://h:1/p/v1/completions" }},
		{"--targets http://me:pw@a:1/,http://me:pw@b:2/p --balance sticky", func(o *Options) bool {
			return o.Balance == "sticky" && o.URLs[0] == "http://a:1" && o.URLs[1] == "http://b:2/p" && o.secrets[o.Login.Env] == "me:pw"
		}},
		{"--base-url http://h/p/v1/", func(o *Options) bool { return o.URLs[0] == "http://h/p" && o.Endpoint == "/v1/completions" }},
		{"--base-url http://h/v1 --endpoint /chat/completions --backend openai-chat", func(o *Options) bool { return o.URLs[0] == "http://h" && o.Endpoint == "/v1/chat/completions" }},
		{"--targets a:1/v1,b:1/v1/chat/completions", func(o *Options) bool {
			return o.URLs[0] == "http://a:1" && o.URLs[1] == "http://b:1" && o.Backend == "openai-chat" && o.Endpoint == "/v1/chat/completions"
		}},
		{"localhost:9/api/chat", func(o *Options) bool { return o.URLs[0] == "http://localhost:9" && o.Backend == "ollama-chat" }},
		{"--targets http://a", func(o *Options) bool { return len(o.URLs) == 1 && o.URLs[0] == "http://a" }},
		{"--host ::1 --port 9", func(o *Options) bool { return o.URLs[0] == "http://[::1]:9" }},
		{"--host [::1]", func(o *Options) bool { return o.URLs[0] == "http://[::1]:8000" }},
		{"--dataset-name sharegpt --dataset-path x", func(o *Options) bool {
			return !o.IgnoreEOS && o.DatasetOptions.(*workload.ShareGPTOptions).OutputLen == nil
		}},
		{"--input-len 7 --random-input-len 9 --output-len 3", func(o *Options) bool {
			return reflect.DeepEqual(o.DatasetOptions, &workload.RandomOptions{InputLen: 7, OutputLen: 3, BatchSize: 1, RandomShape: workload.RandomShape{PrefixCount: 1}})
		}},
		{"--dataset-name sonnet --dataset-path x --input-len 700 --output-len 3", func(o *Options) bool {
			return reflect.DeepEqual(o.DatasetOptions, &workload.SonnetOptions{InputLen: 700, OutputLen: 3, PrefixLen: 200})
		}},
		{"--dataset-name sharegpt --dataset-path x --output-len 3 --no-oversample", func(o *Options) bool {
			return *o.DatasetOptions.(*workload.ShareGPTOptions).OutputLen == 3 && o.NoOversample && o.Path == "x"
		}},
		{"--dataset-name prefix_repetition --output-len 3", func(o *Options) bool {
			return reflect.DeepEqual(o.DatasetOptions, &workload.PrefixRepetitionOptions{PrefixLen: 256, SuffixLen: 256, NumPrefixes: 10, OutputLen: 3})
		}},
		{"--input-len 1000000", func(o *Options) bool { return o.DatasetOptions.(*workload.RandomOptions).InputLen == 1000000 }},
		{"--dataset-name custom --dataset-path x --custom-output-len -1 --num-prompts 0", func(o *Options) bool {
			return o.DatasetOptions.(*workload.CustomOptions).OutputLen == -1 && o.NumPrompts == 0
		}},
		{"--dataset-name custom --dataset-path x --output-len -1", func(o *Options) bool { return o.DatasetOptions.(*workload.CustomOptions).OutputLen == -1 }},
		{"--random-range-ratio 0.5", func(o *Options) bool { return ratio(o) == lengths.RangeRatio{Input: 0.5, Output: 0.5} }},
		{`--random-range-ratio {"input":0.1,"output":0.9}`, func(o *Options) bool { return ratio(o) == lengths.RangeRatio{Input: 0.1, Output: 0.9} }},
		{"--goodput ttft:100 e2el:2000.5", func(o *Options) bool {
			return reflect.DeepEqual(o.Goodput, spec.Limits{"ttft": 100, "e2el": 2000.5})
		}},
		{"--goodput ttft<=0.1s e2el:2000.5", func(o *Options) bool {
			return reflect.DeepEqual(o.Goodput, spec.Limits{"ttft": 100, "e2el": 2000.5})
		}},
		{"--goodput itl_p99.9:50 first_visible:900", func(o *Options) bool {
			return reflect.DeepEqual(o.Goodput, spec.Limits{"itl_p99.9": 50, "first_visible": 900})
		}},
		{"--burstiness inf --request-rate 5", func(o *Options) bool {
			return o.PaceName == pace.Constant && o.Burstiness() > 1e308 && o.Rate() == 5
		}},
		{"--duration 2m --max-concurrency 4", func(o *Options) bool { return o.Unbounded && o.NumPrompts == 0 && o.Duration == 2*time.Minute }},
		{"--duration 2m --num-prompts 9", func(o *Options) bool { return !o.Unbounded && o.NumPrompts == 9 }},
		{"--stages 10s@5,60s@50", func(o *Options) bool {
			return o.Unbounded && paceText(o) == `{"stages":"10s@5,1m0s@50","burstiness":1}`
		}},
		{"--ramp-rate 5..50 --ramp-duration 60s", func(o *Options) bool {
			return paceText(o) == `{"ramp_rate":"5..50","ramp_duration":"1m0s","burstiness":1}`
		}},
		{"--ramp-rate 0..1.5 --ramp-duration 60", func(o *Options) bool {
			return paceText(o) == `{"ramp_rate":"0..1.5","ramp_duration":"1m0s","burstiness":1}`
		}},
		{"--ramp-up-strategy linear --ramp-up-start-rps 1 --ramp-up-end-rps 9", func(o *Options) bool { return *o.PaceOptions.(*pace.RampOptions).EndRPS == 9 }},
		{"--compat vllm", func(o *Options) bool { return o.RequestTimeout == 6*time.Hour }},
		{"--compat vllm --request-timeout 5s", func(o *Options) bool { return o.RequestTimeout == 5*time.Second }},
		{"--disable-tqdm", func(o *Options) bool { return o.Progress == "none" }},
		{"--quiet", func(o *Options) bool { return o.Progress == "none" }},
		{"--extra_body.min_tokens 5", func(o *Options) bool { return string(o.ExtraBody) == `{"min_tokens":5}` }},
		{"--random-batch-size 1 --probe-request-rate 0.0 --lora-assignment random", func(*Options) bool { return true }},
		{"--base-url https://h --http2 --proxy none", func(o *Options) bool { return o.HTTP2 }},
		{"--trust-remote-code --tokenizer-mode hf", func(*Options) bool { return true }},
	}
	for _, tt := range tests {
		if _, o, err := parseServe(tt.line); err != nil {
			t.Errorf("%s: %v", tt.line, err)
		} else if !tt.ok(o) {
			t.Errorf("%s: %+v", tt.line, o)
		}
	}
}

// The short help shows four examples, the long one all of them; both keep to the width.
func TestServeHelp(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		set, _ := Flags()
		var short, b bytes.Buffer
		set.Help(&short, width)
		set.HelpAll(&b, width)
		if n := strings.Count(short.String(), "\n  # "); width >= 80 && n != 4 {
			t.Errorf("%d examples in short, want 4", n)
		}
		if n := strings.Count(b.String(), "\n  # "); width >= 80 && n < 5 {
			t.Errorf("%d examples, want 5 at least", n)
		}
		b.Write(short.Bytes())
		for line := range strings.Lines(b.String()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
	set, _ := Flags()
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
	set, o := Flags()
	set.ReadFile = func(string) ([]byte, error) { return []byte(config), nil }
	err := set.Parse([]string{"--max-concurrency", "9", "--config", "run.yaml"})
	if err == nil {
		err = o.Check(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.Endpoint != spec.ChatEndpoint || o.NumPrompts != 50 || *o.MaxConcurrency != 9 || ratio(o) != (lengths.RangeRatio{Input: 0.1, Output: 0.5}) ||
		!reflect.DeepEqual(o.Goodput, spec.Limits{"ttft": 200, "tpot": 50}) || o.Metadata[0] != (spec.Pair{Key: "gpu", Value: "h100"}) ||
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
