package batches

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string][]int{
		"512": {512}, "1-4": {1, 2, 3, 4}, "512-2048+512": {512, 1024, 1536, 2048}, "1-20*2": {1, 2, 4, 8, 16}, "7-7": {7}, " 3 ": {3},
		"": nil, "x": nil, "4-1": nil, "1-": nil, "-1": nil, "1-5+0": nil, "1-5*1": nil, "0-8*2": nil, "1-5+x": nil, "0-99999999": nil, "1-5*-2": nil,
	} {
		got, ok := parseRange(text)
		if ok != (want != nil) || ok && !cmp.Equal(got, want) {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
}

// The tests and their order are llama-bench's.
func TestShapesOfFlags(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                    {"pp512", "tg128"},
		"-p 64,128 -n 0":                      {"pp64", "pp128"},
		"-p 64 -p 128 -n 16":                  {"pp64", "pp128", "tg16"},
		"-pg 64,16 -n 8":                      {"pp512", "tg8", "pp64+tg16"},
		"--pg 64,16 -pg=32,8 -p 0 -n 0":       {"pp64+tg16", "pp32+tg8"},
		"--n-prompt 8 --n-gen 4 -d 0,32":      {"pp8", "tg4", "pp8 @ d32", "tg4 @ d32"},
		"--n-prompt 8 --n-gen 0 --batch 1-3":  {"pp8", "pp8", "pp8"},
		"-p 8 -n 0 -d 1-4*2 --repetitions 12": {"pp8 @ d1", "pp8 @ d2", "pp8 @ d4"},
	} {
		set, o := shapesFlags()
		if err := set.Parse(llamaArgs(strings.Fields(line))); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := o.validate(); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		var got []string
		for _, s := range o.shapes() {
			got = append(got, s.Test())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", line, d)
		}
	}
}
