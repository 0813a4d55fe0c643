package hist

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/stats"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var resolutions = []int{1, 3, 4, 6, 7, 8, FullBits}

// distributions are the shapes that durations have, and those that they should not.
func distributions(random *rand.Rand) map[string]func() int64 {
	return map[string]func() int64{
		"exponential": func() int64 { return int64(random.ExpFloat64() * 20e6) },
		"lognormal":   func() int64 { return int64(math.Exp(random.NormFloat64()*3 + 15)) },
		"bimodal": func() int64 {
			if random.IntN(100) == 0 {
				return 30e9 + random.Int64N(1e9)
			}
			return 5e6 + random.Int64N(1e4)
		},
		"constant": func() int64 { return 12_345_678 },
		"tiny":     func() int64 { return random.Int64N(40) },
		"negative": func() int64 { return -random.Int64N(40) },
		"any":      func() int64 { return random.Int64() >> random.IntN(63) },
		"extremes": func() int64 { return []int64{0, 1, math.MaxInt64 - 1, math.MaxInt64}[random.IntN(4)] },
	}
}

func filled(values []int64, bits int) *Histogram {
	h := New(bits)
	for _, v := range values {
		h.Add(v)
	}
	return h
}

func draw(n int, value func() int64) (values []int64, sorted []float64) {
	for range n {
		v := value()
		values, sorted = append(values, v), append(sorted, float64(max(v, 0)))
	}
	slices.Sort(sorted)
	return values, sorted
}

// Every percentile is within the stated error of the exact one, for all sizes and
// shapes of samples; mean, deviation, minimum and maximum are exact to rounding.
func TestStatedErrorHolds(t *testing.T) {
	random := testfiles.Random(t)
	for name, value := range distributions(random) {
		for _, bits := range resolutions {
			for _, n := range []int{1, 2, 7, 100, 5000} {
				values, sorted := draw(n, value)
				h := filled(values, bits)
				for _, p := range []float64{0, 1, 25, 50, 90, 99, 99.9, 100, 100 * random.Float64()} {
					got, want := h.Percentile(p), stats.Percentile(sorted, p)
					if math.Abs(got-want) > want*(h.Error()+1e-12) {
						t.Fatalf("%s, %d bits, %d values: p%g is %g, exactly %g", name, bits, n, p, got, want)
					}
				}
				m := h.Moments()
				near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*max(want, sorted[n-1]) }
				if h.Count() != n || m.Min != sorted[0] || m.Max != sorted[n-1] ||
					!near(m.Mean, stats.Mean(sorted)) || !near(m.Std(), stats.Std(sorted)) {
					t.Fatalf("%s, %d bits, %d values: %+v, want mean %g, deviation %g", name, bits, n, m, stats.Mean(sorted), stats.Std(sorted))
				}
			}
		}
	}
}

// Each bucket's middle is close to whatever falls into it, buckets follow in order, and
// their bounds meet.
func TestBuckets(t *testing.T) {
	for _, bits := range resolutions {
		h, before := New(bits), -1
		for v := int64(0); v >= 0 && v < math.MaxInt64/2; v += v/5000 + 1 {
			i := h.Index(v)
			low, high := h.Bounds(i)
			if i < before || v < low || v > high || float64(high-low)/2 > float64(v)*h.Error() {
				t.Fatalf("%d bits: %d lies in bucket %d, from %d to %d, after bucket %d", bits, v, i, low, high, before)
			}
			before = i
			if next, _ := h.Bounds(i + 1); next != high+1 {
				t.Fatalf("%d bits: bucket %d ends at %d, the next begins at %d", bits, i, high, next)
			}
		}
		if i := h.Index(math.MaxInt64); i != buckets(bits)-1 {
			t.Errorf("%d bits: the largest value is in bucket %d, want the last one, %d", bits, i, buckets(bits)-1)
		}
	}
}

// Histograms of parts merge to the histogram of all, whichever way they were cut.
func TestMergeIsOneOfAll(t *testing.T) {
	random := testfiles.Random(t)
	for name, value := range distributions(random) {
		values, _ := draw(3000, value)
		all, merged := filled(values, FullBits), New(FullBits)
		for rest := values; len(rest) > 0; {
			n := min(random.IntN(500), len(rest))
			merged.Merge(filled(rest[:n], FullBits))
			rest = rest[n:]
		}
		same(t, name, merged, all)
		// Finer into coarser, and the other way round.
		for _, bits := range resolutions {
			coarse := filled(values, bits)
			a, b := New(bits), filled(values, FullBits)
			a.Merge(b)
			b.Merge(New(bits))
			same(t, name, a, coarse)
			same(t, name, b, coarse)
		}
	}
}

