package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// TestSome does what the command does, with few seeds: over HTTP, each answer is the one that
// the server was told to give, and compare comes to what McNemar's test does.
func TestSome(t *testing.T) {
	b := &bench{seeds: 40, http: 1, questions: 300, accuracy: 0.9, worse: 0.15, seed: testfiles.Random(t).Uint64()}
	if testing.Short() || testfiles.RaceDetector {
		b.seeds = 2
	}
	t.Logf("seed %d", b.seed)
	if err := b.open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	m, err := b.measure(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if m.http != 3 || m.evals != b.seeds || m.pairs != b.seeds {
		t.Errorf("%+v", m)
	}
	// Of 40, 95 % are held, 5 % at most are alarms, and 15 points are always seen: bounds for once in some thousand.
	if b.seeds == 40 && (m.holds < 32 || m.alarms > 8 || m.told < 38) {
		t.Errorf("%+v; in theory %.3f are told apart", m, b.power(0.5))
	}
}

func TestTheory(t *testing.T) {
	if holds := wilsonHolds(500, 0.8); math.Abs(holds-0.95) > 0.01 {
		t.Errorf("Wilson's interval holds %.4f", holds)
	}
	sum := 0.0
	for k := range 31 {
		sum += binomial(30, k, 0.3)
	}
	if math.Abs(sum-1) > 1e-9 || binomial(5, 5, 1) != 1 || binomial(5, 0, 0) != 1 || binomial(5, 1, 0) != 0 {
		t.Errorf("binomial probabilities: %v", sum)
	}
	b := &bench{questions: 500, accuracy: 0.8, worse: 0.08}
	// By the normal approximation: 8 points over the deviation of a difference, √((0.8·0.2 + 0.72·0.28)/500).
	if p := b.power(0); p < 0.8 || p > 0.87 {
		t.Errorf("power without agreement: %.3f", p)
	}
	if p := b.power(0.5); p < 0.93 || p > 0.99 {
		t.Errorf("power with half of it: %.3f", p)
	}
}

func TestRun(t *testing.T) {
	b := &bench{seeds: 2, questions: 20, accuracy: 0.8, worse: 0.1, seed: 1}
	var out bytes.Buffer
	if err := b.run(&out, []float64{0, 1}); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 3 {
		t.Errorf("%v: %s", err, out.String())
	}
}
