package main

// ofVerdict breaks verdict.
var ofVerdict = []mutation{
	{
		File: "internal/judge/verdict/limits.go", Breaks: "what is at the limit is invalid",
		Old: "case v > l.invalid:",
		New: "case v >= l.invalid:",
	},
	{
		File: "internal/judge/verdict/load_rate.go", Breaks: "the client's own lateness is blamed on the limit of concurrency",
		Old: "max(v.Sent-max(v.Released, v.Due), 0)",
		New: "max(v.Sent-v.Due, 0)",
	},
	{
		File: "internal/judge/verdict/load_rate.go", Breaks: "samples after the last answer count",
		Old: "s.At <= f.firstSent || s.At >= f.lastEnd ||",
		New: "s.At <= f.firstSent ||",
	},
	{
		File: "internal/judge/verdict/load_rate.go", Breaks: "cancelled requests count twice among all",
		Old: "share := float64(lost) / float64(f.measured+lost-c.cancelled)",
		New: "share := float64(lost) / float64(f.measured+lost)",
	},
	{
		File: "internal/judge/verdict/server_counts.go", Breaks: "llama.cpp's cached tokens are taken off twice",
		Old: "c.low -= max(c.cached, hits)",
		New: "c.low -= c.cached + hits",
	},
	{
		File: "internal/judge/verdict/proven.go", Breaks: "of the claims that cover a load the largest is quoted",
		Old: "better = !covered || of > load",
		New: "better = !covered || of < load",
	},
	{
		File: "internal/judge/verdict/fleet.go", Breaks: "an agent that sent nothing can be the worst of all",
		Old: `		if own.measured == 0 {
			continue // it has sent nothing: it can't have spoiled anything
		}
`,
		New: "",
	},
	{
		File: "internal/judge/verdict/fleet.go", Breaks: "an agent that stopped by itself is excused",
		Old: "!a.Ended || !asked {",
		New: "!a.Ended && !asked {",
	},
	{
		File: "internal/judge/verdict/client_times.go", Breaks: "the wait for a slot counts as the client's lateness",
		Old: "late = &c.release",
		New: "late = &c.late",
	},
	{
		File: "internal/judge/verdict/server_times.go", Breaks: "a chunk with a role alone is held against the server's first token",
		Old: "first := v.Row.FirstToken",
		New: "first := v.Row.First",
	},
}
