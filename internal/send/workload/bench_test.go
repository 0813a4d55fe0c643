package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const questions = `{"category": "math", "turns": ["one"]}
{"category": "qa\u001b[31m", "turns": ["two"]}
`

func TestMistakesInBenchesAreNamed(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "qualitative.jsonl"), []byte(`{"messages": [{"role": "user"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := func(text, category string) Options {
		o := Defaults("spec_bench")
		o.Path, o.Tokenizer = writeFile(t, "question.jsonl", text), fakeVocabulary{}
		o.Own.(*SpecBenchOptions).Category = category
		return o
	}
	speed := func(path, subset string) Options {
		o := Defaults("speed_bench")
		o.Path, o.Tokenizer = path, fakeVocabulary{}
		o.Own.(*SpeedBenchOptions).Subset = subset
		return o
	}
	for _, c := range []struct {
		want string
		o    Options
	}{
		{`no entry of the category "maths"; its categories: math, qa`, spec(questions, "maths")},
		{"entry 1: it has no turns", spec(`{"turns": []}`, "")},
		{"list of turns", spec(`{"turns": "one"}`, "")},
		{"no entry that can be used", spec("\n", "")},
		{"is not a folder: give the one that holds qualitative.jsonl", speed(writeFile(t, "x", "y"), "qualitative")},
		{"no such file", speed(filepath.Join(folder, "absent"), "qualitative")},
		{"throughput_1k.jsonl: no such file", speed(folder, "throughput_1k")},
		{"its first message has no content", speed(folder, "qualitative")},
	} {
		_, err := Open(c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%v; want an error with %q", err, c.want)
		}
	}
}

// TestBenchesAreShuffledBySeedZero: vLLM does not hand them the run's seed.
func TestBenchesAreShuffledBySeedZero(t *testing.T) {
	prompts := func(seed uint64) (all string) {
		o := Defaults("spec_bench")
		o.Path, o.Seed, o.NumPrompts = writeFile(t, "question.jsonl", strings.Repeat(questions, 20)), seed, 0
		d, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		list, err := take(d, 40)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			all += r.Prompt + " "
		}
		return all
	}
	if prompts(1) != prompts(2) {
		t.Error("the seed changes the order")
	}
}

// BenchmarkPassOver is what a client of a fleet pays for a prompt of 256 words that another one sends.
func BenchmarkPassOver(b *testing.B) {
	d, err := Open(Options{Dataset: "random", NumPrompts: b.N, Own: &RandomOptions{InputLen: 256, OutputLen: 128, BatchSize: 1}})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	Want(d, func(int) bool { return false })
	b.ResetTimer()
	for range b.N {
		if _, err := d.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
