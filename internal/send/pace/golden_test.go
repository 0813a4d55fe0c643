package pace

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// arrivalCase is a schedule made with NumPy.
type arrivalCase struct {
	N             int
	Rate          float64
	Burstiness    any // a number or "inf"
	Seed          uint64
	Skip          int // words that a dataset drew before
	Ramp          []any
	DueS          []float64 `json:"due_s"`
	First5, Last5 []float64
	Sum           float64
}

func (c arrivalCase) spec(t *testing.T) Spec {
	pairs := []string{"burstiness", fmt.Sprint(c.Burstiness)}
	if c.Ramp != nil {
		pairs = append(pairs, "ramp_up_strategy", c.Ramp[0].(string), "ramp_up_start_rps", fmt.Sprint(c.Ramp[1]), "ramp_up_end_rps", fmt.Sprint(c.Ramp[2]))
	} else {
		pairs = append(pairs, "rate", option.FormatFloat(c.Rate))
	}
	s := bounded(said(t, false, pairs...), c.N, 0)
	s.Seed = c.Seed
	if c.Skip > 0 {
		s.Random = numpy.NewRandomState(c.Seed)
		for range c.Skip {
			s.Random.Randint(0, 50257)
		}
	}
	return s
}

func TestArrivalsAsNumPy(t *testing.T) {
	checkArrivals(t, filepath.Join("testdata", "arrivals.json"))
}

func TestArrivalsAsTheGoldenFile(t *testing.T) {
	checkArrivals(t, testfiles.Path(t, "compat", "golden.json"))
}

func checkArrivals(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Arrivals []arrivalCase }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Arrivals) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Arrivals {
		name := fmt.Sprintf("n=%d rate=%v burstiness=%v seed=%d ramp=%v", c.N, c.Rate, c.Burstiness, c.Seed, c.Ramp)
		t.Run(name, func(t *testing.T) {
			due := seconds(t, c.spec(t), c.N)
			sameBits(t, "due", due, c.DueS)
			if c.First5 == nil {
				return
			}
			sameBits(t, "first", due[:len(c.First5)], c.First5)
			sameBits(t, "last", due[len(due)-len(c.Last5):], c.Last5)
			if c.DueS == nil { // a sum stands for the times in the middle; in what order it was added is not known
				sum := 0.0
				for _, d := range due {
					sum += d
				}
				if math.Abs(sum-c.Sum) > 1e-12*c.Sum {
					t.Errorf("sum = %v, want %v", sum, c.Sum)
				}
			}
		})
	}
}

// seconds gives the due times of s before they are rounded to nanoseconds.
func seconds(t *testing.T, s Spec, n int) []float64 {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := find[arrivals](p)
	if !ok {
		t.Fatalf("%T has no times in seconds", p)
	}
	due := make([]float64, n)
	for i := range due {
		due[i], _ = a.next()
	}
	return due
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("%s[%d] = %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}
