package report

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// probe prints vLLM's block of probe requests, which it has where at least one came back.
func (c *console) probe(p *measure.Probe) {
	if p == nil || p.Completed == 0 {
		return
	}
	c.center("Probe Requests", "-")
	c.integer("Probe requests completed:", int64(p.Completed))
	c.integer("Probe requests failed:", int64(p.Failed))
	c.float("Median probe E2EL (ms):", p.E2EL.P50)
	c.float("P99 probe E2EL (ms):", p.E2EL.P99)
	c.float("Max probe E2EL (ms):", p.E2EL.Max)
}

// setProbe sets vLLM's keys, under vLLM's condition.
func setProbe(o *object, p *measure.Probe) {
	if p == nil || p.Completed == 0 {
		return
	}
	o.Set("probe_completed", p.Completed)
	o.Set("probe_failed", p.Failed)
	o.Set("probe_median_e2el_ms", p.E2EL.P50)
	o.Set("probe_p99_e2el_ms", p.E2EL.P99)
	o.Set("probe_max_e2el_ms", p.E2EL.Max)
}
