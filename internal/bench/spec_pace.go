package bench

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/usage"
)

// Pace says when requests are sent. Only one of its ways may be used.
type Pace struct {
	RequestRate    float64       `json:"request_rate"` // inf: as fast as the concurrency allows
	Burstiness     float64       `json:"burstiness"`
	RampUpStrategy string        `json:"ramp_up_strategy,omitempty"` // linear or exponential, by the number of requests
	RampUpStartRPS *int          `json:"ramp_up_start_rps,omitempty"`
	RampUpEndRPS   *int          `json:"ramp_up_end_rps,omitempty"`
	Stages         string        `json:"stages,omitempty"`    // as in 10s@5,60s@5-50
	RampRate       string        `json:"ramp_rate,omitempty"` // as in 5..50, over RampDuration
	RampDuration   time.Duration `json:"ramp_duration,omitempty"`
}

// timed reports whether the run ends after a time rather than after a number of requests.
func (s *Spec) timed() bool { return s.Duration > 0 || s.Stages != "" || s.RampRate != "" }

// ParseRamp reads a rate that rises in time: 5..50.
func ParseRamp(text string) (from, to float64, err error) {
	first, last, ok := strings.Cut(text, "..")
	from, errA := strconv.ParseFloat(first, 64)
	to, errB := strconv.ParseFloat(last, 64)
	if !ok || errA != nil || errB != nil {
		return 0, 0, usage.Errorf("ramp-rate", "needs two rates such as 5..50, not %q", text)
	}
	if !allFinite(from, to) || from < 0 || to < 0 || from+to == 0 {
		return 0, 0, usage.Errorf("ramp-rate", "needs rates of 0 or more, not both 0, and not %q", text)
	}
	return from, to, nil
}

// ways are the ways to say when requests are sent that are used.
func (s *Spec) ways() (used []string) {
	for _, way := range []struct {
		name  string
		given bool
	}{
		{"request-rate", !math.IsInf(s.RequestRate, 1)},
		{"ramp-up-strategy", s.RampUpStrategy != ""},
		{"ramp-rate", s.RampRate != ""},
		{"stages", s.Stages != ""},
	} {
		if way.given {
			used = append(used, way.name)
		}
	}
	return used
}

// checkPace looks at the ways to say when requests are sent; only one may be used.
func (s *Spec) checkPace() error {
	if s.Stages != "" {
		if _, err := pace.ParseStages(s.Stages); err != nil {
			return usage.Errorf("stages", "can't be read: %v", err)
		}
	}
	if s.RampRate != "" {
		if _, _, err := ParseRamp(s.RampRate); err != nil {
			return err
		}
	}
	if !(s.Burstiness > 0) {
		return usage.Errorf("burstiness", "must be above 0, not %g", s.Burstiness)
	}
	if !(s.RequestRate > 0) {
		return usage.Errorf("request-rate", "must be above 0, not %g", s.RequestRate)
	}
	if ways := s.ways(); len(ways) > 1 {
		return usage.Errorf(ways[1], "can't be used together with --%s: both say when requests are sent", ways[0])
	}
	return s.checkRampUp()
}

// checkRampUp looks at vLLM's ramp, which goes by the number of requests.
func (s *Spec) checkRampUp() error {
	start, end := s.RampUpStartRPS, s.RampUpEndRPS
	if s.RampUpStrategy == "" {
		for name, given := range map[string]bool{"ramp-up-start-rps": start != nil, "ramp-up-end-rps": start == nil && end != nil} {
			if given {
				return usage.Errorf(name, "needs --ramp-up-strategy").WithHint("linear or exponential")
			}
		}
		return nil
	}
	switch {
	case start == nil || end == nil:
		return usage.Errorf("ramp-up-strategy", "needs --ramp-up-start-rps and --ramp-up-end-rps")
	case *start < 0:
		return usage.Errorf("ramp-up-start-rps", "can't be negative, as %d is", *start)
	case *end < 0:
		return usage.Errorf("ramp-up-end-rps", "can't be negative, as %d is", *end)
	case *start > *end:
		return usage.Errorf("ramp-up-start-rps", "must not be above --ramp-up-end-rps, as %d is above %d", *start, *end)
	case *start == 0:
		return usage.Errorf("ramp-up-start-rps", "must be above 0: the first request of a rate of 0 would never be sent").
			WithHint("a ramp from 0 in time is --ramp-rate 0..%d --ramp-duration 60s", *end)
	case s.Unbounded:
		return usage.Errorf("ramp-up-strategy", "goes by the number of requests and needs --num-prompts beside --duration").
			WithHint("a ramp in time is --ramp-rate %d..%d --ramp-duration %v", *start, *end, s.Duration)
	}
	return nil
}

// SpawnTime is how long it takes until all users are there.
func (s *Spec) SpawnTime() time.Duration {
	if s.MaxConcurrency == nil || s.SpawnRate <= 0 {
		return 0
	}
	return time.Duration(float64(*s.MaxConcurrency-1) / s.SpawnRate * float64(time.Second))
}

// sendFor is the bound in time, from the moment when all users are there; 0: no bound.
func (s *Spec) sendFor() time.Duration {
	if s.Duration == 0 {
		return 0
	}
	return s.Duration + s.SpawnTime()
}

// length is how long the run sends, where the Spec says so.
func (s *Spec) length() time.Duration {
	sum := s.sendFor() + s.RampDuration // only one of the three can be given
	stages, _ := pace.ParseStages(s.Stages)
	for _, stage := range stages {
		sum += stage.Length
	}
	return sum
}

// paceSpec is the arrival process for package pace; n is how many requests there are.
func (s *Spec) paceSpec(n int) (pace.Spec, error) {
	p := pace.Spec{
		N: n, Rate: s.RequestRate, Burstiness: s.Burstiness, Seed: uint64(s.Seed), Concurrent: s.MaxConcurrency != nil, Duration: s.sendFor(),
	}
	if s.Unbounded || s.BatchSize > 0 { // batches end with their source, which has unmeasured requests too
		p.N = 0
	}
	if s.Stages != "" {
		stages, err := pace.ParseStages(s.Stages)
		if err != nil {
			return p, err
		}
		p.Stages = stages
	}
	if s.RampUpStrategy != "" {
		p.RampStrategy, p.RampStart, p.RampEnd = s.RampUpStrategy, float64(*s.RampUpStartRPS), float64(*s.RampUpEndRPS)
	}
	if s.RampRate != "" {
		from, to, err := ParseRamp(s.RampRate)
		if err != nil {
			return p, err
		}
		p.Name, p.RampStart, p.RampEnd, p.RampOver = pace.RampTime, from, to, s.RampDuration
	}
	if p.Name == "" {
		p.Name = p.Choose()
	}
	return p, nil
}
