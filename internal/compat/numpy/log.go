package numpy

import "math"

// pair is an unevaluated sum hi+lo with |lo| at most half a unit of hi: about
// 106 bits, enough that rounding to a double gives the nearest one.
type pair struct{ hi, lo float64 }

func sumOf(a, b float64) pair { // exact, for any a and b
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

func fastSum(a, b float64) pair { // exact, for |a| >= |b|
	s := a + b
	return pair{s, b - (s - a)}
}

func (p pair) add(q pair) pair {
	s := sumOf(p.hi, q.hi)
	t := sumOf(p.lo, q.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

func (p pair) mul(q pair) pair {
	h := p.hi * q.hi
	l := math.FMA(p.hi, q.hi, -h)
	l += float64(p.hi*q.lo) + float64(p.lo*q.hi)
	return fastSum(h, l)
}

func (p pair) div(q pair) pair {
	a := p.hi / q.hi
	r := p.add(q.mul(pair{-a, 0}))
	b := r.hi / q.hi
	r = r.add(q.mul(pair{-b, 0}))
	s := fastSum(a, b)
	return s.add(pair{r.hi / q.hi, 0})
}

// ln 2 to 106 bits.
var ln2 = pair{0.693147180559945309417232121458, 2.3190468138462995584177710583e-17}

const (
	logTerms     = 15 // odd powers after the first; s*s is below 0.03, so 2^-75 is left out
	logPairTerms = 7  // of them those where a double's rounding would show
)

// logCoefs are 1/(2n+1), the coefficients of artanh, as pairs.
var logCoefs = func() (c [logPairTerms + 1]pair) {
	for n := range c {
		c[n] = pair{1, 0}.div(pair{float64(2*n + 1), 0})
	}
	return c
}()

// Log is the natural logarithm of a positive finite x, rounded to the nearest double.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0 || math.IsNaN(x) || math.IsInf(x, 1):
		return math.Log(x)
	}
	return logPair(x).hi
}

// logPair sums ln x = k ln 2 + 2 artanh(s) with s = (m-1)/(m+1), x = 2^k m.
func logPair(x float64) pair {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := pair{m - 1, 0}.div(sumOf(m, 1))
	sq := s.mul(s)
	tail := 0.0
	for n := logTerms; n > logPairTerms; n-- {
		tail = float64(tail*sq.hi) + 1/float64(2*n+1)
	}
	sum := pair{tail, 0}
	for n := logPairTerms; n >= 0; n-- {
		sum = sum.mul(sq).add(logCoefs[n])
	}
	sum = sum.mul(s)
	sum = pair{2 * sum.hi, 2 * sum.lo}
	if k == 0 {
		return sum
	}
	return ln2.mul(pair{float64(k), 0}).add(sum)
}

// Pow is x**y for x >= 0 and finite y, rounded to the nearest double.
func Pow(x, y float64) float64 {
	switch {
	case x == 1 || y == 0:
		return 1
	case !(x > 0) || math.IsInf(x, 1) || math.IsInf(y, 0) || math.IsNaN(y):
		return math.Pow(x, y)
	}
	return exp(logPair(x).mul(pair{y, 0}))
}

const (
	expHalvings  = 6  // e^r = (e^(r/64))^64
	expTerms     = 11 // |r/64| is below 0.0055
	expPairTerms = 5  // of them those where a double's rounding would show
)

// expCoefs are 1/n!, the coefficients of the exponential, as pairs.
var expCoefs = func() (c [expTerms + 1]pair) {
	c[0] = pair{1, 0}
	for n := 1; n <= expTerms; n++ {
		c[n] = c[n-1].div(pair{float64(n), 0})
	}
	return c
}()

func exp(p pair) float64 {
	switch {
	case p.hi > 710:
		return math.Inf(1)
	case p.hi < -746:
		return 0
	}
	k := math.RoundToEven(p.hi / ln2.hi)
	r := p.add(ln2.mul(pair{-k, 0}))
	const scale = 1.0 / (1 << expHalvings)
	r = pair{r.hi * scale, r.lo * scale}
	tail := 0.0
	for n := expTerms; n > expPairTerms; n-- {
		tail = float64(tail*r.hi) + expCoefs[n].hi
	}
	// e^r - 1: the one is added last to keep the low bits.
	sum := pair{tail, 0}
	for n := expPairTerms; n >= 1; n-- {
		sum = sum.mul(r).add(expCoefs[n])
	}
	sum = sum.mul(r)
	for range expHalvings { // (1+a)^2 - 1 = 2a + a*a
		sum = pair{2 * sum.hi, 2 * sum.lo}.add(sum.mul(sum))
	}
	sum = sum.add(pair{1, 0})
	return math.Ldexp(sum.hi, int(k))
}
