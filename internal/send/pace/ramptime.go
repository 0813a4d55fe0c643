package pace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
)

var rampTime = NewKind(Kind{Name: RampTime, Doc: "The rate changes evenly over a time.", By: "ramp_rate", Timed: true}, newRampTime)

// RampTimeOptions shape the ramp in time.
type RampTimeOptions struct {
	Rate *RampRate      `json:"ramp_rate" flag:"ramp-rate" metavar:"FROM..TO" help:"Raise the rate in time, as in 5..50, over --ramp-duration."`
	Over *time.Duration `json:"ramp_duration" flag:"ramp-duration" above:"0" help:"How long the ramp of --ramp-rate lasts."`
	SpreadOptions
}

// Check implements [option.Checker].
func (o *RampTimeOptions) Check() error {
	if o.Rate == nil || o.Over == nil {
		return option.Errorf("ramp_rate", "and %s go together: one says how high, the other how long", option.Ref("ramp_duration"))
	}
	return nil
}

// Length is how long the pace lasts.
func (o *RampTimeOptions) Length() time.Duration { return *o.Over }

// newRampTime raises or lowers the rate evenly over a time: a single stage.
func newRampTime(s Spec, o *RampTimeOptions) (Pace, error) {
	return newStages(s, &StagesOptions{o.stages(), o.SpreadOptions})
}

func (o *RampTimeOptions) stages() Stages {
	return Stages{{Length: *o.Over, From: o.Rate.From, To: o.Rate.To}}
}

// RampRate is the requests per second at the start and at the end of a ramp.
type RampRate struct{ From, To float64 }

// UnmarshalText reads 5..50.
func (r *RampRate) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), "..")
	a, errA := strconv.ParseFloat(from, 64)
	b, errB := strconv.ParseFloat(to, 64)
	if !ok || errA != nil || errB != nil {
		return fmt.Errorf("needs two rates such as 5..50, not %q", text)
	}
	if bad := func(v float64) bool { return !(v >= 0) || math.IsInf(v, 0) }; bad(a) || bad(b) || a+b == 0 {
		return fmt.Errorf("needs rates of 0 or more, not both 0, and not %q", text)
	}
	*r = RampRate{a, b}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (r RampRate) MarshalText() ([]byte, error) {
	return []byte(option.FormatFloat(r.From) + ".." + option.FormatFloat(r.To)), nil
}
