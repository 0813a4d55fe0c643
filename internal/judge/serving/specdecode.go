package serving

import "github.com/inferometer/inferometer/internal/journal"

// SpecDecode is speculative decoding over the run.
type SpecDecode struct {
	Drafts      *float64  `json:"drafts"` // verification steps; nil: not counted
	DraftTokens float64   `json:"draft_tokens"`
	Accepted    float64   `json:"accepted_tokens"`
	Rate        float64   `json:"acceptance_rate"`       // accepted of drafted tokens, 0 to 1
	DraftLength *float64  `json:"draft_length"`          // drafted tokens per step
	Length      *float64  `json:"acceptance_length"`     // tokens that a step gives, with the one that is no draft
	Efficiency  *float64  `json:"efficiency"`            // of the tokens that a step can give at most: 0 to 1
	PerPosition []float64 `json:"per_position_accepted"` // share of the steps whose draft was accepted up to there
}

// drafted are the counts that it is made of; drafts and emitted are 0 where a server does
// not count them.
type drafted struct {
	drafts, tokens, accepted, emitted float64
	perPosition                       []float64
}

func (d *drafted) result() *SpecDecode {
	if d.tokens <= 0 || d.accepted < 0 || d.drafts < 0 || finite(d.accepted/d.tokens) == nil {
		return nil
	}
	s := &SpecDecode{DraftTokens: d.tokens, Accepted: d.accepted, Rate: d.accepted / d.tokens, PerPosition: []float64{}}
	if d.drafts == 0 {
		return s
	}
	deep, length := d.tokens/d.drafts, 1+d.accepted/d.drafts
	if d.emitted > 0 { // vLLM's engine V0 also counts accepted tokens behind a rejected one
		length = d.emitted / d.drafts
	}
	s.Drafts, s.DraftLength, s.Length, s.Efficiency = &d.drafts, finite(deep), finite(length), finite(length/(deep+1))
	for _, n := range d.perPosition {
		s.PerPosition = append(s.PerPosition, n/d.drafts)
	}
	return s
}

// specOfRun is what the run's end says of all servers; nil: nothing.
func specOfRun(d *journal.SpecDecode) *SpecDecode {
	if d == nil {
		return nil
	}
	all := drafted{drafts: float64(d.Drafts), tokens: float64(d.DraftTokens), accepted: float64(d.Accepted), emitted: float64(d.Emitted)}
	for _, n := range d.PerPosition {
		all.perPosition = append(all.perPosition, float64(n))
	}
	return all.result()
}

// spec is what one server's counters say; nil: nothing.
func (s *span) spec() *SpecDecode {
	if s.restarted != "" {
		return nil
	}
	var d drafted
	for _, c := range []struct {
		of Meaning
		to *float64
	}{{Drafts, &d.drafts}, {DraftTokens, &d.tokens}, {AcceptedTokens, &d.accepted}, {EmittedTokens, &d.emitted}} {
		*c.to, _ = s.grown(c.of)
	}
	d.perPosition = s.positions()
	return d.result()
}

// positions are accepted tokens by how far ahead they were drafted.
func (s *span) positions() (counts []float64) {
	if s.before == nil || s.after == nil {
		return nil
	}
	for key, after := range s.after.Counters {
		prefix, at, ok := positionOf(key)
		if !ok || s.names[DraftTokens].Name != prefix+"spec_decode_num_draft_tokens_total" {
			continue
		}
		for len(counts) <= at {
			counts = append(counts, 0)
		}
		counts[at] = max(after-s.before.Counters[key], 0)
	}
	return counts
}
