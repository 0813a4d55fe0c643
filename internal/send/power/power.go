// Package power knows what a run took in electricity: from a number that was given,
// from the counters of this machine's processors (RAPL), or from a Prometheus server
// that scrapes the devices.
//
// A meter that can't read says so in its reading and stops nothing: a run is not
// worth less because its energy is unknown.
package power

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Reading is what a meter has seen.
type Reading struct {
	Source string  // watts, rapl or prometheus
	Watts  float64 // the mean over the time
	Reason string  // why it is not known; empty: it is
}

// Spec says how power is known.
type Spec struct {
	Watts      float64 // a number, of one device
	RAPL       bool
	Prometheus *Query
}

// The sources.
const (
	SourceNumber     = "watts"
	SourceRAPL       = "rapl"
	SourcePrometheus = "prometheus"
)

// Parse reads WATTS, rapl, or prometheus:URL?query=….
func Parse(text string) (Spec, error) {
	if text == SourceRAPL {
		return Spec{RAPL: true}, nil
	}
	if rest, ok := strings.CutPrefix(text, SourcePrometheus+":"); ok {
		q, err := parseQuery(rest)
		return Spec{Prometheus: q}, err
	}
	watts, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(text, "W"), " "), 64)
	if err != nil || !(watts > 0 && watts < 1e9) {
		return Spec{}, fmt.Errorf("%q is neither a number of watts, nor rapl, nor prometheus:http://host:9090?query=…", text)
	}
	return Spec{Watts: watts}, nil
}

// meter reads again and again.
type meter interface {
	// read is called at the start, at the end and in between, with the seconds since
	// the call before.
	read(ctx context.Context, seconds float64) error
	// watts is the mean; ok is false where nothing could be read.
	watts() (mean float64, ok bool)
	// every is the time between two readings.
	every() time.Duration
}

// Measurement is a meter at work.
type Measurement struct {
	source string
	fixed  float64
	meter  meter

	quit chan struct{}
	over sync.WaitGroup
	err  error // the last one
}

// Start begins to measure. devices is how many the given number of watts is of.
func (s Spec) Start(devices int, client *http.Client) *Measurement {
	switch {
	case s.RAPL:
		return start(SourceRAPL, &rapl{root: Powercap})
	case s.Prometheus != nil:
		return start(SourcePrometheus, &prometheus{query: s.Prometheus, client: client})
	}
	return &Measurement{source: SourceNumber, fixed: s.Watts * float64(devices)}
}

func start(source string, m meter) *Measurement {
	w := &Measurement{source: source, meter: m, quit: make(chan struct{})}
	w.over.Go(w.loop)
	return w
}

func (w *Measurement) loop() {
	tick := time.NewTicker(w.meter.every())
	defer tick.Stop()
	last := time.Now()
	w.read(0)
	for {
		select {
		case <-tick.C:
			now := time.Now()
			w.read(now.Sub(last).Seconds())
			last = now
		case <-w.quit:
			w.read(time.Since(last).Seconds())
			return
		}
	}
}

func (w *Measurement) read(seconds float64) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := w.meter.read(ctx, seconds); err != nil {
		w.err = err
	}
}

// Stop ends the measurement and says what was seen.
func (w *Measurement) Stop() Reading {
	if w.meter == nil {
		return Reading{Source: w.source, Watts: w.fixed}
	}
	close(w.quit)
	w.over.Wait()
	r := Reading{Source: w.source}
	mean, ok := w.meter.watts()
	switch {
	case ok:
		r.Watts = mean
	case w.err != nil:
		r.Reason = w.err.Error()
	default:
		r.Reason = "the run was too short to read it twice"
	}
	return r
}