func same(t *testing.T, name string, got, want *Histogram) {
	t.Helper()
	counts := func(h *Histogram) (list [][2]int64) {
		for i, n := range h.All() {
			list = append(list, [2]int64{int64(i), n})
		}
		return list
	}
	a, b := got.Moments(), want.Moments()
	if got.Error() != want.Error() || !slices.Equal(counts(got), counts(want)) || a.N != b.N || a.Min != b.Min || a.Max != b.Max ||
		math.Abs(a.Mean-b.Mean) > 1e-9*b.Max || math.Abs(a.Std()-b.Std()) > 1e-9*b.Max {
		t.Fatalf("%s: %+v\nwant %+v", name, a, b)
	}
}

func TestRemove(t *testing.T) {
	h := new(Histogram)
	for _, v := range []int64{-5, 100, 200, 300, 1e12} {
		h.Add(v)
	}
	h.Remove(1e12)
	if h.Count() != 4 || h.Percentile(100) != 300 || h.Percentile(0) != 0 || h.Percentile(50) != 150 || math.Abs(h.Mean()-150) > 1e-3 {
		t.Errorf("%d values, p100 %v, p0 %v, p50 %v, mean %v", h.Count(), h.Percentile(100), h.Percentile(0), h.Percentile(50), h.Mean())
	}
	if new(Histogram).Percentile(50) != 0 {
		t.Error("no values give 0")
	}
}

func TestAbove(t *testing.T) {
	h := filled([]int64{1, 2, 3, 100, 200}, FullBits)
	if n, sum := h.Above(3); n != 2 || sum != 300 {
		t.Errorf("%d values over 3, together %v", n, sum)
	}
}

func TestBinaryRoundTrip(t *testing.T) {
	random := testfiles.Random(t)
	for name, value := range distributions(random) {
		for _, bits := range resolutions {
			for _, n := range []int{0, 1, 1000} {
				values, _ := draw(n, value)
				h := filled(values, bits)
				b, err := h.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				var got Histogram
				if err := got.UnmarshalBinary(b); err != nil {
					t.Fatalf("%s, %d bits, %d values: %v", name, bits, n, err)
				}
				same(t, name, &got, h)
				if again, _ := got.MarshalBinary(); !bytes.Equal(again, b) {
					t.Fatalf("%s, %d bits, %d values: other bytes the second time", name, bits, n)
				}
			}
		}
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	f.Add([]byte{version, FullBits, 0})
	for _, values := range [][]int64{{0}, {1, 2, 3}, {math.MaxInt64}, {5e6, 6e6, 7e9, 0}} {
		for _, bits := range []int{3, FullBits} {
			b, _ := filled(values, bits).MarshalBinary()
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Histogram
		if h.UnmarshalBinary(b) != nil {
			return
		}
		m := h.Moments()
		for _, p := range []float64{0, 50, 100} {
			if v := h.Percentile(p); h.Count() > 0 && !(v >= m.Min && v <= m.Max) {
				t.Fatalf("p%g of %d values is %v, outside of %v to %v", p, h.Count(), v, m.Min, m.Max)
			}
		}
		var more Histogram
		more.Add(17)
		more.Merge(&h)
		if more.Count() != h.Count()+1 {
			t.Fatalf("%d and one are %d", h.Count(), more.Count())
		}
		again, _ := h.MarshalBinary()
		var got Histogram
		if err := got.UnmarshalBinary(again); err != nil {
			t.Fatal(err)
		}
		same(t, "again", &got, &h)
	})
}

// Bytes of another machine are taken whole or not at all.
func TestUnmarshalRefuses(t *testing.T) {
	good, _ := filled([]int64{1e6, 2e6, 3e9}, FullBits).MarshalBinary()
	for i := range good {
		if new(Histogram).UnmarshalBinary(good[:i]) == nil {
			t.Errorf("%d of %d bytes are taken for a whole one", i, len(good))
		}
	}
	moreValues := func(tail ...byte) []byte { // the same with values to come
		b := slices.Clone(good)
		b[2] = 100
		return append(b, tail...)
	}
	for name, b := range map[string][]byte{
		"another version": append([]byte{9}, good[1:]...),
		"no resolution":   append([]byte{version, 0}, good[2:]...),
		"too fine":        append([]byte{version, 60}, good[2:]...),
		"a bucket beyond": moreValues(0xff, 0xff, 0xff, 0xff, 0x0f, 1),
		"an empty bucket": moreValues(0, 0),
		"one byte more":   append(slices.Clone(good), 0),
		"a huge count":    moreValues(0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
	} {
		if new(Histogram).UnmarshalBinary(b) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	values, _ := draw(1<<16, func() int64 { return int64(random.ExpFloat64() * 20e6) })
	for _, bits := range []int{3, 6, FullBits} {
		b.Run("", func(b *testing.B) {
			h := New(bits)
			for i := 0; b.Loop(); i++ {
				h.Add(values[i&(1<<16-1)])
			}
		})
	}
}
