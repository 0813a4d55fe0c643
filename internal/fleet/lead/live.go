package lead

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/judge/hist"
)

// beside is what a display shows of the fleet beside the numbers of any run.
func (l *leader) beside() string {
	var ttft *hist.Histogram
	working, silent, stuck, connected := 0, 0, 0, l.bus.Connected()
	for _, a := range l.agents {
		v := a.look()
		switch {
		case v.over():
		case !connected || v.silent > silentAfter:
			silent++
		case v.status.Stuck != "":
			stuck++
		default:
			working++
		}
		ttft = merged(ttft, v.status.Live["ttft"])
	}
	text := fmt.Sprintf("%d of %d agents at work", working, len(l.agents))
	switch {
	case silent > 0 && !connected:
		text += fmt.Sprintf(", nothing is heard of %d: NATS is away", silent)
	case silent > 0:
		text += fmt.Sprintf(", %d silent", silent)
	}
	if stuck > 0 {
		text += fmt.Sprintf(", %d can't hand on their journals", stuck)
	}
	if ttft != nil && ttft.Count() > 0 {
		text += fmt.Sprintf(", TTFT p50 %s p99 %s", short(ttft, 50), short(ttft, 99))
	}
	return text
}

func short(h *hist.Histogram, p float64) time.Duration {
	d := time.Duration(h.Percentile(p))
	if d > time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(100 * time.Microsecond)
}

// merged adds an agent's histogram. One that can't be read is left out of a display.
func merged(to *hist.Histogram, raw json.RawMessage) *hist.Histogram {
	if len(raw) == 0 {
		return to
	}
	h := &hist.Histogram{}
	if json.Unmarshal(raw, h) != nil {
		return to
	}
	if to == nil {
		return h
	}
	to.Merge(h)
	return to
}
