package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/stats"
)

const (
	// Drafts do not pay where a step of the batch gives hardly more than the one token that it would
	// without: each rejected one was made, and checked, for nothing.
	fewAccepted = 0.3 // of the draft tokens
	smallGain   = 0.6 // tokens more for each draft
	fewDrafts   = 50
	// mostlyDecode is the share of the time in the batch that requests generate.
	mostlyDecode = 0.5
	// If a step takes a + b·n with n requests in it, it gives n/(a + b·n) tokens a second, and 1/b at most:
	// b·n/(a + b·n), the share of the time that comes from the others, is the share of the most that the server
	// can give. At half of it twice as many requests give a third more; below three tenths there is room;
	// above eight tenths it is nearly all, also in a run that is too short to see requests pile up.
	sharedGap = 0.5
	ownGap    = 0.3
	wholeGap  = 0.8
)

// draftsRejected: speculative decoding gave little for what it cost.
func draftsRejected(f *facts) *finding {
	for _, s := range f.servers {
		drafts, tokens, accepted := s.grown(serving.Drafts), s.grown(serving.DraftTokens), s.grown(serving.AcceptedTokens)
		if !(tokens >= fewDrafts && tokens < 1e15) || !(accepted >= 0 && accepted <= tokens) {
			continue
		}
		if _, most := stats.Wilson(int(accepted), int(tokens), 0.99); most >= fewAccepted || drafts > 0 && accepted/drafts >= smallGain {
			continue
		}
		if share := s.decodeShare(); share < mostlyDecode || math.IsNaN(share) && f.toLast.mean() < f.toFirst.mean() {
			continue // little time is spent where drafts could help
		}
		found := &finding{limit: Drafts}
		found.add("of %.0f draft tokens%s, %.0f were accepted: %s", tokens, f.at(s), accepted, percent(accepted/tokens))
		if drafts > 0 {
			found.add("a step gave %.2f tokens to a request for the work of %.2f", 1+accepted/drafts, 1+tokens/drafts)
		}
		found.add("requests spent %s of their time generating tokens", percent(f.generating(s)))
		found.next = s.advice(map[string]string{
			"vllm": "Run the same load without speculation, or with fewer draft tokens (num_speculative_tokens in --speculative-config), and compare the two with inferometer ab or compare.",
		}, "Run the same load without speculative decoding, or with fewer draft tokens, and compare the two with inferometer ab or compare.")
		return found
	}
	return nil
}

// generating is the share of a request's time that it generates: the server's word, else ours.
func (f *facts) generating(s *server) float64 {
	if s != nil {
		if share := s.decodeShare(); !math.IsNaN(share) {
			return share
		}
	}
	return f.toLast.mean() / (f.toFirst.mean() + f.toLast.mean())
}

const decodeAdvice = "Generating needs more memory bandwidth or compute: more GPUs, a smaller or quantised model, shorter answers, or speculative decoding; more concurrency makes each answer slower and adds little in total."

// decodeBound: no queue, but tokens come the slower the more requests generate.
func decodeBound(f *facts) *finding {
	s := f.busiest()
	g, d := f.growth(), f.batch
	if !(f.generating(s) >= mostlyDecode) || !d.full(sharedGap) || !f.noQueue() {
		return nil // a queue or prompts may be in the time to the first token, and nobody tells
	}
	if !f.closed && !f.slotsWaited() && !(g.known && g.grows) && !(!g.known && d.full(wholeGap)) {
		return nil // it kept up with what came
	}
	found := &finding{limit: Decode}
	if g.known && g.grows {
		found.add("requests came faster than they were served: %.3g were under way in the middle of the run, %.3g towards its end", g.middle, g.end)
	}
	found.add("with %.3g requests generating, tokens came every %s, and with %.3g, every %s: %s of that time comes from the others in the batch, which is also how close the server was to its highest token rate", d.few, ms(d.gapFew*1e9), d.many, ms(d.gapMany*1e9), percent(min(d.share, 1)))
	found.add("requests spent %s of their time in the server generating tokens", percent(f.generating(s)))
	if s != nil {
		found.add("there was almost no queue: %.2g waited on average while %.3g ran", s.waiting, s.running)
	}
	if s != nil && s.cacheUse > 0 {
		found.add("the KV cache had room: it was %s full", percent(s.cacheUse))
	}
	found.next = decodeAdvice
	return found
}

// slotsWaited says that requests of an open loop waited for a slot of ours most of the time.
func (f *facts) slotsWaited() bool {
	return f.limited && !f.closed && f.slot.n > 0 && f.slot.mean() > notableQueue*f.whole.mean()
}
