package lengths

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/testfiles"
)

func sampler(t *testing.T, text string, of Column) *Sampler {
	t.Helper()
	var d Dist
	if err := d.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if back, err := d.MarshalText(); err != nil || string(back) != text {
		t.Errorf("%s becomes %s, %v", text, back, err)
	}
	s, err := d.Sampler(of)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// With seeds that nobody has chosen, moments and bounds are those of the distribution.
func TestMoments(t *testing.T) {
	for _, c := range []struct {
		text      string
		mean, std float64
		min, max  int
	}{
		{"fixed:len=512", 512, 0, 512, 512},
		{"uniform:min=100,max=900", 500, math.Sqrt((801*801 - 1) / 12.0), 100, 900},
		{"normal:mean=512,std=100", 512, 100, 1, Most},
		// Cut at one deviation on both sides: std is σ·sqrt(1 − 2·φ(1)/(2Φ(1)−1)).
		{"normal:mean=512,std=100,min=412,max=612", 512, 100 * math.Sqrt(1-2*0.24197072/0.68268949), 412, 612},
		{"lognormal:mean=512,sigma=0.5", 512, 512 * math.Sqrt(math.Exp(0.25)-1), 1, Most},
		{"lognormal:median=300,sigma=0.4", 300 * math.Exp(0.08), 300 * math.Exp(0.08) * math.Sqrt(math.Exp(0.16)-1), 1, Most},
		{"zipf:a=1,max=4", 4 / (25.0 / 12), 0, 1, 4}, // Σ n·(1/n) / Σ 1/n
	} {
		s := sampler(t, c.text, Input)
		seed := uint64(time.Now().UnixNano()) & math.MaxUint32
		g := numpy.NewGenerator(seed)
		const n = 200_000
		sum, squares := 0.0, 0.0
		for range n {
			v := s.At(g.Random())
			if v < c.min || v > c.max {
				t.Fatalf("%s, seed %d: %d is out of bounds", c.text, seed, v)
			}
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
		mean := sum / n
		std := math.Sqrt(max(squares/n-mean*mean, 0))
		within := 6*std/math.Sqrt(n) + 1e-9 // wrong once in 10⁹ runs
		if math.Abs(mean-c.mean) > within {
			t.Errorf("%s, seed %d: mean %v, want %v within %v", c.text, seed, mean, c.mean, within)
		}
		if c.std > 0 && math.Abs(std/c.std-1) > 0.03 {
			t.Errorf("%s, seed %d: deviation %v, want %v", c.text, seed, std, c.std)
		}
		if math.Abs(s.Mean()/mean-1) > 0.02 {
			t.Errorf("%s says a mean of %v, and it is %v", c.text, s.Mean(), mean)
		}
	}
}

// Shares of a Zipf distribution.
func TestZipf(t *testing.T) {
	s := sampler(t, "zipf:a=1,min=10,max=12", Input)
	counts := map[int]int{}
	const n = 11000
	for i := range n {
		counts[s.At((float64(i)+0.5)/n)]++
	}
	for value, share := range map[int]float64{10: 6.0 / 11, 11: 3.0 / 11, 12: 2.0 / 11} {
		if math.Abs(float64(counts[value])/n-share) > 1e-3 {
			t.Errorf("%d has %d of %d, want a share of %v", value, counts[value], n, share)
		}
	}
}

func TestEmpirical(t *testing.T) {
	path := testfiles.Path(t, "traces", "AzureLLMInferenceTrace_conv_2023.csv.gz")
	for of, want := range map[Column]float64{Input: 1020, Output: 129} {
		if got := sampler(t, "empirical:file="+path, of).At(0.5); math.Abs(float64(got)-want) > 1 {
			t.Errorf("the median is %d, want %v", got, want)
		}
	}
	numbers := filepath.Join(t.TempDir(), "a,b.txt")
	if err := os.WriteFile(numbers, []byte("5\n\n7\n7\n0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sampler(t, "empirical:file="+numbers, Input)
	if s.At(0) != 5 || s.At(0.32) != 5 || s.At(0.34) != 7 || s.At(0.999) != 7 {
		t.Error("shares of 5 and 7 are not 1:2")
	}
}

func TestErrors(t *testing.T) {
	words := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(words, []byte("5\nhello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                                  "must be a distribution such as",
		"gauss:mean=5":                      "of the kinds fixed, uniform",
		"normal:mean=5":                     "normal needs std",
		"normal:mean=5,std=0":               "must have a std above 0, not 0",
		"normal:mean=5,std=x":               "needs a number as std of normal",
		"normal:mean=5,std=1,sd=2":          "normal has the keys mean, std, min, max",
		"normal:mean=5,mean=6,std=1":        "has mean twice",
		"lognormal:sigma=1":                 "lognormal needs mean or median",
		"lognormal:mean=1,median=1,sigma=1": "lognormal needs mean or median",
		"uniform:min=5,max=4":               "has a min of 5 above its max of 4",
		"uniform:min=0,max=4":               "must have a min from 1 to",
		"uniform:min=1,max=1e9":             "must have a max from 1 to",
		"fixed:len=1.5":                     "must have a len from 1 to",
		"zipf:a=1":                          "zipf needs max",
		"normal:mean=5,std=1,max=nan":       "needs a number as max",
		"empirical":                         "empirical needs file",
		"normal:mean=5,std=0.1,min=4000,max=5000": "next to nothing of",
		"empirical:file=" + words:                 "line 2 is no whole number",
		"empirical:file=/nothing/here":            "no such file",
	} {
		var d Dist
		err := d.UnmarshalText([]byte(text))
		if err == nil {
			_, err = d.Sampler(Input)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzDist(f *testing.F) {
	for _, text := range []string{"fixed:len=512", "lognormal:mean=512,sigma=1,max=4096", "zipf:a=1.2,max=100", "normal:mean=1e300,std=1e-300", "uniform:min=1,max=1"} {
		f.Add(text, 0.5)
	}
	f.Fuzz(func(t *testing.T, text string, u float64) {
		var d Dist
		if d.UnmarshalText([]byte(text)) != nil || d.file != "" || !(u >= 0 && u < 1) {
			return
		}
		s, err := d.Sampler(Output)
		if err != nil {
			return
		}
		if n := s.At(u); n < 1 || n > Most {
			t.Errorf("%q gives %d", text, n)
		}
	})
}
