package measure

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// served counts what each server should have counted: warm-ups and probes too.
type served []serving.Sent

func newServed(run *journal.Run) served { return make(served, max(len(run.Targets), 1)) }

func (s served) add(r *journal.Request) {
	if r.Target >= 0 && r.Target < len(s) {
		s[r.Target].Add(r)
	}
}

// server is what the servers say of themselves; nil: nothing. A journal without scrapes has
// none.
func (c *collector) server(j Journal, r *Result) *serving.Summary {
	lines, ok := j.(interface{ Scrapes() []journal.Scrape })
	if !ok {
		return nil
	}
	run := &serving.Run{
		Targets: max(len(c.run.Targets), 1), Mapping: c.run.MetricNames, Sent: c.served,
		// A server may count each text of a request for vectors by itself.
		Unknown: c.run.Options.Pooling || r.End == nil || r.End.Unwritten > 0 || r.Lost > 0,
	}
	if r.End != nil {
		run.Drafts = r.End.SpecDecode
	}
	return serving.Summarize(run, lines.Scrapes())
}
