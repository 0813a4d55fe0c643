package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// The middle of a bucket stands for all values in it within 4 %, from a microsecond to an hour.
func TestBucketsKeepFourPercent(t *testing.T) {
	last := -1
	for v := 1.0; v < 3.6e12; v *= 1.001 {
		ns := int64(v)
		b := bucketOf(ns)
		if b < last || b >= buckets {
			t.Fatalf("bucket %d of %d ns comes after %d", b, ns, last)
		}
		last = b
		if ns < 1<<lowest {
			continue
		}
		if off := math.Abs(middle(b)/float64(ns) - 1); off > 0.04 {
			t.Fatalf("%d ns is shown as %v: off by %v", ns, middle(b), off)
		}
	}
	for _, ns := range []int64{-5, 0, 1, math.MaxInt64, 1 << 42} {
		if b := bucketOf(ns); b < 0 || b >= buckets {
			t.Errorf("bucket %d of %d", b, ns)
		}
	}
}

// Percentiles of drawn values are those of the sorted list, within 4 %.
func TestMeterPercentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	m := NewMeter()
	var ttft, gaps, lags []float64
	draw := func(median, spread float64) int64 {
		return int64(median * math.Exp(spread*random.NormFloat64()))
	}
	for range 40 {
		p := m.Part()
		for range 50 {
			v := draw(2e8, 1)
			p.First(v)
			ttft = append(ttft, float64(v)/1e6)
			for range 20 {
				v := draw(2e7, 0.5)
				p.Gap(v)
				gaps = append(gaps, float64(v)/1e6)
				v = draw(5e4, 0.3)
				p.Lag(v)
				lags = append(lags, float64(v)/1e6)
			}
		}
	}
	s := &State{Tokens: 40_000, Completed: 2000}
	m.Look(s, 5*time.Second)
	for _, tt := range []struct {
		name string
		got  Window
		all  []float64
	}{{"ttft", s.TTFT, ttft}, {"itl", s.ITL, gaps}, {"lag", s.Lag, lags}} {
		slices.Sort(tt.all)
		if tt.got.Count != int64(len(tt.all)) {
			t.Errorf("%s: %d values, not %d", tt.name, tt.got.Count, len(tt.all))
		}
		for p, got := range map[float64]float64{50: tt.got.P50, 99: tt.got.P99} {
			want := tt.all[int(math.Ceil(p/100*float64(len(tt.all))))-1]
			if math.Abs(got/want-1) > 0.04 {
				t.Errorf("%s p%v is %v, not %v", tt.name, p, got, want)
			}
		}
	}
	if s.TokensPerS != 8000 || s.RequestsPerS != 400 {
		t.Errorf("rates are %v tokens/s and %v requests/s", s.TokensPerS, s.RequestsPerS)
	}
}

// A window forgets what is more than ten seconds ago; outcomes are of the whole run.
func TestMeterForgets(t *testing.T) {
	m := NewMeter()
	p := m.Part()
	m.Ended("complete", "")
	m.Ended("http_5xx", "HTTP 500: out of memory")
	m.Ended("http_5xx", "HTTP 500: again")
	look := func(tokens int64, at time.Duration) *State {
		s := &State{Tokens: tokens}
		m.Look(s, at)
		return s
	}
	for range 100 {
		p.Gap(int64(100 * time.Millisecond))
	}
	tokens := int64(100)
	var s *State
	for at := 500 * time.Millisecond; at <= 10*time.Second; at += 500 * time.Millisecond {
		s = look(tokens, at)
	}
	if s.ITL.Count != 100 || math.Abs(s.ITL.P50/100-1) > 0.04 || s.TokensPerS != 10 {
		t.Errorf("within ten seconds: %+v, %v tokens/s", s.ITL, s.TokensPerS)
	}
	for range 10 {
		p.Gap(int64(time.Millisecond))
	}
	tokens += 10
	for at := 10500 * time.Millisecond; at <= 12*time.Second; at += 500 * time.Millisecond {
		s = look(tokens, at)
	}
	if s.ITL.Count != 10 || math.Abs(s.ITL.P99-1) > 0.04 || s.TokensPerS != 1 {
		t.Errorf("after that: %+v, %v tokens/s", s.ITL, s.TokensPerS)
	}
	if s = look(tokens, time.Minute); s.ITL != (Window{}) || s.TokensPerS != 0 {
		t.Errorf("after a minute of silence: %+v, %v tokens/s", s.ITL, s.TokensPerS)
	}
	if s.Outcomes["http_5xx"] != 2 || s.Outcomes["complete"] != 1 || s.FirstError != "http_5xx: HTTP 500: out of memory" {
		t.Errorf("outcomes are %v, the first error %q", s.Outcomes, s.FirstError)
	}
}

// Nothing is lost where many count while one looks.
func TestMeterCountsAll(t *testing.T) {
	m := NewMeter()
	var counting sync.WaitGroup
	for range 8 {
		p := m.Part()
		counting.Go(func() {
			for i := range 10_000 {
				p.Gap(int64(i) * 1000)
				p.Lag(int64(i))
			}
		})
	}
	for i := range 20 {
		m.Look(&State{}, time.Duration(i)*time.Millisecond)
	}
	counting.Wait()
	s := &State{}
	m.Look(s, time.Second)
	if s.ITL.Count != 80_000 || s.Lag.Count != 80_000 {
		t.Errorf("%d gaps and %d lags, not 80000", s.ITL.Count, s.Lag.Count)
	}
}

func BenchmarkEvent(b *testing.B) {
	p := NewMeter().Part()
	b.ReportAllocs()
	for i := range b.N {
		p.Gap(int64(i&0xfff) << 14)
		p.Lag(int64(i&0xff) << 10)
	}
}

func BenchmarkEventOfFour(b *testing.B) {
	m := NewMeter()
	b.ReportAllocs()
	var counting sync.WaitGroup
	for range 4 {
		p := m.Part()
		counting.Go(func() {
			for i := range b.N / 4 {
				p.Gap(int64(i&0xfff) << 14)
				p.Lag(int64(i&0xff) << 10)
			}
		})
	}
	counting.Wait()
}

func BenchmarkLook(b *testing.B) {
	m := NewMeter()
	for i := range b.N {
		m.Look(&State{}, time.Duration(i)*500*time.Millisecond)
	}
}
