package verdict

import (
	"fmt"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/hist"
)

// repeatedPrompts looks for prompts that go out twice in one run.
type repeatedPrompts struct {
	hashed, repeats int64
	first, again    hist.Histogram // TTFT
}

func (c *repeatedPrompts) add(v *view) {
	if v.Warmup || v.prompt == 0 || v.follows() {
		return
	}
	c.hashed++
	if v.repeated {
		c.repeats++
	}
	switch {
	case !v.complete || v.Row.First < 0:
	case v.repeated:
		c.again.Add(v.Row.First)
	default:
		c.first.Add(v.Row.First)
	}
}

func (c *repeatedPrompts) result(f *facts, l limits) Check {
	if c.hashed == 0 {
		return skip("the journal has no hashes of prompts")
	}
	share := float64(c.repeats) / float64(c.hashed)
	k := found(l, share, percent(share), "%d of %d prompts had been sent before in this run%s", c.repeats, c.hashed, onlyFirst(f.prompts))
	if k = f.cold(k); !k.Level.Bad() {
		return k
	}
	const enough = 10
	if less := c.first.Percentile(50) - c.again.Percentile(50); c.first.Count() >= enough && c.again.Count() >= enough && less > 0 {
		k.Effect = effect(k, "mean TTFT would be about %s higher: repeats were answered %s sooner at the median", ms(less*share), ms(less))
	}
	return k.brief("%d of %d prompts were sent twice, a cache may have helped", c.repeats, c.hashed)
}

// cold lifts a doubt about the cache where the server itself says that it was not
// used: by its counters, or in each of its answers.
func (f *facts) cold(k Check) Check {
	if !k.Level.Bad() {
		return k
	}
	if hits, ok := f.server.cacheHits(); ok && hits == 0 {
		k.Level = OK
		k.Sentence += "; but the server's own counters show that its cache was not used"
	} else if !ok && f.answersCold() {
		k.Level = OK
		k.Sentence += "; but the server says in each answer that its cache was not used"
	}
	return k
}

// answersCold says that each complete answer named the tokens from the cache, and all named none.
func (f *facts) answersCold() bool {
	return f.complete > 0 && f.cachedKnown == f.complete && f.cached == 0
}

// seenPrompts is what the store of earlier runs said.
func seenPrompts(f *facts, l limits) Check {
	// A journal without hashes is of before there was a store: its 0 says nothing.
	if f.end == nil || f.end.SeenPrompts < 0 || f.measured == 0 || len(f.prompts.first) == 0 {
		return skip("earlier runs against this server are not known")
	}
	share := float64(f.end.SeenPrompts) / float64(f.measured)
	k := f.cold(found(l, share, percent(share), "%d of %d prompts were sent to this server by an earlier run", f.end.SeenPrompts, f.measured))
	if !f.server.tellsStart() && k.Level.Bad() {
		// It may have been started anew since, with an empty cache, and nothing would tell us.
		k.Level = Suspect
		k.Sentence += "; whether it was restarted since is not known, as it reports no start time"
	}
	if f.run.Task != nil && k.Level.Bad() {
		// There is no other seed for them, and what they are scored by is not touched.
		k.Level = Suspect
		k.Sentence += "; the questions are the same each time, so the scores still hold"
		k.Hint = "clear the cache (restart the server, or reset its cache) and say so with --forget-prompts, or take the speed from another run"
	}
	k.Effect = effect(k, "TTFT and throughput may look better by as much as the cache saved")
	return k.brief("%d of %d prompts were sent before, a warm cache may have helped", f.end.SeenPrompts, f.measured)
}

// cachedTokens looks for cache hits that the workload can't explain. Repeated
// prompts are left out: they have a check of their own.
type cachedTokens struct {
	allowed        int // tokens that all prompts share; -1: not known
	prompt, cached int64
	over           int64          // beyond what is allowed for
	beyond         int64          // answers that say that more was cached than the prompt has
	hit, miss      hist.Histogram // TTFT
}

func (c *cachedTokens) add(v *view) {
	if v.Warmup || v.repeated || v.UsagePrompt == 0 || v.follows() {
		return
	}
	c.prompt += int64(v.UsagePrompt)
	c.cached += int64(v.UsageCached)
	if v.UsageCached > v.UsagePrompt {
		c.beyond++
	}
	over := max(v.UsageCached-c.allowed, 0)
	if v.PlannedOf > 0 { // the workload says what each prompt shares
		c.allowed = max(c.allowed, 0)
		over = max(v.UsageCached-max(c.allowed, int(float64(v.Planned)/float64(v.PlannedOf)*float64(v.UsagePrompt))+cacheBlock), 0)
	}
	c.over += int64(over)
	switch {
	case !v.complete || v.Row.First < 0:
	case over > 0:
		c.hit.Add(v.Row.First)
	default:
		c.miss.Add(v.Row.First)
	}
}

