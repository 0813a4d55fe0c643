package hardware

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

// Power says how the power of a run is known: from a number that was given, or from one more source.
type Power struct {
	Watts      float64 // a number, of one device
	RAPL       bool
	Prometheus *Query
}

// The sources of power.
const (
	PowerNumber     = "watts"
	PowerRAPL       = "rapl"
	PowerPrometheus = "prometheus"
)

// ParsePower reads WATTS, rapl, or prometheus:URL?query=….
func ParsePower(text string) (Power, error) {
	if text == PowerRAPL {
		return Power{RAPL: true}, nil
	}
	if rest, ok := strings.CutPrefix(text, PowerPrometheus+":"); ok {
		q, err := parseQuery(rest)
		return Power{Prometheus: q}, err
	}
	watts, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(text, "W"), " "), 64)
	if err != nil || !(watts > 0 && watts < 1e9) {
		return Power{}, fmt.Errorf("%q is neither a number of watts, nor rapl, nor prometheus:http://host:9090?query=…", text)
	}
	return Power{Watts: watts}, nil
}

// Source is its name; empty: there is none.
func (p Power) Source() string {
	switch {
	case p.RAPL:
		return PowerRAPL
	case p.Prometheus != nil:
		return PowerPrometheus
	case p.Watts > 0:
		return PowerNumber
	}
	return ""
}

// Start begins to measure. devices is how many the given number of watts is of.
func (p Power) Start(devices int, client *http.Client) *Meter {
	m := &Meter{result: journal.Power{Source: p.Source(), Watts: p.Watts * float64(devices)}}
	switch {
	case p.RAPL:
		m.start(&energy{machine: machine.This()})
	case p.Prometheus != nil:
		m.start(&query{client, p.Prometheus.URL})
	}
	return m
}

// Meter takes the mean power of a source over a run, from its energy where it counts that. One that can't read says so
// in its result and stops nothing: a run is not worth less because its energy is unknown.
type Meter struct {
	result journal.Power
	source source // nil: a number was given
	quit   chan struct{}
	over   sync.WaitGroup

	readings      int
	watts         float64 // the sum of the readings
	counts        bool    // they have energy
	first, joules float64 // of the first reading and of the last
	began, ended  time.Time
	err           error // the last one
}

func (m *Meter) start(s source) {
	m.source, m.quit = s, make(chan struct{})
	m.over.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		m.read()
		for {
			select {
			case <-tick.C:
				m.read()
			case <-m.quit:
				m.read()
				return
			}
		}
	})
}

func (m *Meter) read() {
	ctx, cancel := context.WithTimeout(context.Background(), AskFor)
	defer cancel()
	list, err := m.source.read(ctx)
	if err != nil {
		m.err = err
		return
	}
	m.joules, m.ended = 0, time.Now()
	for i := range list {
		d := &list[i]
		if d.EnergyJ != nil && !isMemory(d) { // what --power means by rapl has always been the packages
			m.joules += *d.EnergyJ
			m.counts = true
		}
		if d.PowerW != nil {
			m.watts += *d.PowerW
		}
	}
	if m.readings++; m.readings == 1 {
		m.first, m.began = m.joules, m.ended
	}
}

// Stop ends the measurement and says what was seen; nil of a nil Meter.
func (m *Meter) Stop() *journal.Power {
	if m == nil {
		return nil
	}
	if m.source == nil {
		return &m.result
	}
	close(m.quit)
	m.over.Wait()
	seconds := m.ended.Sub(m.began).Seconds()
	switch {
	case m.counts && seconds > 0:
		m.result.Watts = (m.joules - m.first) / seconds
	case !m.counts && m.readings > 0:
		m.result.Watts = m.watts / float64(m.readings)
	case m.err != nil:
		m.result.Reason = m.err.Error()
	default:
		m.result.Reason = "the run was too short to read it twice"
	}
	return &m.result
}
