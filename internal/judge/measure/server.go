package measure

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// served counts what each server should have counted: warm-ups and probes too; and warm-ups by themselves.
type served struct{ all, warm []serving.Sent }

func newServed(run *journal.Run) served {
	targets := max(len(run.Targets), 1)
	return served{make([]serving.Sent, targets), make([]serving.Sent, targets)}
}

func (s served) add(r *journal.Request) {
	if r.Target < 0 || r.Target >= len(s.all) {
		return
	}
	s.all[r.Target].Add(r)
	if r.Warmup && !r.Probe {
		s.warm[r.Target].Add(r)
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
		Targets: max(len(c.run.Targets), 1), Replicas: c.run.Replicas, Mapping: c.run.MetricNames, Sent: c.served.all,
		Warm: c.served.warm, Duration: r.Duration,
		// A server may count each text of a request for vectors by itself.
		Unknown: c.run.Options.Pooling || r.End == nil || r.End.Unwritten > 0 || r.Lost > 0,
	}
	if r.End != nil {
		run.Drafts = r.End.SpecDecode
	}
	return serving.Summarize(run, lines.Scrapes())
}

// generated is the servers' count of the tokens that they generated; nil: they don't tell, or not of the whole run.
func generated(s *serving.Summary) *serving.Counted {
	if s == nil || s.Restarted != "" {
		return nil
	}
	return s.GeneratedTokens
}

// devices is what hardware told over the measured time; nil: nothing was asked.
func devices(j Journal, r *Result) *hardware.Summary {
	told, ok := j.(interface{ Hardware() []journal.Hardware })
	if !ok {
		return nil
	}
	w := hardware.Work{Seconds: r.Duration, Output: int64(r.OutputTokens), Requests: int64(r.Completed)}
	if r.Jobs != nil {
		w.Jobs = int64(r.Jobs.Complete)
	}
	if f := r.Run.Fleet; f != nil {
		for i := range f.Agents {
			w.Hosts = append(w.Hosts, f.Agents[i].Environment.Host)
		}
	}
	return hardware.Of(told.Hardware(), w)
}
