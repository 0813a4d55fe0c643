package numpy

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// The vectors that all of the project shares, beside those in testdata.
func TestDrawsAsTheGoldenFile(t *testing.T) {
	var golden struct {
		Integers []struct {
			Seed   uint64
			Low    int64
			High   int64 `json:"high_inclusive"`
			Values []int64
		} `json:"pcg64_integers"`
		ThreeDraws struct {
			Seed                  uint64
			Input, Output, Offset []int64
		} `json:"pcg64_three_draws"`
		Python []struct {
			Seed    uint64
			Shuffle []int     `json:"shuffle_20"`
			Choice  []int     `json:"choice_100_x10"`
			Random  []float64 `json:"random_x5"`
			Choices []int     `json:"choices_50_k10"`
		} `json:"python_random"`
	}
	testfiles.JSON(t, &golden, "compat", "golden.json")
	if len(golden.Integers) == 0 || len(golden.Python) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range golden.Integers {
		same(t, c.Values, func(g *Generator) int64 { return g.Integers(c.Low, c.High+1) }, NewGenerator(c.Seed))
	}
	three, g := golden.ThreeDraws, NewGenerator(golden.ThreeDraws.Seed)
	same(t, three.Input, func(g *Generator) int64 { return g.Integers(922, 1128) }, g)
	same(t, three.Output, func(g *Generator) int64 { return g.Integers(116, 142) }, g)
	same(t, three.Offset, func(g *Generator) int64 { return g.Integers(0, 50257) }, g)
	for _, c := range golden.Python {
		order := make([]int, len(c.Shuffle))
		for i := range order {
			order[i] = i
		}
		NewPython(c.Seed).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if !slices.Equal(order, c.Shuffle) {
			t.Errorf("shuffle: %v, want %v", order, c.Shuffle)
		}
		same(t, c.Choice, func(p *Python) int { return p.Below(100) }, NewPython(c.Seed))
		same(t, c.Random, (*Python).Random, NewPython(c.Seed))
		same(t, c.Choices, func(p *Python) int { return p.Choices(50) }, NewPython(c.Seed))
	}
}

func same[R any, V comparable](t *testing.T, want []V, draw func(R) V, from R) {
	t.Helper()
	for i, w := range want {
		if got := draw(from); got != w {
			t.Errorf("draw %d: %v, want %v", i, got, w)
		}
	}
}
