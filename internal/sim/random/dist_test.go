package random

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseDist(t *testing.T) {
	for in, want := range map[string]struct {
		text string
		mean time.Duration
	}{
		"50ms":                 {"50ms", 50 * time.Millisecond},
		" 0s ":                 {"0s", 0},
		"50ms,lognormal:0.3":   {"lognormal:50ms:0.3", 50 * time.Millisecond},
		"lognormal:50ms:0.3":   {"lognormal:50ms:0.3", 50 * time.Millisecond},
		"uniform:40ms-60ms":    {"uniform:40ms-60ms", 50 * time.Millisecond},
		"exp:50ms":             {"exp:50ms", 50 * time.Millisecond},
		"50ms,exp":             {"exp:50ms", 50 * time.Millisecond},
		"normal:50ms:5ms":      {"normal:50ms:5ms", 50 * time.Millisecond},
		"50ms,normal:5ms":      {"normal:50ms:5ms", 50 * time.Millisecond},
		"1.5ms,lognormal:0.05": {"lognormal:1.5ms:0.05", 1500 * time.Microsecond},
	} {
		d, err := ParseDist(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if d.String() != want.text || d.Mean() != want.mean {
			t.Errorf("%q: %s with mean %v, want %s with %v", in, d, d.Mean(), want.text, want.mean)
		}
		rng := NewRand(1)
		sum, n := 0.0, 20000
		for range n {
			v := d.Draw(rng)
			if v < 0 {
				t.Fatalf("%q drew %v", in, v)
			}
			sum += float64(v)
		}
		if mean := sum / float64(n); math.Abs(mean-float64(want.mean)) > 0.03*float64(want.mean) {
			t.Errorf("%q: mean of draws is %v, want %v", in, time.Duration(mean), want.mean)
		}
	}
	for _, in := range []string{"", "50", "-1ms", "uniform:5ms", "uniform:6ms-5ms", "gamma:5ms", "normal:5ms", "exp:1ms:2ms", "lognormal:5ms:x", "lognormal:5ms:-1", "lognormal:5ms:NaN", "5ms,uniform:2ms"} {
		if d, err := ParseDist(in); err == nil {
			t.Errorf("%q was read as %v", in, d)
		} else if !strings.Contains(err.Error(), "forms:") {
			t.Errorf("%q: the error %q gives no hint", in, err)
		}
	}
}

func FuzzParseDist(f *testing.F) {
	for _, s := range []string{"50ms", "50ms,lognormal:0.3", "uniform:40ms-60ms", "exp:1h", "normal:1ms:2ms", "a,b:c:d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDist(s)
		if err != nil {
			return
		}
		again, err := ParseDist(d.String())
		if err != nil || again.String() != d.String() {
			t.Errorf("%q gives %q, which gives %q, %v", s, d, again, err)
		}
		if v := d.Draw(NewRand(1)); v < 0 {
			t.Errorf("%q drew %v", s, v)
		}
	})
}
