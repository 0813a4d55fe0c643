package main

// ofMerge breaks merge.
var ofMerge = []mutation{
	{
		File: "internal/fleet/merge/source.go", Breaks: "requests that end together are in another order",
		Old: "return q[a].agent < q[b].agent",
		New: "return q[a].agent > q[b].agent",
	},
	{
		File: "internal/fleet/merge/source.go", Breaks: "the clock of an agent is moved to the wrong side",
		Old: "(r.Run().StartUnixNs - p.Start) + a.Offset",
		New: "(r.Run().StartUnixNs - p.Start) - a.Offset",
	},
	{
		File: "internal/fleet/merge/samples.go", Breaks: "the worst wake-up is lost where samples are thinned",
		Old: "s.WakeNs, s.Files = max(s.WakeNs, t.list[i-1].WakeNs), max(s.Files, t.list[i-1].Files)",
		New: "s.Files = max(s.Files, t.list[i-1].Files)",
	},
	{
		File: "internal/fleet/merge/lines.go", Breaks: "an agent that knows revives a number that another doesn't",
		Old: "if to.SeenPrompts >= 0 && e.SeenPrompts >= 0 {",
		New: "if e.SeenPrompts >= 0 {",
	},
	{
		File: "internal/fleet/merge/lines.go", Breaks: "the slots of an agent that sends nothing count",
		Old: "s != nil && w > 0 {",
		New: "s != nil {",
	},
	{
		File: "internal/fleet/merge/fate.go", Breaks: "requests without a conversation all have one place in the order",
		Old: "if r.Conversation == 0 || r.Conversation != last[r.Agent] {",
		New: "if r.Conversation != last[r.Agent] {",
	},
	{
		File: "internal/fleet/merge/fate.go", Breaks: "how wrong an agent's clock may be does not count for its lease",
		Old: "int64(m.plan.Lease) - m.plan.Start + max(a.OffsetError, 0)",
		New: "int64(m.plan.Lease) - m.plan.Start",
	},
	{
		File: "internal/fleet/merge/lines.go", Breaks: "a fleet claims to know its holds when one agent doesn't",
		Old: `		whole.Holds = whole.Holds && (s == nil || s.reader.Run().Holds)
`,
		New: "",
	},
}
