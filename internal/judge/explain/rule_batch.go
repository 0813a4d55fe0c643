package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

const (
	// A batch is full where as many run as ever did, at most scrapes at which there is a queue.
	fullBatch = 0.75
	// The prompts keep a server busy if at nearly all times at least one is being computed, and most of
	// the tokens that steps work on are theirs.
	alwaysPrefill = 0.7
	mostlyPrompts = 0.75
)

// prefillBound: the queue waits for the computing of prompts, not for a place or for the cache.
func prefillBound(f *facts) *finding {
	s := f.waitsInServer()
	if s == nil {
		return nil
	}
	inPrefill, prompts := s.inPrefill(f.seconds()), f.promptShare(s)
	if !(prompts >= mostlyPrompts) || !(inPrefill >= alwaysPrefill) {
		return nil
	}
	if s.room < roomForTwo || s.use >= cacheNearlyFull { // the cache may be what is waited for as well: nothing tells which
		return nil
	}
	if s.pinned >= fullBatch && !(s.steps >= mostSteps) { // a place in the batch is what is waited for
		return nil
	}
	found := &finding{limit: Prefill}
	found.queueBegan(s)
	found.add("%.3g requests waited on average%s while %.3g ran", s.waiting, f.at(s), s.running)
	found.add("%.2g prompts were being computed at any time, and %s of the tokens that the server worked on were prompts", inPrefill, percent(prompts))
	if !math.IsNaN(s.steps) {
		found.add("%s of its steps held more than half as many tokens as its largest", percent(s.steps))
	}
	if s.cacheUse > 0 {
		found.add("the KV cache had room: it was %s full", percent(s.cacheUse))
	}
	found.next = s.advice(map[string]string{
		"vllm": "Prompts need more compute: more GPUs, prompts that share a beginning (prefix caching), or another --max-num-batched-tokens; with short answers nothing else helps.",
	}, "Prompts need more compute: more or faster processors, shorter prompts, or prompts that share a beginning where the server keeps prefixes.")
	return found
}

// mostSteps is the share of steps that must be large for prompts to fill them; with fewSteps they don't.
const (
	mostSteps = 0.6
	fewSteps  = 0.4
)

// promptShare is the share of the tokens worked on that are prompts, by the server's counts,
// else by ours; NaN: not known.
func (f *facts) promptShare(s *server) float64 {
	prompts, made := s.computed(), s.grown(serving.GeneratedTokens)
	if !(prompts > 0) || math.IsNaN(made) {
		prompts, made = f.prompt.sum, f.output.sum
	}
	return prompts / (prompts + made)
}

// batchFull: requests waited while the batch held as many as it ever did, and the cache had room.
func batchFull(f *facts) *finding {
	s := f.waitsInServer()
	if s == nil || !(s.pinned >= fullBatch) {
		return nil
	}
	if s.inPrefill(f.seconds()) >= alwaysPrefill && f.promptShare(s) >= mostlyPrompts && !(s.steps <= fewSteps) && !f.batch.room() {
		return nil // prompts may be the reason as well: they lengthen the steps, or nothing tells that they don't
	}
	found := &finding{limit: Queueing}
	d := f.batch
	if d.full(wholeGap) && f.generating(s) >= mostlyDecode {
		found.limit = Decode // more places would not help
	}
	found.queueBegan(s)
	found.add("while requests waited, %.0f ran%s in %s of the scrapes, as many as ever: the batch was full", s.most, f.at(s), percent(s.pinned))
	found.add("%.3g waited on average: %s of the time that requests spend in the server", s.waiting, percent(s.queueShare()))
	if s.use > 0 {
		found.add("the KV cache was %s full, with room for %.2g more requests of this size", percent(s.use), s.room)
	}
	if d.full(sharedGap) {
		found.add("with %.3g requests generating, tokens came every %s, and with %.3g, every %s: more slots in the batch would give at most %s more tokens", d.few, ms(d.gapFew*1e9), d.many, ms(d.gapMany*1e9), percent(1/d.share-1))
	}
	if found.limit == Decode {
		found.next = decodeAdvice
		return found
	}
	found.next = s.advice(map[string]string{
		"vllm":     "Let the server run more requests at once: --max-num-seqs; the cache has room for them.",
		"sglang":   "Let the server run more requests at once: --max-running-requests; look at its memory.",
		"llamacpp": "Let the server run more requests at once: --parallel, with a context larger by the same factor.",
	}, "Let the server run more requests at once, if its memory allows, or add a server.")
	return found
}
