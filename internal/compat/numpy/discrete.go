package numpy

import "math"

// The whole-numbered distributions of NumPy's legacy generator.

// Uniform is uniform(low, high).
func (r *RandomState) Uniform(low, high float64) float64 {
	return low + float64((high-low)*r.Float64())
}

// LogNormal is lognormal(mean, sigma): of the underlying normal distribution.
func (r *RandomState) LogNormal(mean, sigma float64) float64 {
	return math.Exp(mean + float64(sigma*r.Gauss()))
}

// Zipf is zipf(a) for a above 1, by rejection.
func (r *RandomState) Zipf(a float64) int64 {
	if a >= 1025 {
		return 1
	}
	am1 := a - 1
	b := math.Pow(2, am1)
	least := math.Pow(math.MaxInt64, -am1)
	for {
		u01 := r.Float64()
		u := float64(u01*least) + (1 - u01)
		v := r.Float64()
		x := math.Floor(math.Pow(u, -1/am1))
		if x > math.MaxInt64 || x < 1 {
			continue
		}
		t := math.Pow(1+1/x, am1)
		if float64(v*x)*(t-1)/(b-1) <= t/b {
			return int64(x)
		}
	}
}

// Poisson is poisson(lam).
func (r *RandomState) Poisson(lam float64) int64 {
	switch {
	case lam >= 10:
		return r.poissonLarge(lam)
	case lam == 0:
		return 0
	}
	limit, product := math.Exp(-lam), 1.0
	for n := int64(0); ; n++ {
		if product *= r.Float64(); product <= limit {
			return n
		}
	}
}

// poissonLarge is Hörmann's transformed rejection (PTRS).
func (r *RandomState) poissonLarge(lam float64) int64 {
	root, logLam := math.Sqrt(lam), math.Log(lam)
	b := 0.931 + float64(2.53*root)
	a := -0.059 + float64(0.02483*b)
	alpha := 1.1239 + 1.1328/(b-3.4)
	vr := 0.9277 - 3.6224/(b-2)
	for {
		u := r.Float64() - 0.5
		v := r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*a/us+b)*u) + lam + 0.43)
		if us >= 0.07 && v <= vr {
			return int64(k)
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		if math.Log(v)+math.Log(alpha)-math.Log(a/float64(us*us)+b) <= -lam+float64(k*logLam)-logGamma(k+1) {
			return int64(k)
		}
	}
}

// stirling are the coefficients of the series for ln Γ.
var stirling = [...]float64{
	8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04, 8.417508417508418e-04,
	-1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02, 1.796443723688307e-01, -1.39243221690590e+00,
}

// logGamma is ln Γ(x) as NumPy computes it.
func logGamma(x float64) float64 {
	if x == 1 || x == 2 {
		return 0
	}
	n := 0
	if x < 7 {
		n = int(7 - x)
	}
	x0 := x + float64(n)
	x2 := (1 / x0) * (1 / x0)
	sum := stirling[9]
	for k := 8; k >= 0; k-- {
		sum = float64(sum*x2) + stirling[k]
	}
	const logTwoPi = 1.8378770664093453
	g := sum/x0 + 0.5*logTwoPi + float64((x0-0.5)*math.Log(x0)) - x0
	for range n {
		g -= math.Log(x0 - 1)
		x0--
	}
	return g
}
