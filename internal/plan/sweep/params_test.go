package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/shlex"
)

func mustParams(t *testing.T, text string) Params {
	t.Helper()
	p, err := ParseParams([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a setting does to a command, and how it is named. The names are what Python's
// str() makes of the values: that is vLLM's rule.
func TestOverrides(t *testing.T) {
	for _, test := range []struct{ params, command, want, name string }{
		{`{"max_num_seqs": 32}`, "vllm serve m", "vllm serve m --max-num-seqs 32", "max_num_seqs=32"},
		{`{"max-num-seqs": 32}`, "vllm serve m --max_num_seqs 8 --x", "vllm serve m --max-num-seqs 32 --x", "max-num-seqs=32"},
		{`{"max_num_seqs": 32}`, "vllm --max-num-seqs=8 --x", "vllm --max-num-seqs 32 --x", "max_num_seqs=32"},
		{`{"enforce_eager": true}`, "vllm", "vllm --enforce-eager", "enforce_eager=True"},
		{`{"enforce_eager": false}`, "vllm --enforce-eager --x", "vllm --no-enforce-eager --x", "enforce_eager=False"},
		{`{"enforce_eager": true}`, "vllm --no-enforce-eager", "vllm --enforce-eager", "enforce_eager=True"},
		{`{"compilation_config.pass_config.fuse_act": true}`, "vllm", "vllm --compilation-config.pass_config.fuse_act=true", "compilation_config.pass_config.fuse_act=True"},
		{`{"a.b_c": 3}`, "vllm --a.b_c 1", "vllm --a.b_c 3", "a.b_c=3"},
		{`{"spec": {"method": "ngram", "n": [1, 2.50]}}`, "vllm", `vllm --spec '{"method": "ngram", "n": [1, 2.5]}'`, `spec={'method': 'ngram', 'n': [1, 2.5]}`},
		{`{"rate": 1e3, "label": "a b"}`, "b --label x", "b --label 'a b' --rate 1000.0", "rate=1000.0-label=a b"},
		{`{"goodput": ["ttft:1"]}`, "b", `b --goodput '['"'"'ttft:1'"'"']'`, `goodput=['ttft:1']`},
		{`{"none": null}`, "b", "b --none None", "none=None"},
		{`{"k": 5}`, "b --k", "b --k 5", "k=5"},
		{`{"k": 5}`, "b --k --other", "b --k 5 --other", "k=5"},
		{`{"temperature": -1}`, "b --temperature -2", "b --temperature -1", "temperature=-1"},
		{`{"_benchmark_name": "fast", "k": 1}`, "b", "b --k 1", "fast"},
		{`{}`, "b --x", "b --x", ""},
	} {
		it := mustParams(t, "["+test.params+"]")[0]
		command, err := shlex.Split(test.command)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(command)
		if got := shlex.Join(it.Apply(command)); got != test.want {
			t.Errorf("%s on %q:\n got %s\nwant %s", test.params, test.command, got, test.want)
		}
		if !slices.Equal(command, before) {
			t.Errorf("%s changed the command that it was given", test.params)
		}
		if it.Name() != test.name {
			t.Errorf("%s is named %q, want %q", test.params, it.Name(), test.name)
		}
	}
}

func TestParamsForms(t *testing.T) {
	p := mustParams(t, `{"b": {"k": 1}, "a": {"k": 2}}`)
	if len(p) != 2 || p[0].Name() != "b" || p[1].Name() != "a" {
		t.Errorf("named settings are %v", p)
	}
	for text, want := range map[string]string{
		`3`:            "a list of objects",
		`[]`:           "no setting",
		`[1]`:          "item 0",
		`{"a": 1}`:     `"a" is no object`,
		`[{}`:          "ends too early",
		`[{}] x`:       "something follows",
		`[{"k": 1,}]`:  "invalid character",
		`[{"k": tru}]`: "invalid character",
		`[{"_benchmark_name": "a"}, {"_benchmark_name": "a"}]`: `"a" is there twice`,
		strings.Repeat("[", 5000):                              "levels deep",
	} {
		if _, err := ParseParams([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParams(f *testing.F) {
	for _, seed := range []string{
		`[{"a": 1, "b.c": true, "d": {"e": [null, "x"]}}]`, `{"n": {"k": -0, "f": 1e999}}`, `[{"k": NaN}]`, `[{"\u0000": "\ud800"}]`, `[[`, `[{"_benchmark_name": {}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseParams(b)
		if err != nil {
			return
		}
		for _, it := range p {
			words := it.Apply([]string{"x", "--a", "--b=1"})
			back, err := shlex.Split(shlex.Join(words))
			if err != nil || !slices.Equal(back, words) {
				t.Errorf("%q comes back as %q, %v", words, back, err)
			}
			if name := fileName(it.Name()); strings.ContainsRune(name, '/') || strings.Contains(name, "..") {
				t.Errorf("the name %q leaves its folder", name)
			}
			if _, err := parseJSON(pyJSONFile(Object(it))); err != nil {
				t.Errorf("%s: %v", pyJSONFile(Object(it)), err)
			}
		}
	})
}
