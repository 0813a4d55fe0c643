package prometheus

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/VictoriaMetrics/metrics"

	"github.com/inferometer/inferometer/internal/export/tally"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
)

// page is one answer to a scrape. It is made anew each time, so that what is not known any
// more is not there any more.
type page struct {
	set    *metrics.Set
	labels string
}

// Write writes what is known now, in Prometheus's text format.
func (e *Exporter) Write(w io.Writer) error {
	e.mu.Lock()
	p := page{metrics.NewSet(), e.labels}
	all, state, told := e.tally, e.state, e.told
	e.mu.Unlock()
	p.set.NewGauge(nBuild+"{"+label("version", e.version)+"}", nil).Set(1)
	if all != nil { // the names of the run are known
		if state != nil {
			p.state(state)
		}
		if told {
			p.outcomes(state)
		} else {
			p.sums(all.Sums())
		}
	}
	var b bytes.Buffer
	p.set.WritePrometheus(&b)
	_, err := w.Write(described(b.Bytes()))
	return err
}

// name is a metric with its labels, the run's among them.
func (p *page) name(name string, further ...string) string {
	return name + "{" + strings.Join(append([]string{p.labels}, further...), ",") + "}"
}

func (p *page) gauge(v float64, name string, further ...string) {
	p.set.GetOrCreateGauge(p.name(name, further...), nil).Set(v)
}

func (p *page) count(n uint64, name string, further ...string) {
	p.set.GetOrCreateCounter(p.name(name, further...)).Set(n)
}

// sums are those of the requests that have ended. Outcomes of which there is none are there
// too: a rate needs a value to begin with.
func (p *page) sums(s *tally.Sums) {
	for _, o := range journal.Outcomes {
		p.count(s.Outcomes[o], nRequests, label("outcome", string(o)))
	}
	p.count(s.Prompt, nPrompt)
	p.count(s.Output, nOutput)
	p.set.RegisterMetricsWriter(func(w io.Writer) {
		p.histogram(w, nTTFT, &s.TTFT)
		p.histogram(w, nGap, &s.Gap)
		p.histogram(w, nDuration, &s.Duration)
	})
}

// outcomes are what the agents of a fleet tell of; the rest is known when their journals are one.
func (p *page) outcomes(s *live.State) {
	if s == nil {
		return
	}
	known := s.Outcomes
	if known == nil {
		known = map[string]int64{string(journal.Complete): s.Completed}
	}
	for _, o := range journal.Outcomes {
		if n, ok := known[string(o)]; ok {
			p.count(uint64(max(n, 0)), nRequests, label("outcome", string(o)))
		}
	}
}

// histogram writes counts up to each bound, as Prometheus's own histograms have them. Those
// of the library have ranges of their own, which only VictoriaMetrics reads.
func (p *page) histogram(w io.Writer, name string, h *tally.Histogram) {
	var b []byte
	sum := uint64(0)
	for i, n := range h.Counts {
		sum += n
		le := "+Inf"
		if i < len(h.Bounds) {
			le = strconv.FormatFloat(h.Bounds[i], 'g', -1, 64)
		}
		b = fmt.Appendf(b, "%s %d\n", p.name(name+"_bucket", label("le", le)), sum)
	}
	b = fmt.Appendf(b, "%s %s\n", p.name(name+"_sum"), strconv.FormatFloat(h.Sum, 'g', -1, 64))
	b = fmt.Appendf(b, "%s %d\n", p.name(name+"_count"), h.Count)
	_, _ = w.Write(b) // into memory
}

// state is the run at this moment. What it does not tell is left out.
func (p *page) state(s *live.State) {
	for _, phase := range []live.Phase{live.Preparing, live.WarmingUp, live.Running, live.Paused, live.Draining, live.Ended} {
		p.gauge(one(s.Phase == phase), nPhase, label("phase", string(phase)))
	}
	p.gauge(one(s.Phase == live.Paused), nPaused)
	p.gauge(float64(s.InFlight), nInFlight)
	if s.Total > 0 {
		p.gauge(float64(s.Total), nPlanned)
	}
	if s.At >= 0 {
		p.gauge(s.At, nElapsed)
		p.gauge(s.TokensPerS, nTokenRate)
		p.gauge(s.RequestsPerS, nRate)
	}
	p.window(nTTFTWindow, s.TTFT)
	p.window(nGapWindow, s.ITL)
	p.window(nLagWindow, s.Lag)
	for _, c := range s.SLO[:min(len(s.SLO), maxClauses)] {
		if c.Holds != nil {
			p.gauge(one(*c.Holds), nSLO, label("clause", c.Text))
		}
	}
	for i := range s.Servers[:min(len(s.Servers), maxServers)] {
		p.server(i, &s.Servers[i])
	}
	p.agents(s.Agents)
}

// So many series at most, whatever is told.
const (
	maxClauses = 50
	maxServers = 100
)

func (p *page) window(name string, w live.Window) {
	if w.Count > 0 {
		p.gauge(w.P50/1e3, name, label("percentile", "50"))
		p.gauge(w.P99/1e3, name, label("percentile", "99"))
	}
}

func (p *page) server(i int, s *live.Server) {
	which := label("server", strconv.Itoa(i+1))
	for name, v := range map[string]*float64{nRunning: s.Running, nWaiting: s.Waiting, nCache: s.CacheUse} {
		if v != nil && !math.IsNaN(*v) {
			p.gauge(*v, name, which)
		}
	}
}

// agents are counted: a fleet may have a thousand.
func (p *page) agents(list []live.Agent) {
	if len(list) == 0 {
		return
	}
	silent := 0
	for _, a := range list {
		if a.Silent {
			silent++
		}
	}
	p.gauge(float64(len(list)-silent), nAgents, label("phase", "heard"))
	p.gauge(float64(silent), nAgents, label("phase", "silent"))
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// described puts the lines HELP and TYPE before each family. The library's own are for all
// sets of a program at once, and without help.
func described(text []byte) []byte {
	families := map[string]Family{}
	for _, f := range Families() {
		families[f.Name] = f
	}
	out := make([]byte, 0, 2*len(text))
	before := ""
	for line := range bytes.Lines(text) {
		name, _, _ := bytes.Cut(line, []byte("{"))
		f, ok := families[string(name)]
		if !ok { // a part of a histogram
			cut := bytes.LastIndexByte(name, '_')
			f = families[string(name[:max(cut, 0)])]
		}
		if f.Name != before {
			out = fmt.Appendf(out, "# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, f.Type)
			before = f.Name
		}
		out = append(out, line...)
	}
	return out
}
