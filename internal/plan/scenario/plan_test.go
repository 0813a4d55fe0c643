package scenario

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/option"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the golden files")

// environment is empty but for what a test gives.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// planOf plans a scenario that stands in a test.
func planOf(t *testing.T, text string, set ...string) *Plan {
	t.Helper()
	plan, err := tryPlan(t, text, PlanOptions{Program: "inferometer"}, set...)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func tryPlan(t *testing.T, text string, opt PlanOptions, set ...string) (*Plan, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	doc, err := Load(Source{File: file, Set: set, Lookup: environment("HOME", "/home/me", "EMPTY", "")})
	if err != nil {
		return nil, err
	}
	return doc.Plan(opt)
}

func ids(plan *Plan) (list []string) {
	for _, p := range plan.Points {
		list = append(list, p.ID)
	}
	return list
}

// Every mistake is told with its file and line, and all of them at once.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			doc, err := Load(Source{File: file, Lookup: environment()})
			if err == nil {
				_, err = doc.Plan(PlanOptions{})
			}
			if err == nil {
				t.Fatal("no error")
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, readErr := os.ReadFile(golden)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const two = `
name: two
targets:
  a: {command: "serve {port}"}
  b: {command: "serve --fast {port}"}
matrix: {concurrency: [1, 2]}
repeat: 2
`

func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		order string
		want  []string
	}{
		{"sequential", []string{"a1r1", "a1r2", "a2r1", "a2r2", "b1r1", "b1r2", "b2r1", "b2r2"}},
		// The second round goes backwards: b stays up, and each place in time is had by both.
		{"interleaved", []string{"a1r1", "a2r1", "b1r1", "b2r1", "b2r2", "b1r2", "a2r2", "a1r2"}},
		{"rotated", []string{"a1r1", "a2r1", "b1r1", "b2r1", "b1r2", "b2r2", "a1r2", "a2r2"}},
	} {
		var got []string
		for _, p := range planOf(t, two, "order="+tt.order).Points {
			got = append(got, p.Target()+p.Values["concurrency"]+p.ID[len(p.ID)-2:])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.order, diff)
		}
	}
}

// Servers that are up already need no restart: the same point goes to each in turn.
func TestOrderOfServersThatAreUp(t *testing.T) {
	plan := planOf(t, two, "order=interleaved", "targets.a={base_url: http://a}", "targets.b={base_url: http://b}", "repeat=1")
	want := []string{"a_concurrency-1_r1", "b_concurrency-1_r1", "a_concurrency-2_r1", "b_concurrency-2_r1"}
	if diff := cmp.Diff(want, ids(plan)); diff != "" {
		t.Error(diff)
	}
}

