package measure

import "github.com/inferometer/inferometer/internal/judge/row"

// cacheSums are prompt tokens, and those of them in a prefix cache.
type cacheSums struct {
	planned           float64 // by the workload's plan
	of                int64
	measured, counted int64 // as the server says
	anyPlan, anyWord  bool
}

func (s *cacheSums) add(r *row.Request) {
	if r.PlannedKnown {
		s.anyPlan = true
		n := r.UsagePrompt
		if n == 0 {
			n = r.PromptTokens
		}
		s.planned += float64(r.PlannedPPM) / 1e6 * float64(n)
		s.of += int64(n)
	}
	if r.CachedKnown && r.UsagePrompt > 0 {
		s.anyWord = true
		s.measured += int64(r.UsageCached)
		s.counted += int64(r.UsagePrompt)
	}
}

func (s *cacheSums) shares() (c CacheShare) {
	if s.anyPlan && s.of > 0 {
		c.Planned = new(s.planned / float64(s.of))
	}
	if s.anyWord && (c.Planned != nil || s.measured > 0) {
		c.Measured = new(float64(s.measured) / float64(s.counted))
	}
	return c
}
