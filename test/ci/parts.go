package main

import (
	"regexp"
	"slices"
	"strings"
)

// part is something that must hold: a command, or the tests of some packages.
type part struct {
	name  string
	from  rung // the first rung that runs it
	only  bool // and no other does: the next one has a larger part in its place
	core  bool // it runs however late it is
	alone bool // it measures, so nothing else runs meanwhile
	tell  bool // what it prints is shown: figures
	needs []string
	run   []string // a command

	packages []string          // or tests of these packages
	of       func(string) bool // or of all packages without a part of their own that this takes
	again    *regexp.Regexp    // or those that skipped themselves in earlier parts for this reason
	flags    []string
	args     []string // of the test programs
	env      []string
}

// gets are what parts need. The scripts say what each costs on a bare machine; docs/testing.md has the figures.
var gets = []get{
	{name: "three tokenizers", run: words("scripts/tokenizers.sh gpt2 qwen2_5 llama3"), must: true},
	{name: "programs of the system", run: words("scripts/programs.sh")},
	{name: "nats-server", run: words("scripts/nats-server.sh"), env: "INFEROMETER_NATS", must: true},
	{name: "llama.cpp", run: words("scripts/llama-server.sh"), env: "INFEROMETER_LLAMA", must: true},
	{name: "Ollama", run: words("scripts/ollama.sh"), env: "INFEROMETER_OLLAMA", must: true},
	{name: "vllm-router", run: words("scripts/routers.sh vllm-router"), env: "INFEROMETER_VLLM_ROUTER"},
	{name: "sglang-router", run: words("scripts/routers.sh sglang-router"), env: "INFEROMETER_SGLANG_ROUTER"},
	{name: "smg", run: words("scripts/routers.sh smg"), env: "INFEROMETER_SMG"},
	{name: "nginx", run: words("scripts/routers.sh nginx"), env: "INFEROMETER_NGINX"},
	{name: "Dynamo", run: words("scripts/routers.sh dynamo"), env: "INFEROMETER_DYNAMO"},
	{name: "Chromium", run: words("scripts/browser.sh install"), env: "INFEROMETER_BROWSER"},
	{name: "mdBook", run: words("scripts/site.sh mdbook")},
	{name: "pandas and Polars", run: words("scripts/wheel-venv.sh"), env: "INFEROMETER_WHEEL"},
	{name: "DuckDB", run: words("scripts/parquet.sh"), env: "INFEROMETER_PARQUET"},
	{name: "Helm", run: words("scripts/kube.sh lint"), env: "INFEROMETER_KUBE"},
	{name: "S3 gateway", run: words("scripts/s3.sh"), env: "INFEROMETER_S3"},
	{name: "lintian", run: words("scripts/programs.sh all")},
	{name: "Wine", run: words("scripts/programs.sh wine")},
	{name: "GoReleaser", run: words("scripts/goreleaser.sh")},
	{name: "all tokenizers", run: words("scripts/tokenizers.sh all")},
	{name: "tokenizers in other formats", run: words("scripts/tokenizer-formats.sh")},
	{name: "LiteLLM", run: words("scripts/litellm.sh"), env: "INFEROMETER_LITELLM"},
	{name: "lm-eval", run: words("scripts/lm-eval.sh"), env: "INFEROMETER_LM_EVAL"},
	{name: "Prometheus", run: words("scripts/prometheus.sh"), env: "INFEROMETER_PROMETHEUS"},
	{name: "collector", run: words("scripts/otel-collector.sh"), env: "INFEROMETER_OTELCOL"},
	{name: "Grafana's types", run: words("scripts/grafana-schema.sh"), env: "INFEROMETER_GRAFANA"},
	{name: "Kubernetes", run: words("scripts/kube.sh"), env: "INFEROMETER_KUBE"},
	{name: "vLLM", run: words("scripts/vllm-cpu.sh"), env: "INFEROMETER_VLLM"},
	{name: "AIPerf", run: words("scripts/aiperf.sh"), env: "INFEROMETER_AIPERF"},
	{name: "GuideLLM", run: words("scripts/guidellm.sh"), env: "INFEROMETER_GUIDELLM"},
}

