package spec

import (
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/hangup"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/scrape"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/usage"
)

// HangUp is which requests their client ends on purpose; nil: none.
func (s *Spec) HangUp() *hangup.Plan {
	if s.RequestCancellationRate == 0 {
		return nil
	}
	p := &hangup.Plan{Seed: int64(s.Seed), Share: s.RequestCancellationRate / 100, Tokens: s.RequestCancellationTokens, Timed: s.RequestCancellationTokens == 0}
	if d := s.RequestCancellationDelay; d != nil {
		p.After, p.Timed = *d, true
	}
	return p
}

// checkHangUp holds the moment of hanging up against what answers have.
func (s *Spec) checkHangUp() error {
	rate, tokens := s.RequestCancellationRate, s.RequestCancellationTokens
	switch {
	case math.IsNaN(rate):
		return usage.Errorf("request-cancellation-rate", "must be a percentage from 0 to 100")
	case rate == 0 && tokens > 0:
		return usage.Errorf("request-cancellation-tokens", "needs the share of requests to hang up on").WithHint("give a percentage with %s", usage.Ref("request-cancellation-rate"))
	case rate == 0 && s.RequestCancellationDelay != nil:
		return usage.Errorf("request-cancellation-delay", "needs the share of requests to hang up on").WithHint("give a percentage with %s", usage.Ref("request-cancellation-rate"))
	case tokens > 0 && (s.WholeAnswers() || s.API().Pooling):
		return usage.Errorf("request-cancellation-tokens", "needs answers that come as a stream of tokens").WithHint("%s hangs up after a time", usage.Ref("request-cancellation-delay"))
	}
	return nil
}

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

// checkFaults says what is wrong with what is done to the servers during the load.
func (s *Spec) checkFaults() error {
	if err := s.Faults.Check(); err != nil {
		return usage.Errorf("fault", "%v", err)
	}
	for _, f := range s.Faults {
		if s.Duration > 0 && f.At >= s.Duration {
			return usage.Errorf("fault", "is at %v, when the load of %v is over: do it earlier, or give a longer %s", f.At, s.Duration, usage.Ref("duration"))
		}
		if !s.Unbounded && s.NumPrompts > 0 && f.After > s.NumPrompts {
			return usage.Errorf("fault", "comes after %d requests, and only %d are sent: do it earlier, or give a higher %s", f.After, s.NumPrompts, usage.Ref("num-prompts"))
		}
	}
	if len(s.Faults) > 0 && s.NATS != "" {
		return usage.Errorf("fault", "is for a run that one process sends: each agent of a fleet would do it")
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

// checkBatches refuses batches that nobody would wait for: a rate has a next request while answers are missing.
func (s *Spec) checkBatches() error {
	switch {
	case s.BatchSize == 0 || s.Batches != nil:
		return nil
	case s.Talks():
		return usage.Errorf("batch-size", "can't be used with conversations: their turns wait for each other").WithHint("use --max-conversations")
	case s.paceKind().Name != pace.Closed:
		return usage.Errorf("batch-size", "needs a closed loop: %s, and no rate", usage.Ref("max-concurrency")).WithHint("give --max-concurrency %d for a whole batch at once", s.BatchSize)
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
