package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// series is an hour of looks of a process that leaks so many bytes of memory, descriptors and goroutines a
// request, and whose lines get longer by so much.
func series(seed uint64, memory, files, goroutines, longer float64) []point {
	r := rand.New(rand.NewPCG(seed, 1))
	var list []point
	drift, bytes := 0.0, 0.0
	for i := range 360 {
		ended := float64(i) * 3000
		drift = 0.9*drift + r.NormFloat64()*0.5e6 // looks that are near each other are alike
		bytes += 3000 * (340 + longer*float64(i) + r.NormFloat64())
		inFlight := 2000 - float64(r.IntN(40))
		list = append(list, point{
			Seconds: float64(i) * 10, RSS: 130e6 + drift + memory*ended, Live: 40e6 + drift/2 + memory*ended, Files: inFlight + 15 + float64(r.IntN(3)) + files*ended,
			Goroutines: inFlight + 30 + float64(r.IntN(2)) + goroutines*ended, Ended: ended, InFlight: inFlight, Journal: bytes,
		})
	}
	return list
}

// What does not leak passes; what leaks a little a request is found, each kind by its own name.
func TestVerdict(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	for i := range uint64(20) {
		if text, ok := verdict(series(seed+i, 0, 0, 0, 0)); !ok {
			t.Errorf("seed %d: a flat series fails:\n%s", seed+i, text)
		}
	}
	for name, leak := range map[string][4]float64{
		"resident memory": {20, 0, 0, 0}, "descriptors": {0, 1e-4, 0, 0}, "goroutines": {0, 0, 1e-4, 0}, "journal bytes": {0, 0, 0, 0.05},
	} {
		text, ok := verdict(series(seed, leak[0], leak[1], leak[2], leak[3]))
		found := false
		for line := range strings.Lines(text) {
			found = found || strings.HasPrefix(line, name) && strings.Contains(line, "GROWS")
		}
		if ok || !found {
			t.Errorf("seed %d: the leak of %s is not found:\n%s", seed, name, text)
		}
	}
	if text, ok := verdict(nil); ok {
		t.Errorf("no looks pass:\n%s", text)
	}
}

// The interval holds the true slope in 95 % of series of independent looks.
func TestFit(t *testing.T) {
	r := testfiles.Random(t)
	const runs = 400
	inside := 0
	for range runs {
		var x, y []float64
		for i := range 240 {
			x, y = append(x, float64(i)*10), append(y, 100+3*float64(i)*10/3600+r.NormFloat64())
		}
		if f, ok := fit(x, y); ok && f.Low <= 3 && 3 <= f.High {
			inside++
		}
	}
	if inside < runs*90/100 || inside > runs*99/100 {
		t.Errorf("the interval holds the slope in %d of %d", inside, runs)
	}
	if got := student95(10); math.Abs(got-2.228) > 0.003 {
		t.Errorf("Student's point at 10 is %g", got)
	}
}