// The race detector is for what runs at the same time. Right of the journal nothing does, and simulated
// statistics take ten times as long under it. Tests that start the program hundreds of times take four times as much
// of a processor: those of internal/cli have it in the last rung, those of test/repo start a program without it, and
// those of the sandbox run programs in other languages.
var (
	programs = regexp.MustCompile(`^(test/repo|internal/cli|internal/eval/sandbox)$`)
	pure     = regexp.MustCompile(`^(internal/(judge|compat|foreign|option|outside|stats)(/.*)?|internal/eval/(score|changes)|internal/show/(chart|export|page|parquet|plot|table|number|section)|tokenizer(/.*)?|internal/plan/search|bench/.*)$`)
)

// Tests that read the source of llama.cpp have a part of their own, and so have those that skip themselves under the
// race detector because they measure time or memory which it would take.
const ofLlama = "^(TestGGUF|TestShippedTemplates)$"

var unraced = regexp.MustCompile("race detector")

// parts are all that there is, in the order in which it is run: first what needs nothing, then real servers, then the rest.
var parts = []part{
	{name: "format, vet and lint", core: true, run: words("scripts/lint.sh")},
	{name: "nothing that no command reaches, but for what is listed", core: true, run: words("scripts/deadcode.sh")},
	{name: "go.mod is tidy", core: true, run: words("go mod tidy -diff")},
	{name: "workflows, by actionlint", core: true, run: words("make lint-workflows")},
	{name: "static build", core: true, run: words("make build")},
	{name: "units, fewer samples", only: true, core: true, needs: unitNeeds, of: every, flags: []string{"-short", "-skip", ofLlama}},
	{name: "units: pure functions, and whole programs", from: landing, core: true, needs: unitNeeds, of: isPlain, flags: []string{"-skip", ofLlama}},
	{name: "units: what runs at the same time, race detector", from: landing, core: true, needs: unitNeeds, of: isRaced, flags: []string{"-race", "-skip", ofLlama}},
	{name: "the tokenizer by many at once, race detector", from: landing, core: true, needs: unitNeeds, packages: words("./tokenizer"), flags: words("-race -run Concurrent")},
	{name: "whole programs, race detector", from: all, core: true, needs: unitNeeds, packages: words("./internal/cli"), flags: words("-race"), env: words("INFEROMETER_SCRIPTS_RACE=1")},
	{name: "cross builds", from: landing, core: true, run: words("make cross")},
	{name: "notices and SBOM: every module has its licence", from: landing, core: true, run: words("scripts/notices.sh bin/inferometer")},
	{name: "versions of a checkout", from: landing, only: true, core: true, packages: words("./test/release"), flags: words("-run TestVersionOfACheckout|TestWheelVersion|TestProgramSaysItsVersion")},
	{name: "what the race detector would spoil, without it", from: landing, core: true, alone: true, needs: unitNeeds, again: unraced},
	{name: "a verdict for each scene that spoils a measurement", from: landing, core: true, alone: true, packages: words("./test/scenes")},
	{name: "a hostile server, both engines, memory limit", from: landing, core: true, alone: true, packages: words("./test/hostile")},
	{name: "whole fleets against the truth", from: landing, only: true, core: true, alone: true, needs: words("nats-server"), packages: words("./test/fleet"), args: words("-seeds 5")},
	{name: "whole fleets against the truth, every fault", from: all, core: true, alone: true, needs: words("nats-server"), packages: words("./test/fleet"), args: words("-seeds 5 -faults all")},
	{name: "accuracy against the simulator, wide margin", from: landing, core: true, alone: true, tell: true, run: words("go run ./bench/accuracy -binary bin/inferometer -rounds 6 -best -max-median 500us -max-p99 5ms")},
	{name: "what selftest claims holds in a second run", from: landing, core: true, alone: true, tell: true, run: words("go run ./bench/twice -binary bin/inferometer -max-streams 10")},
	{name: "a load through four restarts of its server", from: landing, core: true, alone: true, tell: true, run: words("go run ./bench/restarts -binary bin/inferometer -restarts 4")},
	{name: "agents replayed as AIPerf replays them", from: landing, only: true, core: true, alone: true, packages: words("./test/aiperf")},
	{name: "the yardsticks of client cost", from: landing, core: true, run: words("go build -o bin/ ./bench/bare ./bench/epoll ./bench/client"), env: words("CGO_ENABLED=0")},
	{name: "client cost against them, wide margin", from: landing, core: true, alone: true, tell: true, run: words("bin/client -rounds 5 -best -requests 600 -max-loop 1.6 -max-nethttp 3")},

	{name: "the real llama-server", from: landing, only: true, alone: true, needs: words("llama.cpp"), packages: words("./test/llama"), env: realQuick},
	{name: "tokenizers and templates of llama.cpp's source", from: landing, needs: words("llama.cpp"), packages: words("./tokenizer ./tokenizer/jinja"), flags: []string{"-run", ofLlama}},
	{name: "the real Ollama", from: landing, only: true, alone: true, needs: words("Ollama"), packages: words("./test/ollama"), env: realQuick},
	{name: "the real routers", from: landing, only: true, alone: true, needs: words("vllm-router sglang-router smg Dynamo nginx"), packages: words("./test/routers")},
	{name: "the HTML report in a real Chromium", from: landing, alone: true, needs: words("Chromium"), packages: words("./test/browser")},
	{name: "the site is built", from: landing, needs: words("mdBook"), run: words("scripts/site.sh dist/site")},
	{name: "the site: every link, every page in a real Chromium", from: landing, needs: words("mdBook Chromium"), packages: words("./test/site"), env: words("INFEROMETER_SITE=$PWD/dist/site")},
	{name: "the Python wheel, installed and used", from: landing, needs: []string{"pandas and Polars"}, packages: words("./test/wheel")},
	{name: "Parquet read by DuckDB and pandas", from: landing, needs: words("DuckDB"), packages: words("./test/parquet")},
	{name: "the Helm chart and the manifests, rendered", from: landing, only: true, needs: words("Helm nats-server"), packages: words("./test/kube"), flags: words("-run TestChart|TestTypos|TestManifests|TestCommands")},
	{name: "uploads to a real S3 store", from: landing, needs: []string{"S3 gateway"}, packages: words("./test/s3")},
	{name: "the release is described rightly", from: landing, needs: words("GoReleaser"), run: []string{"bash", "-c", `"$(scripts/goreleaser.sh)" check`}},
	{name: "harnesses of other projects", from: landing, packages: words("./test/deploy")},
	{name: "the Windows build under Wine", from: landing, alone: true, needs: words("Wine"), packages: words("./test/windows")},
	{name: "agents over ssh", from: landing, needs: []string{"programs of the system", "nats-server"}, packages: words("./test/ssh")},

	{name: "the real llama-server, all that it is sent", from: all, alone: true, needs: words("llama.cpp"), packages: words("./test/llama")},
	{name: "the real Ollama, all that it is sent", from: all, alone: true, needs: words("Ollama"), packages: words("./test/ollama")},
	{name: "all tokenizers, id by id", from: all, needs: []string{"all tokenizers", "tokenizers in other formats"}, packages: words("./tokenizer ./tokenizer/jinja"), flags: words("-run Parity|Families"), env: words("INFEROMETER_ALL_TOKENIZERS=1")},
	{name: "a hostile server under TLS", from: all, alone: true, packages: words("./test/hostile"), env: words("INFEROMETER_HOSTILE_TLS=1")},
	{name: "the real routers, LiteLLM too, every fault", from: all, alone: true, needs: words("vllm-router sglang-router smg Dynamo nginx LiteLLM"), packages: words("./test/routers"), flags: words("-timeout 30m"), args: words("-faults all")},
	{name: "through the real LiteLLM", from: all, alone: true, needs: words("llama.cpp LiteLLM"), packages: words("./test/gateway")},
	{name: "the questions of the real lm-eval, byte for byte", from: all, needs: words("lm-eval"), packages: words("./test/lmeval")},
	{name: "the real Prometheus and the real collector", from: all, alone: true, needs: []string{"Prometheus", "collector", "Grafana's types"}, packages: words("./test/export")},
	{name: "the Helm chart against a real Kubernetes", from: all, needs: words("Kubernetes nats-server"), packages: words("./test/kube")},
	{name: "the real vLLM", from: all, alone: true, needs: words("vLLM lm-eval"), packages: words("./test/vllm"), flags: words("-timeout 60m")},
	{name: "results of vLLM's client and GuideLLM beside ours", from: all, alone: true, needs: words("vLLM GuideLLM"), packages: words("./test/peers"), flags: words("-timeout 60m")},
	{name: "agents replayed beside the real AIPerf", from: all, alone: true, needs: words("AIPerf"), packages: words("./test/aiperf"), flags: words("-timeout 60m")},
	{name: "breaks of the code that the tests notice", from: all, alone: true, tell: true, run: words("go run ./bench/mutation")},
	{name: "how often the judges are right", from: all, alone: true, tell: true, run: words("go run ./bench/judgement -binary bin/inferometer")},
	{name: "a whole release is built", from: all, needs: words("GoReleaser"), run: words("scripts/release.sh")},
	{name: "the release, installed and used", from: all, needs: words("lintian"), packages: words("./test/release"), env: words("INFEROMETER_RELEASE=$PWD/dist")},
}

