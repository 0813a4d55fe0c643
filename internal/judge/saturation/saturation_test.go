package saturation

import (
	"math"
	"strings"
	"testing"
)

func TestSaturation(t *testing.T) {
	tests := []struct {
		name             string
		loads            []Load
		known, saturated bool
		words            string
	}{
		{"nothing", nil, false, false, "not known"},
		{"one load", []Load{{8, 100}}, false, false, "takes a second load"},
		{"the same load twice", []Load{{8, 100}, {8, 102}}, false, false, "not known"},
		{"throughput doubles with the load", []Load{{16, 100}, {32, 199}}, true, false, "not saturated: from concurrency 16 to 32 throughput still grew by 99 %"},
		{"in any order", []Load{{32, 199}, {1, 7}, {16, 100}}, true, false, "from concurrency 16 to 32"},
		{"a plateau", []Load{{1, 10}, {16, 100}, {32, 104}}, true, true, "saturated: from concurrency 16 to 32 throughput grew by 4 % only"},
		{"it falls", []Load{{16, 100}, {32, 80}}, true, true, "did not grow"},
		{"still a fifth more", []Load{{16, 100}, {32, 120}}, true, false, "not saturated"},
		{"a tenth per doubling, over two", []Load{{8, 100}, {32, 120}}, true, true, "grew by 20 % only"},
		{"loads so near that chance decides", []Load{{10, 100}, {10.3, 99}}, false, false, "not known"},
		{"a step over near ones", []Load{{5, 50}, {9.8, 98}, {10, 97}}, true, false, "from concurrency 5 to 10"},
		{"as fast as it goes", []Load{{4, 100}, {math.Inf(1), 103}}, true, true, "to inf"},
		{"as fast as it goes, and it goes", []Load{{4, 100}, {math.Inf(1), 300}}, true, false, "not saturated"},
		{"what is no number", []Load{{math.NaN(), 1}, {4, math.NaN()}, {8, 0}, {-1, 5}}, false, false, "not known"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := Of(c.loads)
			if s.Known != c.known || s.Saturated != c.saturated || !strings.Contains(s.Words("concurrency"), c.words) {
				t.Errorf("%+v: %s", s, s.Words("concurrency"))
			}
			if want := map[bool]string{true: "The most it can do", false: "The most measured"}[c.saturated]; s.Title() != want {
				t.Errorf("it is called %s", s.Title())
			}
		})
	}
}
