package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// dice draw a trial's parameters.
type dice struct{ *rand.Rand }

func newDice(seed uint64) *dice { return &dice{rand.New(rand.NewPCG(seed, 0x6a756467))} }

// between is any number from low to high.
func (d *dice) between(low, high float64) float64 { return low + (high-low)*d.Float64() }

// scaled is a number from low to high, as likely in each octave: for what spans more than one order.
func (d *dice) scaled(low, high float64) float64 {
	return math.Exp(d.between(math.Log(low), math.Log(high)))
}

// whole is an integer from low to high.
func (d *dice) whole(low, high int) int { return low + d.IntN(high-low+1) }

// chance says yes with a probability.
func (d *dice) chance(p float64) bool { return d.Float64() < p }

// ms are milliseconds as a flag of the simulator takes them.
func ms(v float64) string { return fmt.Sprintf("%.3fms", v) }

// span are milliseconds as a duration.
func span(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
