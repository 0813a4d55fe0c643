package main

import (
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/plan/search"
)

// truth is the highest load at which the SLO holds in the long run, by halving the
// range until it is known to 0.5 %, or to one request at a time.
func (c *config) truth() (float64, error) {
	low, high := 0.0, 1.0
	for {
		holds, err := c.holds(high)
		if err != nil {
			return 0, err
		}
		if !holds {
			break
		}
		low, high = high, high*2
	}
	if low == 0 {
		low = high / 64
	}
	for high/low > 1.005 && !(c.closed && high-low <= 1) {
		x := math.Sqrt(low * high)
		if c.closed {
			x = math.Round((low + high) / 2)
		}
		holds, err := c.holds(x)
		if err != nil {
			return 0, err
		}
		if holds {
			low = x
		} else {
			high = x
		}
	}
	return low, nil
}

// holds takes the median of three runs that nobody would wait for.
func (c *config) holds(x float64) (bool, error) {
	var uses []float64
	for seed := range uint64(3) {
		o, err := c.probe(x, c.truthLength(x), seed+1, true)
		if err != nil {
			return false, err
		}
		uses = append(uses, use(&o))
	}
	return middle(uses) <= 1, nil
}

// truthLength is some 6,000 requests, from 3 to 10 minutes.
func (c *config) truthLength(x float64) time.Duration {
	rate := x
	if c.closed {
		rate = x / (float64(c.output) * c.engine.Base.Seconds() * 1.5)
	}
	return time.Duration(min(max(6000/rate, 180), 600) * float64(time.Second))
}

// use is how much of its limit the binding clause took; without bound where the
// probe was left.
func use(o *search.Observation) float64 {
	if b := o.Binding(); b != nil && o.GaveUp == "" {
		return *b.Use
	}
	return math.Inf(1)
}

// sweep is the time of what a person would do: double the load until the SLO fails,
// then steps of 5 % in between, each a run of the confirming length.
func (c *config) sweep(truth float64, length time.Duration) (seconds float64, err error) {
	run := func(x float64) {
		if err != nil {
			return
		}
		var o search.Observation
		o, err = c.probe(x, length, 77, false)
		seconds += o.Cost
	}
	x := 1.0
	for ; x <= truth; x *= 2 {
		run(x)
	}
	run(x)
	for y := x / 2 * 1.05; y < x; y *= 1.05 {
		if c.closed {
			y = math.Ceil(y)
		}
		run(y)
	}
	return seconds, err
}
