package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/condition"
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
	var clauses []string
	for _, p := range o.goodput {
		clauses = append(clauses, p.Key+":"+p.Value)
	}
	if clauses == nil {
		return nil
	}
	limits, err := condition.Parse(strings.Join(clauses, " and "), condition.PerRequest)
	if err != nil {
		return argv.Errorf("goodput", "%v", err)
	}
	for _, c := range limits {
		if slices.ContainsFunc(o.Goodput, func(l goodputLimit) bool { return l.Metric == c.Metric }) {
			return argv.Errorf("goodput", "has two limits for %s", c.Metric)
		}
		o.Goodput = append(o.Goodput, goodputLimit{c.Metric, c.Limit})
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