// leavers are tests that leave themselves out of the rungs below the given one, by the reason that they say. Like
// parts that a rung leaves out they are named, and are no skipped ones: a higher rung runs them.
var leavers = []struct {
	below rung
	says  *regexp.Regexp
}{
	{all, regexp.MustCompile(`^not in every run: set INFEROMETER_ALL_TOKENIZERS=1`)},
	{all, regexp.MustCompile(`^-faults all plays it`)},
	{all, regexp.MustCompile(`^INFEROMETER_LITELLM is not set`)},
}

var (
	unitNeeds = []string{"three tokenizers", "programs of the system", "nats-server"}
	realQuick = []string{"INFEROMETER_REAL_QUICK=1"}
)

func words(s string) []string { return strings.Fields(s) }

func every(string) bool        { return true }
func isPlain(name string) bool { return pure.MatchString(name) || programs.MatchString(name) }
func isRaced(name string) bool { return !isPlain(name) }

// in tells whether a rung runs the part.
func (p *part) in(r rung) bool { return p.from == r || p.from < r && !p.only }

// own are the packages under test/ that some part names: they are no units.
func own() []string {
	var out []string
	for _, p := range parts {
		for _, name := range p.packages {
			if strings.HasPrefix(name, "./test/") {
				out = append(out, strings.TrimPrefix(name, "./"))
			}
		}
	}
	return out
}

// chosen are the packages whose tests the part runs, of all that there are.
func (p *part) chosen(packages []string) []string {
	if p.of == nil {
		return slices.Clone(p.packages)
	}
	named := own()
	var out []string
	for _, name := range packages {
		if s := short(name); p.of(s) && !slices.Contains(named, s) {
			out = append(out, name)
		}
	}
	return out
}

// wanted are the things that the parts of a rung need, in the order in which they do.
func wanted(parts []part, r rung) []get {
	var out []get
	for _, p := range parts {
		if !p.in(r) {
			continue
		}
		for _, name := range p.needs {
			i := slices.IndexFunc(gets, func(g get) bool { return g.name == name })
			if !slices.ContainsFunc(out, func(g get) bool { return g.name == name }) {
				out = append(out, gets[i])
			}
		}
	}
	return out
}