func (c *cachedTokens) result(f *facts, l limits) Check {
	hits, counted := f.server.cacheHits()
	switch {
	case c.beyond > 0:
		return Check{
			Level: Suspect, Figure: percent(ratio(float64(c.cached), float64(c.prompt))),
			Sentence: fmt.Sprintf("%s that more tokens came from the cache than the prompt has: the server counts what it got from another one, or counts twice", said(c.beyond)),
			Effect:   "hit rates by usage are not those of the cache",
			Hint:     "read hit rates from the counters of the servers that compute prompts (--role prefill=URL), and report it to the server's authors",
		}.brief("%s more cached tokens than the prompt has", said(c.beyond))
	case f.conversing():
		return skip("turns of a conversation share their history by design: the result has the cached share by turn")
	case c.allowed < 0:
		return skip("the journal does not say how much the prompts of the dataset %s share; the server took %d of %d tokens from its cache",
			f.run.Options.Dataset, c.cached, c.prompt)
	case c.prompt == 0:
		return skip("the server does not count prompt tokens")
	case c.cached == 0 && !counted && !f.answersCold():
		return skip("the server does not say what it takes from its cache")
	}
	over, of := float64(c.over), float64(c.prompt)
	if f.server.prefill != nil {
		return c.apart(f, l, hits, counted, over, of)
	}
	if c.cached == 0 && counted { // only the server's counters speak; warm-ups and repeats are in them
		over, of = max(hits-float64(c.allowed)*float64(f.measured), 0), float64(f.promptTokens)
	}
	share := ratio(over, of)
	k := found(l, share, percent(share), "%.0f of %.0f prompt tokens came from the server's cache, beyond the %d that all prompts share", over, of, c.allowed)
	k.Effect = effect(k, "TTFT and throughput are better than without the cache")
	if share > nearAll && f.routed() {
		k.Hint = "where prefill and decode are apart, what was transferred counts as cached: name the servers with --role prefill=URL and --role decode=URL; else use another --seed, or reset the prefix cache of each server"
	}
	const enough = 10
	if less := c.miss.Percentile(50) - c.hit.Percentile(50); c.hit.Count() >= enough && c.miss.Count() >= enough && less > 0 {
		k.Effect = effect(k, "TTFT of requests without such hits is %s higher at the median", ms(less))
	}
	return k.brief("%s of the prompt tokens came from the server's cache", percent(share))
}

// nearAll is a share of cached tokens that hardly any cache has.
const nearAll = 0.9

// said are answers in a sentence.
func said(n int64) string {
	if n == 1 {
		return "1 answer says"
	}
	return fmt.Sprintf("%d answers say", n)
}

// apart is the check where prefill and decode are apart. To the server that answers all that it was sent counts as cached:
// what came from a cache only those know that compute prompts.
func (c *cachedTokens) apart(f *facts, l limits, hits float64, counted bool, over, of float64) Check {
	if !counted {
		return skip("prefill and decode are apart, and the servers for prefill do not say what came from their caches; by the answers %.0f of %.0f prompt tokens did, transferred ones among them", over, of)
	}
	real := max(hits-float64(c.allowed)*float64(f.measured), 0)
	share := ratio(real, float64(f.promptTokens))
	k := found(l, share, percent(share), "by the counters of the servers for prefill %.0f of %d prompt tokens came from their caches, beyond what all prompts share", real, f.promptTokens)
	k.Effect = effect(k, "TTFT and throughput are better than without the cache")
	if !k.Level.Bad() && l.grade(ratio(over, of)) != OK {
		k.Level = Noted
		k.Effect = fmt.Sprintf("answers say that %s of the prompt tokens were cached: they count what was transferred, and are no hit rate", percent(ratio(over, of)))
		k.Hint = "read hit rates from the counters of the servers for prefill"
	}
	return k.brief("%s of the prompt tokens came from the caches of prefill", percent(share))
}

// cacheBlock: caches work in blocks of tokens, so that a part of one may be added to what is shared.
const cacheBlock = 64

// sharedPrefix is how many tokens all prompts begin with: what was asked for, and a
// chat template's head. Caches work in blocks, so a part of one may be added; -1: not known.
func (f *facts) sharedPrefix() int {
	if f.run.Options.Dataset != "random" {
		return -1
	}
	const head, block = 64, cacheBlock
	shared := 0
	if text, ok := f.flag("--random-prefix-len"); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			return -1
		}
		if n > 0 {
			shared = n + block
		}
	}
	if f.chat() {
		shared += head
	}
	return shared
}