// Routers are compared in rotated order, each first equally often, and each point has its control at the same lengths.
func TestRouters(t *testing.T) {
	const file = `
name: r
routers: {}
targets: {a: {base_url: "http://a"}, b: {base_url: "http://b"}, c: {base_url: "http://c"}}
workload: {dataset: prefix_repetition, num_prompts: 40, num_prefixes: 5, prefix_len: 64, suffix_len: 8}
pace: {rate: 5}
`
	plan := planOf(t, file)
	var got []string
	for _, p := range plan.Points {
		got = append(got, p.ID)
		want := "5"
		if p.Values[promptsAxis] == uniquePrompts {
			want = "40"
		}
		words := strings.Join(p.Load.Words(), " ")
		for _, flag := range []string{"--prefix-repetition-num-prefixes " + want, "--prefix-repetition-prefix-len 64", "--num-prompts 40"} {
			if !strings.Contains(words, flag) {
				t.Errorf("%s has no %s: %s", p.ID, flag, words)
			}
		}
	}
	var want []string
	for i, round := range []string{"abc", "bca", "cab"} {
		for _, target := range round {
			for _, prompts := range []string{sharedPrompts, uniquePrompts} {
				want = append(want, fmt.Sprintf("%c_prompts-%s_r%d", target, prompts, i+1))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(planOf(t, file, "routers.control=false", "routers.closed=accepted", "pace={concurrency: 4}", "repeat=2").Points); n != 6 {
		t.Errorf("%d points without a control, want 6", n)
	}
	random := planOf(t, file, "workload={dataset: random, num_prompts: 9, input_len: 10, prefix_len: 30}")
	if words := strings.Join(random.Points[1].Load.Words(), " "); !strings.Contains(words, "--input-len 40") || strings.Contains(words, "--random-prefix-len 30") {
		t.Errorf("the control of random prompts is %s", words)
	}
}

func TestRandomOrder(t *testing.T) {
	const set = "matrix.concurrency=[1,2,3,4,5,6,7,8]"
	first, again := ids(planOf(t, two, "order=random", set)), ids(planOf(t, two, "order=random", set))
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the seed does not decide: %s", diff)
	}
	if cmp.Equal(first, ids(planOf(t, two, "order=random", set, "workload.seed=1"))) {
		t.Error("another seed gives the same order")
	}
	changes, at := 0, ""
	for _, p := range planOf(t, two, "order=random", set).Points {
		if p.Target() != at {
			changes, at = changes+1, p.Target()
		}
	}
	if changes > 4 {
		t.Errorf("%d starts of servers for two rounds of two", changes)
	}
	if slices.IsSorted(first[:8]) {
		t.Errorf("not shuffled: %v", first)
	}
}

func TestMatrix(t *testing.T) {
	plan := planOf(t, `
name: m
vars: {slots: 1, model: small}
targets:
  llama: {command: "llama --parallel {slots} --model {model} --port {port} ${HOME}", env: {N: "{slots}"}}
  url: {base_url: "http://h:1"}
workload: {input_len: 5}
matrix:
  target: [llama]
  slots: [1, 2]
  shape:
    - {name: short, input_len: 10, output_len: 2}
    - {input_len: 20, pace.rate: 0.5}
  exclude:
    - {slots: 2, shape: short}
`)
	want := []string{"llama_slots-1_shape-short_r1", "llama_slots-1_shape-input-len=20-pace.rate=0.5_r1", "llama_slots-2_shape-input-len=20-pace.rate=0.5_r1"}
	if diff := cmp.Diff(want, ids(plan)); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]string{"target", "slots", "shape"}, plan.Axes); diff != "" {
		t.Error(diff)
	}
	last := plan.Points[2]
	if got := last.target.Command.Args[2]; got != "llama --parallel 2 --model small --port {port} /home/me" || last.target.Env["N"] != "2" {
		t.Errorf("%q, %v", got, last.target.Env)
	}
	if args := strings.Join(last.Load.Words(), " "); !strings.Contains(args, "--input-len 20") || !strings.Contains(args, "--request-rate 0.5") {
		t.Error(args)
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"what is not given is left out", `targets: {a: {base_url: "http://h:1"}}`,
			"--label a_r1 --backend openai --seed 0 --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99 --base-url http://h:1",
		},
		{
			"a target's own wins", `
targets: {a: {base_urls: ["http://h:1", "http://h:2"], balance: sticky, model: mine, flags: {temperature: 1}}}
workload: {model: ours, backend: openai-chat, tokenizer: none, dataset: prefix_repetition, input_len: 3, prefix_len: 4, num_prefixes: 2, seed: 7}
pace: {concurrency: 2, rate: .inf, duration: 1m, request_timeout: 5s}
flags: {temperature: 0, extra-body: {a: [1]}, insecure: true, http2: false, header: ["A=1", "B=2"], top-p: -1}
slo: [p95_e2el<5s, median_ttft<1s]
warmup: 3
`,
			`--label a_r1 --backend openai-chat --model mine --skip-tokenizer-init --dataset-name prefix_repetition ` +
				`--prefix-repetition-suffix-len 3 --prefix-repetition-prefix-len 4 --prefix-repetition-num-prefixes 2 --seed 7 ` +
				`--max-concurrency 2 --request-rate Inf --duration 1m0s --request-timeout 5s --num-warmups 3 ` +
				`--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99 ` +
				`--temperature=0 --extra-body={"a":[1]} --insecure --header A=1 B=2 --top-p=-1 --temperature=1 ` +
				`--targets http://h:1,http://h:2 --balance sticky`,
		},
		{
			"prompts by the slot", "targets: {a: {base_url: \"http://h:1\"}}\nworkload: {prompts_per_slot: 5, num_prompts: 1}\npace: {concurrency: 3}",
			"--label a_r1 --backend openai --num-prompts 15 --seed 0 --max-concurrency 3 --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99 --base-url http://h:1",
		},
	} {
		plan := planOf(t, "name: x\n"+tt.text)
		if diff := cmp.Diff(strings.Fields(tt.want), checked(plan.Points[0])); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// checked is what bench serve is asked whether a point can be run.
func checked(p *Point) []string { return p.at(p.Load, p.checkedURLs()).Words() }

// A point keeps its folder, its seed and its fingerprint when others are added.
func TestPointsStayWhenOthersAreAdded(t *testing.T) {
	before := map[string]string{}
	for _, p := range planOf(t, two).Points {
		before[p.ID] = p.Fingerprint
	}
	found := 0
	for _, p := range planOf(t, two, "matrix.concurrency=[8,1,2,4]", "repeat=3", "order=random", "cooldown=1s").Points {
		if old, ok := before[p.ID]; ok {
			found++
			if old != p.Fingerprint {
				t.Errorf("%s is another one now", p.ID)
			}
		}
	}
	if found != len(before) {
		t.Errorf("%d of %d points are still there", found, len(before))
	}
	for _, set := range []string{"warmup=1", "workload.seed=3", "targets.a.env={X: y}", "targets.a.command=serve -x {port}", "slo=failed<1%"} {
		if p := planOf(t, two, set).Points[0]; before[p.ID] == p.Fingerprint {
			t.Errorf("%s changes nothing", set)
		}
	}
}

// The same point of two targets has the same prompts; two points of one target have not.
func TestSeeds(t *testing.T) {
	seeds := map[string]string{}
	for _, p := range planOf(t, two).Points {
		seeds[p.ID] = p.Load.Words()[slices.Index(p.Load.Words(), "--seed")+1]
	}
	if seeds["a_concurrency-1_r1"] != seeds["b_concurrency-1_r1"] {
		t.Errorf("targets differ: %v", seeds)
	}
	different := map[string]bool{}
	for _, id := range []string{"a_concurrency-1_r1", "a_concurrency-1_r2", "a_concurrency-2_r1", "a_concurrency-2_r2"} {
		different[seeds[id]] = true
	}
	if len(different) != 4 {
		t.Errorf("points share a seed: %v", seeds)
	}
	for _, p := range planOf(t, two, "workload.same_prompts=true", "workload.seed=9").Points {
		if !slices.Contains(p.Load.Words(), "9") {
			t.Errorf("%s has not the file's seed: %v", p.ID, p.Load.Words())
		}
	}
}

func TestExtends(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sub/base.yaml": "name: base\ntargets: {a: {base_url: \"http://a\", model: m}, b: {base_url: \"http://b\"}}\nworkload: {path: data.json, seed: 1}\nmatrix: {rate: [1, 2], concurrency: [1]}\n",
		"top.yaml":      "extends: sub/base.yaml\nname: top\ntargets: {a: {model: n}, b: null}\nworkload: {seed: 2}\nmatrix: {rate: [3]}\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := Load(Source{File: filepath.Join(dir, "top.yaml"), Lookup: environment()})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := doc.Plan(PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a_rate-3_concurrency-1_r1"}, ids(plan)); diff != "" || plan.Name != "top" {
		t.Errorf("%s: %s", plan.Name, diff)
	}
	s := plan.Points[0].scenario
	if s.Targets["a"].BaseURL != "http://a" || s.Targets["a"].Model != "n" || s.Workload.Seed != 2 {
		t.Errorf("%+v %+v", s.Targets["a"], s.Workload)
	}
	if want := filepath.Join(dir, "sub", "data.json"); string(s.Workload.Path) != want {
		t.Errorf("the path is %s; it counts from the file that names it: %s", s.Workload.Path, want)
	}
}

func TestExtendsItself(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(file, []byte("extends: a.yaml\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Source{File: file, Lookup: environment()}); err == nil || !strings.Contains(err.Error(), "extends itself") {
		t.Error(err)
	}
}

// The kept text holds no value of the environment: it may be a secret.
func TestTextHidesTheEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("name: x\ntargets: {a: {base_url: \"http://a\", model: \"${KEY}\"}}\nvars: {d: \"${NONE:-e}\", f: \"$${X}\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	doc, err := Load(Source{File: file, Lookup: environment("KEY", "secret")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.Text()
	if err != nil || strings.Contains(string(text), "secret") || !strings.Contains(string(text), "${KEY}") {
		t.Errorf("%s %v", text, err)
	}
	var errs errorList
	s := doc.decode(doc.root, &errs)
	if s.Targets["a"].Model != "secret" || s.Vars["d"] != "e" || s.Vars["f"] != "${X}" {
		t.Errorf("%+v, %v", s.Targets["a"], s.Vars)
	}
}

func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  []string
	}{
		{[]string{"target=b", "concurrency=2", "_r1"}, []string{"b_concurrency-2_r1"}},
		{[]string{"a_concurrency-1"}, []string{"a_concurrency-1_r1", "a_concurrency-1_r2"}},
		{[]string{"target=c"}, nil},
	} {
		plan, err := tryPlan(t, two, PlanOptions{Only: tt.words})
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%v: %v", tt.words, err)
			continue
		}
		if err == nil {
			plan.Points = plan.Selected()
			if diff := cmp.Diff(tt.want, ids(plan)); diff != "" {
				t.Errorf("%v: %s", tt.words, diff)
			}
		}
	}
}

// What bench serve has against a point is an error of the plan.
func TestCheck(t *testing.T) {
	_, err := tryPlan(t, two, PlanOptions{Check: func(settings option.Settings) error {
		if slices.Contains(settings.Words(), "b_concurrency-2_r1") {
			return errors.New("no good")
		}
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), "point b_concurrency-2_r1: no good") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(two))
	files, _ := filepath.Glob("testdata/errors/*.yaml")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("<<: {name: x}\ntargets: {<<: {a: {base_url: x}}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := parseYAML("x", text)
		if err != nil {
			return
		}
		d := &Document{File: "x", files: map[*yaml.Node]string{}}
		d.root = d.resolve(root, "x")
		d.source = d.root
		d.expand(d.root, environment(), &d.errs)
		if d.errs.err() != nil {
			return
		}
		if plan, err := d.Plan(PlanOptions{}); err == nil && len(plan.Points) == 0 {
			t.Error("a plan without points")
		}
	})
}
