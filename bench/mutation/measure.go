package main

// ofMeasure breaks measure.
var ofMeasure = []mutation{
	{
		File: "internal/judge/measure/concurrency.go", Breaks: "a slot that is handed on counts as two",
		Old: "ends[e] <= starts[s]",
		New: "ends[e] < starts[s]",
	},
	{
		File: "internal/judge/measure/goodput.go", Breaks: "what is exactly at its limit is not good",
		Old: "v > l.MS/1000",
		New: "v >= l.MS/1000",
	},
	{
		File: "internal/judge/measure/steady.go", Breaks: "requests over the window's edges count as whole ones",
		Old: "in.took += float64(end - row.Sent)",
		New: "in.took += float64(min(end, to) - max(row.Sent, from))",
	},
	{
		File: "internal/judge/measure/concurrency.go", Breaks: "who comes or goes in a slot was open for all of it",
		Old: "(float64(open) + float64(change)/2)",
		New: "(float64(open) + float64(change))",
	},
	{
		File: "internal/judge/measure/aggregates.go", Breaks: "nanoseconds in a sum of microseconds",
		Old: "cell.took += max(r.Last, 0) / 1000",
		New: "cell.took += max(r.Last, 0)",
	},
	{
		File: "internal/judge/measure/stalls.go", Breaks: "a stall of a slow server is half a second above the median, not one",
		Old: "min(twice*stallFactor, twice+2*stallAbove) / 2",
		New: "min(twice*stallFactor, twice+stallAbove) / 2",
	},
	{
		File: "internal/judge/sample/interval.go", Breaks: "the interval of a mean is one-sided",
		Old: "stats.NormalQuantile((1+Level)/2)",
		New: "stats.NormalQuantile(Level)",
	},
	{
		File: "internal/judge/measure/settled.go", Breaks: "the first request of the second wave counts as a start",
		Old: "req.Index < slots && req.Conversation == 0",
		New: "req.Index <= slots && req.Conversation == 0",
	},
	{
		File: "internal/judge/measure/groups.go", Breaks: "a group's cached share may be above one",
		Old: "int64(min(r.Cached, r.Counted))",
		New: "int64(r.Cached)",
	},
	{
		File: "internal/judge/measure/totals.go", Breaks: "the first send is always at zero",
		Old: "if t.completed == 0 || r.Sent < t.firstSent",
		New: "if r.Sent < t.firstSent",
	},
	{
		File: "internal/judge/measure/tokentimes.go", Breaks: "the seconds of the peak begin at the clock's zero, not at the first send",
		Old: "s := (at - origin) / 1e9; s != second",
		New: "s := at / 1e9; s != second",
	},
	{
		File: "internal/judge/measure/until.go", Breaks: "requests that end together write over each other", Race: true,
		Old: `	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.rows) == RowLimit`,
		New: "	if len(u.rows) == RowLimit",
	},
}
