package spec

import (
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/usage"
)

func (s *Spec) checkProbe() error {
	if rate := s.ProbeRequestRate; rate < 0 || rate > mostProbes || rate != 0 && rate < 1/mostPause.Seconds() {
		return usage.Errorf("probe-request-rate", "must be 0, or from one in %v to %v a second, not %v", mostPause, mostProbes, rate)
	}
	return nil
}

// The bounds of --probe-request-rate.
const (
	mostProbes = 1e6
	mostPause  = 24 * time.Hour
)

// Thresholds are the two of the timeline, or vLLM's.
func Thresholds(given []float64) [2]float64 {
	if len(given) != 2 {
		return [2]float64{25, 50}
	}
	return [2]float64{given[0], given[1]}
}

// CheckThresholds says what is wrong with them. None are given: nothing is.
func CheckThresholds(given []float64) error {
	if len(given) == 0 {
		return nil
	}
	if len(given) != 2 {
		return usage.Errorf("timeline-itl-thresholds", "needs two times in ms, as in 25,50, not %d", len(given))
	}
	if a, b := given[0], given[1]; !(a > 0 && a <= b && b <= 1e9) {
		return usage.Errorf("timeline-itl-thresholds", "needs two times in ms above 0, the smaller one first, not %v,%v", a, b)
	}
	return nil
}

func (s *Spec) checkThresholds() error { return CheckThresholds(s.TimelineITLThresholds) }

// checkHardware refuses what no source is called. What a variable holds is read when it is there.
func (s *Spec) checkHardware() error {
	if _, err := hardware.Parse(s.Hardware.Text); err != nil {
		return usage.Errorf("hardware", "%v", err)
	}
	return nil
}

// mostMetricsURLs bounds --metrics-url: no gateway of one run has as many servers.
const mostMetricsURLs = 256

// checkMetrics says what is wrong with where metrics are read, and completes addresses.
func (s *Spec) checkMetrics() error {
	if len(s.MetricsURLs) > mostMetricsURLs {
		return usage.Errorf("metrics-url", "is given %d times: at most %d", len(s.MetricsURLs), mostMetricsURLs)
	}
	for i, text := range s.MetricsURLs {
		address, err := scrape.Address(text)
		if err != nil {
			return usage.Errorf("metrics-url", "%v", err)
		}
		if slices.Contains(s.MetricsURLs[:i], address) {
			return usage.Errorf("metrics-url", "has %s twice: its counters would count twice", address)
		}
		s.MetricsURLs[i] = address
	}
	if n := len(s.MetricsURLs); n > 0 && s.Several() && n != len(s.URLs) {
		return usage.Errorf("metrics-url", "is given %d times for %d servers: give one for each, in their order", n, len(s.URLs))
	}
	if err := s.checkLogs(); err != nil {
		return err
	}
	return s.checkMetricNames()
}

// checkLogs says what is wrong with the logs of the servers.
func (s *Spec) checkLogs() error {
	switch n := len(s.ServerLogs); {
	case n == 0:
		return nil
	case s.ScrapeEvery == 0:
		return usage.Errorf("server-log", "is read during the load, which %s 0 forbids", usage.Ref("scrape-every"))
	case n != len(s.URLs):
		return usage.Errorf("server-log", "is given %d times for %d servers: give one for each, in their order", n, len(s.URLs))
	}
	for _, path := range s.ServerLogs {
		if path == "" {
			return usage.Errorf("server-log", "needs the name of a file")
		}
	}
	return nil
}

// TraceRandom is a trace of its own for each run.
const TraceRandom = "random"

// checkTrace looks at the trace that requests are sent under.
func (s *Spec) checkTrace() error {
	if s.TraceID == "" || s.TraceID == TraceRandom {
		return nil
	}
	if _, err := wire.ParseTrace(s.TraceID); err != nil {
		return usage.Errorf("trace-id", "%v, or %s", err, TraceRandom)
	}
	return nil
}

// several says that the run loads more than one server.
func (s *Spec) Several() bool { return len(s.URLs) > 1 }

// untilPrompts bounds a run with --until that has no other bound: so many requests
// are measured one by one.
const untilPrompts = measure.RowLimit

// checkUntil reads the goals that end a run. They need a load that stays the same and
// that can be stopped.
func (s *Spec) checkUntil() error {
	if s.Until == "" {
		return nil
	}
	if _, err := condition.Parse(s.Until, condition.Width); err != nil {
		return usage.Errorf("until", "%v", err)
	}
	if by := s.paceKind().By; by != "" {
		return usage.Errorf("until", "can't be used together with %s: a number has an interval only while the load stays the same", usage.Ref(option.FlagName(pace.Fields(), by)))
	}
	if s.SelfTimed() {
		return usage.Errorf("until", "can't be used with %s %s, which is sent at its own times: a number has an interval only while the load stays the same", usage.Ref("dataset-name"), s.DatasetName)
	}
	if math.IsInf(s.Rate(), 1) && !s.concurrent() {
		return usage.Errorf("until", "has nothing to stop where all requests are sent at once").WithHint("give %s or %s", usage.Ref("max-concurrency"), usage.Ref("request-rate"))
	}
	return nil
}

func (s *Spec) checkGiveUp() error {
	if s.GiveUp == "" {
		return nil
	}
	switch _, err := slo.Parse(s.GiveUp); {
	case err != nil:
		return usage.Errorf("give-up", "%v", err)
	case s.Duration == 0:
		return usage.Errorf("give-up", "needs %s: what can still be met depends on the time left", usage.Ref("duration"))
	case s.Until != "":
		return usage.Errorf("give-up", "can't be used together with %s", usage.Ref("until"))
	}
	return nil
}
