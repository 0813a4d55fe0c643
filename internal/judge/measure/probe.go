package measure

import (
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// Probe is how the small requests fared that were sent beside the load. No other number has anything of them.
type Probe struct {
	Rate      float64 `json:"request_rate"` // asked for
	Completed int     `json:"completed"`
	Failed    int     `json:"failed"`
	TTFT      Summary `json:"ttft"`
	E2EL      Summary `json:"e2el"`
}

type probes struct {
	completed, failed int
	ttft, e2el        *sample.Sample
}

func (p *probes) add(r *row.Request, limit int) {
	if p.ttft == nil {
		p.ttft, p.e2el = sample.New(limit), sample.New(limit)
	}
	if !r.Row.OK {
		p.failed++
		return
	}
	p.completed++
	p.ttft.Begin(r.Index)
	p.ttft.Add(r.Row.TTFT())
	p.e2el.Begin(r.Index)
	p.e2el.Add(r.Row.Latency())
}

// result is nil where no probes were asked for.
func (p *probes) result(rate float64) *Probe {
	if rate == 0 {
		return nil
	}
	r := &Probe{Rate: rate, Completed: p.completed, Failed: p.failed}
	if p.completed > 0 {
		r.TTFT, r.E2EL = summarize(p.ttft), summarize(p.e2el)
	}
	return r
}
