package main

// ofLoad breaks load.
var ofLoad = []mutation{
	{
		File: "internal/send/load/outcome.go", Breaks: "of the tokens of an answer without usage only the last event's count, so that whole answers are short",
		Old: "got += max(t.Events[i].Tokens, 0)",
		New: "got = max(t.Events[i].Tokens, 0)",
	},
	{
		File: "internal/send/load/run.go", Breaks: "the balancer is never told that a request has ended",
		Old: `	if j.picked {
		r.cfg.Balance.Done(j.target)
	}
`,
		New: "",
	},
	{
		File: "internal/send/load/run.go", Breaks: "the run's end is that of whoever got the lock last",
		Old: "f.last = max(f.last, end)",
		New: "f.last = end",
	},
	{
		File: "internal/send/load/dispatch.go", Breaks: "the wait for a slot is held against the client as its own lateness",
		Old: "max(now-max(d.freed-j.due, j.freed-j.due, 0), j.due)",
		New: "max(now, j.due)",
	},
	{
		File: "internal/send/load/dispatch.go", Breaks: "a pause changes the workload's hash",
		Old: "scheduled, summed := j.request.Index, j.due, j.summed",
		New: "scheduled, summed := j.request.Index, j.due+d.cfg.Control.stood(d.cfg.Clock.Now()), j.summed",
	},
	{
		File: "internal/send/load/worker.go", Breaks: "the tokens of a worker's request before are counted again",
		Old: `	s.finished.Add(s.open)
	s.open = 0
`,
		New: `	s.finished.Add(s.open)
`,
	},
	{
		File: "internal/send/load/record.go", Breaks: "the journal has no reordered segments",
		Old: "Reordered: t.Conn.Reordered, ",
		New: "",
	},
	{
		File: "internal/send/load/record.go", Breaks: "a hold over two events counts twice",
		Old: "max(min(h.To, to)-max(h.From, from), 0)",
		New: "max(min(h.To, to)-h.From, 0)",
	},
	{
		File: "internal/send/load/pause.go", Breaks: "a moment before a pause has stood still for less than nothing",
		Old: "still -= c.over[i].To - max(at, c.over[i].From)",
		New: "still -= c.over[i].To - at",
	},
	{
		File: "internal/send/load/conversations.go", Breaks: "a turn that was sent and failed counts as skipped too",
		Old: "Skipped: len(o.plan.Turns) - o.sent",
		New: "Skipped: len(o.plan.Turns) - o.complete",
	},
	{
		File: "internal/send/load/conversations.go", Breaks: "a turn after a pause is due that much later",
		Old: "return moment{at - t.run.cfg.Control.stood(at) + skipped, skipped}",
		New: "return moment{at + skipped, skipped}",
	},
	{
		File: "internal/send/load/dispatch.go", Breaks: "one turn more than --max-requests is sent",
		Old: "d.sent >= limits.MaxRequests",
		New: "d.sent > limits.MaxRequests",
	},
	{
		File: "internal/send/load/dispatch.go", Breaks: "the slot of a turn that has gone meanwhile is never given back",
		Old: `if made && (j == nil || j.body == nil) { // the one before it has gone meanwhile
		d.giveBack()
	}
`,
		New: "",
	},
	{
		File: "internal/send/load/spawn.go", Breaks: "the second user comes with the first",
		Old: "float64(n) / rate",
		New: "float64(n-1) / rate",
	},
	{
		File: "internal/send/load/progress.go", Breaks: "the sinks are read while others are added", Race: true,
		Old: `	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.sinks`,
		New: "	for _, k := range p.sinks",
	},
	{
		File: "internal/send/load/conversations.go", Breaks: "the dispatcher looks at the queue while answers change it", Race: true,
		Old: `	t.mu.Lock()
	defer t.mu.Unlock()
	return t.head()
`,
		New: `	return t.head()
`,
	},
	{
		File: "internal/send/load/load.go", Breaks: "the peak is that of the warm-ups",
		Old: "r.flight.peak, r.flight.last = 0, 0",
		New: "r.flight.last = 0",
	},
	{
		File: "internal/send/load/make.go", Breaks: "the request's sampling parameters win over the run's",
		Old: "slices.Concat(sampling, extra, others)",
		New: "slices.Concat(extra, sampling, others)",
	},
}
