package target

import (
	"math"
	"strconv"
)

// SpecDecode are a server's counters of speculative decoding.
type SpecDecode struct {
	Drafts      int64 // verification steps; 0: the server does not count them
	DraftTokens int64
	Accepted    int64
	Emitted     int64 // tokens that the steps gave; 0: the server does not count them
	PerPosition []int64

	Depth float64 // draft tokens per step, where drafts are not counted and the ratios tell; 0: not known
}

// specDecodePrefixes are the servers that use vLLM's names for these counters.
var specDecodePrefixes = []string{"vllm:", "llamacpp:"}

// SpecDecode reads the counters of vLLM and llama.cpp; ok is false where the server
// has none. vLLM until 0.8 (engine V0) does not count drafts.
func (m Metrics) SpecDecode() (s SpecDecode, ok bool) {
	for _, prefix := range specDecodePrefixes {
		name := func(what string) string { return prefix + "spec_decode_" + what }
		tokens, hasTokens := m.Sum(name("num_draft_tokens_total"))
		drafts, hasDrafts := m.Sum(name("num_drafts_total"))
		if !hasTokens && !hasDrafts {
			continue
		}
		accepted, _ := m.Sum(name("num_accepted_tokens_total"))
		emitted, _ := m.Sum(name("num_emitted_tokens_total"))
		s = SpecDecode{Drafts: count(drafts), DraftTokens: count(tokens), Accepted: count(accepted), Emitted: count(emitted)}
		s.PerPosition = m.perPosition(name("num_accepted_tokens_per_pos_total"))
		if efficiency, ok := m.Sum(name("efficiency")); ok && s.Drafts == 0 {
			s.Depth = depthOf(tokens, emitted, efficiency)
		}
		return s, true
	}
	return SpecDecode{}, false
}

// mostPositions bounds how far ahead a server drafts.
const mostPositions = 1000

func (m Metrics) perPosition(name string) (counts []int64) {
	for i := range m {
		if m[i].Name != name {
			continue
		}
		pos, err := strconv.Atoi(m[i].Label("position"))
		if err != nil || pos < 0 || pos > mostPositions {
			continue
		}
		for len(counts) <= pos {
			counts = append(counts, 0)
		}
		counts[pos] += count(m[i].Value)
	}
	return counts
}

// depthOf finds the draft tokens k of a step where drafts are not counted. Engine
// V0 gives its efficiency, the emitted tokens as a share of the most possible:
//
//	efficiency = emitted / (draft tokens / k · (k+1))
//
// A k that is no whole number says that the figures don't belong together.
func depthOf(draftTokens, emitted, efficiency float64) float64 {
	k := 1 / (emitted/(efficiency*draftTokens) - 1)
	whole := math.Round(k)
	if !(whole >= 1 && whole <= mostPositions && math.Abs(k-whole) <= 0.2) {
		return 0
	}
	return whole
}

// count makes a counter of a server's number; what none is, is 0.
func count(v float64) int64 {
	if !(v > 0 && v < 1<<53) {
		return 0
	}
	return int64(v)
}

// Since is the change from an earlier scrape.
func (s SpecDecode) Since(before SpecDecode) SpecDecode {
	d := SpecDecode{
		Drafts:      s.Drafts - before.Drafts,
		DraftTokens: s.DraftTokens - before.DraftTokens,
		Accepted:    s.Accepted - before.Accepted,
		Emitted:     s.Emitted - before.Emitted,
	}
	if s.Drafts == 0 && s.Depth > 0 {
		d.Drafts = int64(math.Round(float64(d.DraftTokens) / s.Depth))
	}
	for i, v := range s.PerPosition {
		if i < len(before.PerPosition) {
			v -= before.PerPosition[i]
		}
		d.PerPosition = append(d.PerPosition, v)
	}
	return d
}
