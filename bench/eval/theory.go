package main

import (
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// wilsonHolds is in which share of draws Wilson's 95 % interval holds the truth: the sum of
// the binomial probabilities of all counts whose interval does.
func wilsonHolds(n int, p float64) float64 {
	z := stats.NormalQuantile(0.975)
	sum, size := 0.0, float64(n)
	for k := range n + 1 {
		at := float64(k) / size
		middle := (at + z*z/(2*size)) / (1 + z*z/size)
		half := z / (1 + z*z/size) * math.Sqrt(at*(1-at)/size+z*z/(4*size*size))
		if math.Abs(p-middle) <= half {
			sum += binomial(n, k, p)
		}
	}
	return sum
}

func binomial(n, k int, p float64) float64 {
	if p <= 0 || p >= 1 {
		if (p <= 0) == (k == 0) && (p >= 1) == (k == n) {
			return 1
		}
		return 0
	}
	all, _ := math.Lgamma(float64(n + 1))
	a, _ := math.Lgamma(float64(k + 1))
	b, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

// power is how often McNemar's exact test at 5 % tells the two servers apart. A question is
// right for the better one alone, for the worse one alone, or tells nothing; the sums go
// over the numbers of the first two.
func (b *bench) power(agreement float64) float64 {
	good, bad := b.accuracy, b.accuracy-b.worse
	onlyGood := agreement*(good-bad) + (1-agreement)*good*(1-bad)
	onlyBad := (1 - agreement) * bad * (1 - good)
	either := onlyGood + onlyBad
	sum := 0.0
	for n := range b.questions + 1 {
		weight := binomial(b.questions, n, either)
		if weight < 1e-12 {
			continue
		}
		for k := range n + 1 {
			if stats.McNemar(k, n-k) < 0.05 {
				sum += weight * binomial(n, k, onlyGood/either)
			}
		}
	}
	return sum
}
