package main

// ofCompare breaks compare.
var ofCompare = []mutation{
	{
		File: "internal/judge/compare/change.go", Breaks: "Holm's values fall where they must not",
		Old: "most = max(most, min(ch.P*float64(len(order)-i), 1))",
		New: "most = min(ch.P*float64(len(order)-i), 1)",
	},
	{
		File: "internal/judge/compare/change.go", Breaks: "skewed errors are joined on the wrong sides",
		Old: "math.Hypot(b.below, a.above), math.Hypot(b.above, a.below)",
		New: "math.Hypot(b.below, a.below), math.Hypot(b.above, a.above)",
	},
	{
		File: "internal/judge/compare/law.go", Breaks: "a fall is forgiven what a rise may be off by",
		Old: "size, above = -c.log-c.over, true",
		New: "size, above = -c.log-c.under, true",
	},
	{
		File: "internal/judge/compare/gate.go", Breaks: "an undecided limit hides a broken one of accuracy",
		Old: `f := c.heldAccuracy(&l, side, share)
				found = append(found, f)
				if f.Outcome == Broken || worst == Kept {`,
		New: `f := c.heldAccuracy(&l, side, share)
				found = append(found, f)
				if worst == Kept {`,
	},
	{
		File: "internal/judge/compare/estimate.go", Breaks: "the runs' own errors add up with their number",
		Old: "out.below += e.below * e.below / float64(len(out.runs))",
		New: "out.below += e.below * e.below",
	},
	{
		File: "internal/judge/compare/rounds.go", Breaks: "the highest round that is left out is drawn in",
		Old: "sorted[n-1-out]",
		New: "sorted[n-out]",
	},
	{
		File: "internal/judge/compare/interim.go", Breaks: "the trimmed mean has too many degrees of freedom",
		Old: "float64(n-2*out-1)",
		New: "float64(n-out-1)",
	},
	{
		File: "internal/judge/compare/pairs.go", Breaks: "a question that failed on the second side is not counted as failed",
		Old: `		p.OnlyFirst++
		p.Failed++
`,
		New: `		p.OnlyFirst++
`,
	},
	{
		File: "internal/judge/compare/metric.go", Breaks: "a name that speaks for both directions is taken for higher is better",
		Old: "higherWords.MatchString(key) != lowerWords.MatchString(key)",
		New: "higherWords.MatchString(key) || lowerWords.MatchString(key)",
	},
	{
		File: "internal/judge/compare/rounds.go", Breaks: "the noise of bounds is too small",
		Old: "(max(bl-al, bh-ah, 0) - min(bl-al, bh-ah, 0)) / math.Sqrt(12)",
		New: "(max(bl-al, bh-ah, 0) - min(bl-al, bh-ah, 0)) / 12",
	},
}
