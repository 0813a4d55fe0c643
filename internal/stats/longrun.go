package stats

import "math"

// Dependence is what the order of a series does to the error of its mean.
type Dependence struct {
	// Time is the integrated autocorrelation time τ = 1 + 2·Σρ(k), in steps of the
	// series: the variance of the mean is τ times that of independent values.
	Time float64
	// Degrees of freedom with which that variance is known.
	Degrees float64
}

// DependenceOf estimates τ from the spectrum at zero of an autoregression:
//
//	x(t) = φ1·x(t−1) + … + φk·x(t−k) + e,   long-run variance = var(e) / (1 − Σφ)²
//
// fitted by Yule and Walker's equations, its order 1 ≤ k ≤ 10·log10(n) by Akaike's
// criterion. Summing autocorrelations one by one needs a rule for where to stop
// and is too small for short series; the autoregression reaches beyond the last lag.
//
// For a first-order process of normal values the relative variance of that estimate
// is about 2·(1 + 2τ)/n, which is that of a variance with n/(1 + 2τ) degrees of
// freedom. Where a few values lie far out, a variance is known less well, by
// (κ − 1)/2 with their kurtosis κ: a run with two bursts says little about bursts.
func DependenceOf(series []float64) Dependence {
	n := len(series)
	independent := Dependence{1, float64(max(n-1, 1))}
	if n < 8 {
		return independent
	}
	covariance := autocovariance(series, min(int(10*math.Log10(float64(n))), n/4))
	if covariance[0] <= 0 {
		return independent
	}
	order, sum, noise := autoregression(covariance, n)
	if order == 0 {
		return independent
	}
	noise *= float64(n) / float64(n-order-1)
	most := float64(n)
	time := most
	if gain := (1 - sum) * (1 - sum); gain > 0 {
		time = min(noise/gain/covariance[0], most)
	}
	degrees := float64(n) / (1 + 2*time) * 2 / max(kurtosis(series, covariance[0])-1, 2)
	return Dependence{time, max(degrees, 1)}
}

// kurtosis is the fourth central moment by the square of the variance: 3 of normal
// values, more where some lie far out.
func kurtosis(series []float64, variance float64) float64 {
	mean, fourth := 0.0, 0.0
	for _, v := range series {
		mean += v / float64(len(series))
	}
	for _, v := range series {
		d := v - mean
		fourth += d * d * d * d
	}
	return fourth / float64(len(series)) / (variance * variance)
}

// autocovariance is γ(0) … γ(lags), each divided by n.
func autocovariance(series []float64, lags int) []float64 {
	mean := 0.0
	for _, v := range series {
		mean += v
	}
	mean /= float64(len(series))
	out := make([]float64, lags+1)
	for k := range out {
		sum := 0.0
		for i := k; i < len(series); i++ {
			sum += (series[i] - mean) * (series[i-k] - mean)
		}
		out[k] = sum / float64(len(series))
	}
	return out
}

// autoregression solves Yule and Walker's equations order by order (Levinson and
// Durbin) and returns the best order, the sum of its coefficients and its noise.
func autoregression(covariance []float64, n int) (order int, sum, noise float64) {
	phi := make([]float64, len(covariance)) // phi[1…k]
	before := make([]float64, len(covariance))
	v := covariance[0]
	best := float64(n) * math.Log(v)
	noise = v
	for k := 1; k < len(covariance); k++ {
		reflect := covariance[k]
		for j := 1; j < k; j++ {
			reflect -= phi[j] * covariance[k-j]
		}
		reflect /= v
		copy(before, phi)
		for j := 1; j < k; j++ {
			phi[j] = before[j] - reflect*before[k-j]
		}
		phi[k] = reflect
		v *= 1 - reflect*reflect
		if v <= covariance[0]*1e-12 { // the series repeats itself to the last digit
			break
		}
		// One lag is always taken: a weak correlation that the criterion would drop counts too.
		if score := float64(n)*math.Log(v) + 2*float64(k); k == 1 || score < best {
			best, order, noise, sum = score, k, v, 0
			for _, c := range phi[1 : k+1] {
				sum += c
			}
		}
	}
	return order, sum, noise
}

// Effective is how many independent values n values with this dependence are worth,
// for an interval of this level: n/τ, and fewer still as τ is itself an estimate,
// by the square of Student's quantile over the normal one. At least one.
func (d Dependence) Effective(n int, level float64) float64 {
	widen := StudentQuantile((1+level)/2, d.Degrees) / NormalQuantile((1+level)/2)
	return max(float64(n)/d.Time/(widen*widen), 1)
}

// Needed is about how many values like these n would be worth so many independent ones: both τ and the degrees of freedom
// stay what they are for each value.
func (d Dependence) Needed(n int, independent, level float64) float64 {
	for more := 1.0; more < 1e6; more *= 1.05 {
		widen := StudentQuantile((1+level)/2, d.Degrees*more) / NormalQuantile((1+level)/2)
		if float64(n)*more/d.Time/(widen*widen) >= independent {
			return float64(n) * more
		}
	}
	return 0
}
