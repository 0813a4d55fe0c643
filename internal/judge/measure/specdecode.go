package measure

import "github.com/inferometer/inferometer/internal/journal"

// SpecDecode is the server's speculative decoding over the run.
type SpecDecode struct {
	AcceptanceRate   float64  // percent
	AcceptanceLength *float64 // tokens per verification step; nil: not known
	Drafts           int64    // verification steps; 0: not known
	DraftTokens      int64
	Accepted         int64
	PerPosition      []float64 // fractions
}

// specDecode is what the server's counters say; nil where they say nothing, or go
// back because it was started again.
func specDecode(d *journal.SpecDecode) *SpecDecode {
	if d == nil || d.DraftTokens <= 0 || d.Accepted < 0 || d.Drafts < 0 {
		return nil
	}
	s := &SpecDecode{
		AcceptanceRate: float64(d.Accepted) / float64(d.DraftTokens) * 100,
		Drafts:         d.Drafts, DraftTokens: d.DraftTokens, Accepted: d.Accepted,
		PerPosition: make([]float64, len(d.PerPosition)),
	}
	if d.Drafts == 0 {
		return s
	}
	length := 1 + float64(d.Accepted)/float64(d.Drafts)
	if d.Emitted > 0 { // vLLM's engine V0 also counts accepted tokens behind a rejected one
		length = float64(d.Emitted) / float64(d.Drafts)
	}
	s.AcceptanceLength = &length
	for i, n := range d.PerPosition {
		s.PerPosition[i] = float64(n) / float64(d.Drafts)
	}
	return s
}
