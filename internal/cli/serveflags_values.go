package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/send/pace"
)

// setStages reads --stages.
func (o *serveOptions) setStages(text string) error {
	stages, err := pace.ParseStages(text)
	if err != nil {
		return argv.Errorf("", "can't be read: %v", err)
	}
	o.Stages = stages
	return nil
}

// setRampRate reads --ramp-rate: 5..50.
func (o *serveOptions) setRampRate(text string) error {
	from, to, ok := strings.Cut(text, "..")
	a, errA := strconv.ParseFloat(from, 64)
	b, errB := strconv.ParseFloat(to, 64)
	if !ok || errA != nil || errB != nil {
		return argv.Errorf("", "needs two rates such as 5..50, not %q", text)
	}
	if !allFinite(a, b) || a < 0 || b < 0 || a+b == 0 {
		return argv.Errorf("", "needs rates of 0 or more, not both 0, and not %q", text)
	}
	o.RampRate = &rampRate{a, b}
	return nil
}

// setRangeRatio reads --random-range-ratio: a number, or a JSON object with input and output.
func (o *serveOptions) setRangeRatio(text string) error {
	var r rangeRatio
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		var both struct{ Input, Output *float64 }
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(&both); err != nil || d.More() || both.Input == nil || both.Output == nil {
			return argv.Errorf("", `needs both ratios, as in {"input": 0.1, "output": 0.5}, not %s`, text)
		}
		r = rangeRatio{*both.Input, *both.Output}
	} else {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return argv.Errorf("", "needs a number or a JSON object, not %q", text)
		}
		r = rangeRatio{v, v}
	}
	for _, v := range []float64{r.Input, r.Output} {
		if !(v >= 0 && v < 1) { // so that nan fails too
			return argv.Errorf("", "must be at least 0 and below 1, not %g", v)
		}
	}
	o.RandomRangeRatio = r
	return nil
}

// setGoodput makes the limits of what --goodput was given.
func (o *serveOptions) setGoodput() error {
	o.Goodput = nil
	for _, p := range o.goodput {
		if !measure.IsGoodput(p.Key) {
			return argv.Errorf("goodput", "knows %s, not %q", strings.Join(measure.Goodputs(), ", "), p.Key).
				WithHint("NN is a percentile of the gaps of one request, as in itl_p99:50")
		}
		ms, err := strconv.ParseFloat(p.Value, 64)
		if err != nil || !allFinite(ms) || ms < 0 {
			return argv.Errorf("goodput", "needs milliseconds of 0 or more for %s, not %q", p.Key, p.Value)
		}
		for _, before := range o.Goodput {
			if before.Metric == p.Key {
				return argv.Errorf("goodput", "has two limits for %s", p.Key)
			}
		}
		o.Goodput = append(o.Goodput, goodputLimit{p.Key, ms})
	}
	return nil
}

func allFinite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
