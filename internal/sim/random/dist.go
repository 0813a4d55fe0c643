package random

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Dist is a distribution of durations. The zero value is always 0.
type Dist struct {
	shape  shape
	mean   float64 // ns; the lower bound for uniform
	spread float64 // ns for normal, sigma for lognormal, the upper bound in ns for uniform
}

type shape uint8

const (
	constant shape = iota
	uniform
	exponential
	normal
	lognormal
)

// Constant is always d.
func Constant(d time.Duration) Dist { return Dist{shape: constant, mean: float64(d)} }

// ParseDist reads a distribution of durations:
//
//	50ms                        always 50 ms
//	uniform:40ms-60ms           any value between
//	exp:50ms                    exponential with that mean
//	normal:50ms:5ms             mean and standard deviation, never below 0
//	lognormal:50ms:0.3          mean, and the deviation of the logarithm
//	50ms,exp  50ms,normal:5ms  50ms,lognormal:0.3    the same, the mean first
func ParseDist(s string) (Dist, error) {
	d, err := parseDist(strings.TrimSpace(s))
	if err != nil {
		return Dist{}, fmt.Errorf("distribution %q: %w; forms: 50ms, uniform:40ms-60ms, exp:50ms, normal:50ms:5ms, lognormal:50ms:0.3", s, err)
	}
	return d, nil
}

func parseDist(s string) (Dist, error) {
	if mean, rest, ok := strings.Cut(s, ","); ok {
		name, arg, has := strings.Cut(rest, ":")
		s = name + ":" + mean
		if has {
			s += ":" + arg
		}
	}
	name, args, ok := strings.Cut(s, ":")
	if !ok {
		d, err := parseDuration(s)
		return Dist{shape: constant, mean: d}, err
	}
	first, second, two := strings.Cut(args, ":")
	switch strings.TrimSpace(name) {
	case "uniform":
		low, high, ok := strings.Cut(args, "-")
		if !ok {
			return Dist{}, errors.New("uniform needs two bounds")
		}
		return uniformDist(low, high)
	case "exp":
		if two {
			return Dist{}, errors.New("exp takes only a mean")
		}
		mean, err := parseDuration(first)
		return Dist{shape: exponential, mean: mean}, err
	case "normal":
		mean, err := parseDuration(first)
		if err != nil {
			return Dist{}, err
		}
		sd, err := parseDuration(second)
		return Dist{shape: normal, mean: mean, spread: sd}, err
	case "lognormal":
		mean, err := parseDuration(first)
		if err != nil {
			return Dist{}, err
		}
		sigma, err := strconv.ParseFloat(strings.TrimSpace(second), 64)
		if err != nil || !(sigma >= 0 && sigma <= 10) {
			return Dist{}, fmt.Errorf("%q is not a deviation from 0 to 10", second)
		}
		return Dist{shape: lognormal, mean: mean, spread: sigma}, nil
	}
	return Dist{}, fmt.Errorf("no distribution is called %q", name)
}

func uniformDist(low, high string) (Dist, error) {
	a, err := parseDuration(low)
	if err != nil {
		return Dist{}, err
	}
	b, err := parseDuration(high)
	if err != nil {
		return Dist{}, err
	}
	if b < a {
		return Dist{}, errors.New("the upper bound is below the lower")
	}
	return Dist{shape: uniform, mean: a, spread: b}, nil
}

func parseDuration(s string) (float64, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 50ms", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is below 0", s)
	}
	return float64(d), nil
}

// IsConstant reports whether every draw gives the same value.
func (d Dist) IsConstant() bool { return d.shape == constant }

// String is the form that ParseDist reads.
func (d Dist) String() string {
	ns := func(v float64) string { return time.Duration(v).String() }
	switch d.shape {
	case uniform:
		return "uniform:" + ns(d.mean) + "-" + ns(d.spread)
	case exponential:
		return "exp:" + ns(d.mean)
	case normal:
		return "normal:" + ns(d.mean) + ":" + ns(d.spread)
	case lognormal:
		return "lognormal:" + ns(d.mean) + ":" + strconv.FormatFloat(d.spread, 'g', -1, 64)
	}
	return ns(d.mean)
}

// Mean is the expected value. For normal it ignores the cut at 0.
func (d Dist) Mean() time.Duration {
	if d.shape == uniform {
		return time.Duration((d.mean + d.spread) / 2)
	}
	return time.Duration(d.mean)
}

// maxDraw keeps an unlucky draw from overflowing a deadline.
const maxDraw = float64(24 * time.Hour)

// Draw returns one value. It needs no generator for a constant: r may be nil then.
func (d Dist) Draw(r *rand.Rand) time.Duration {
	var v float64
	switch d.shape {
	case constant:
		v = d.mean
	case uniform:
		v = d.mean + r.Float64()*(d.spread-d.mean)
	case exponential:
		v = d.mean * r.ExpFloat64()
	case normal:
		v = d.mean + d.spread*r.NormFloat64()
	case lognormal:
		// E[exp(μ+σZ)] = exp(μ+σ²/2), so μ = ln(mean) − σ²/2 gives the mean asked for.
		v = d.mean * math.Exp(d.spread*r.NormFloat64()-d.spread*d.spread/2)
	}
	return time.Duration(min(max(v, 0), maxDraw))
}
