package routing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
)

// Check is one way in which gains of routers were mis-measured, and whether it happened here.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Figure string `json:"figure"`           // what was seen, with its numbers
	Advice string `json:"advice,omitempty"` // what to do, where it was found
}

// State is what a check says.
type State string

// The states.
const (
	Passed     State = "ok"
	Found      State = "found"
	NotChecked State = "not known"
)

// checks are the ten.
func (c *Case) checks() []Check {
	all := slices.Concat(c.shared, c.unique)
	return []Check{
		c.loopCheck(all), c.cacheCheck(all), gatewayCheck(all), bufferCheck(all), c.hotCheck(), warmCheck(all), c.fillCheck(),
		c.gainCheck(), c.beliefCheck(), retryCheck(all), c.meanCheck(),
	}
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, State: Passed, Figure: fmt.Sprintf(format, args...)}
}

func found(name, advice, format string, args ...any) Check {
	return Check{Name: name, State: Found, Figure: fmt.Sprintf(format, args...), Advice: advice}
}

func notChecked(name, format string, args ...any) Check {
	return Check{Name: name, State: NotChecked, Figure: fmt.Sprintf(format, args...)}
}

// known are the entries of which there are facts.
func known(list []Entry) (out []Entry) {
	for _, e := range list {
		if e.Facts != nil {
			out = append(out, e)
		}
	}
	return out
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// at names an entry.
func (e *Entry) at() string {
	name := e.Router
	if e.Control {
		name += " (control)"
	}
	return fmt.Sprintf("%s, repeat %d", name, e.Repeat)
}

// loopCheck: in a closed loop a faster router is sent more, and a slow one hides its queue. Routers must be sent the same prompts.
func (c *Case) loopCheck(all []Entry) Check {
	const name = "open loop, same prompts"
	list := known(all)
	closed := 0
	sent := map[string]string{}
	for _, e := range list {
		if e.Facts.Closed {
			closed++
		}
		key := fmt.Sprint(e.Control, e.Repeat)
		if first, ok := sent[key]; ok && first != e.Facts.Workload {
			return found(name, "give each point the same workload: no duration that ends it early, and no failures of the client",
				"in repeat %d the routers were not sent the same: %s and %s", e.Repeat, first, e.Facts.Workload)
		}
		sent[key] = e.Facts.Workload
	}
	switch {
	case len(list) == 0:
		return notChecked(name, "no run has a journal that can be read")
	case closed > 0:
		return found(name, "set pace.rate: in a closed loop the router decides the load that it is measured with",
			"%d of %d runs were sent as a closed loop or all at once", closed, len(list))
	}
	return ok(name, "%d runs at a rate of their own; each of %d workloads was sent to each router with the same prompts", len(list), len(sent))
}

// fewRequests is how many of the workload's requests a cache of a real server holds at least.
const fewRequests = 16

// cacheCheck: a cache that was made small shows any gain that is wanted.
func (c *Case) cacheCheck(all []Entry) Check {
	const name, advice = "natural caches", "compare with the caches that the servers have by themselves, and say their size beside the gain"
	words := []string{}
	sizes := map[string][]string{}
	for _, e := range known(all) {
		var own []string
		for i := range e.Facts.Replicas {
			cache := e.Facts.Replicas[i].Cache
			if cache == nil || cache.Blocks == 0 || cache.BlockSize == 0 {
				continue
			}
			own = append(own, fmt.Sprintf("%d × %d", cache.Blocks, cache.BlockSize))
			if cache.Set {
				return found(name, advice, "the cache of %s was set by hand to %d blocks", e.Facts.Replicas[i].Name, cache.Blocks)
			}
			if room := cache.Blocks * cache.BlockSize; room < fewRequests*e.Facts.LongestPrompt {
				return found(name, advice, "the cache of %s holds %d tokens, %.1f prompts of this load", e.Facts.Replicas[i].Name, room,
					float64(room)/float64(max(e.Facts.LongestPrompt, 1)))
			}
		}
		if len(own) == 0 || len(own) < len(e.Facts.Replicas) {
			return notChecked(name, "not all replicas tell the size of their cache (%s); give cache_tokens and block_size in routers", e.at())
		}
		slices.Sort(own)
		text := strings.Join(own, ", ")
		sizes[text] = append(sizes[text], e.at())
		if o := e.Facts.Optimum; o != nil && !e.Control && o.Smallest > 0 && o.WorkingSet > 0 && len(words) == 0 {
			words = append(words, fmt.Sprintf("what prompts share is %.2f × one replica's cache and %.2f × all together",
				float64(o.WorkingSet)/float64(o.Smallest), float64(o.WorkingSet)/float64(o.Together)))
		}
	}
	switch {
	case len(sizes) == 0:
		return notChecked(name, "no replica was asked for its cache")
	case len(sizes) > 1:
		return found(name, "give all routers the same replicas", "the caches differ between runs: %s", differing(sizes))
	}
	for text := range sizes {
		words = append([]string{"blocks × tokens: " + shortList(text)}, words...)
	}
	return ok(name, "%s", strings.Join(words, "; "))
}

// shortList keeps a list of many replicas readable.
func shortList(text string) string {
	parts := strings.Split(text, ", ")
	if len(slices.Compact(slices.Clone(parts))) == 1 {
		return fmt.Sprintf("%d caches of %s", len(parts), parts[0])
	}
	if len(parts) > 8 {
		return strings.Join(parts[:8], ", ") + fmt.Sprintf(" and %d others", len(parts)-8)
	}
	return text
}

func differing(sizes map[string][]string) string {
	var words []string
	for text, at := range sizes {
		words = append(words, fmt.Sprintf("%s (%s)", shortList(text), at[0]))
	}
	slices.Sort(words)
	return strings.Join(words, "; ")
}

// inPhase is the share of a gateway's requests at one replica from which on they go there by more than chance.
const inPhase = 0.9

// gatewayCheck: a client that takes several gateways in turn may be in phase with their own round robin.
func gatewayCheck(all []Entry) Check {
	const name = "several gateways"
	counts := ""
	for _, e := range known(all) {
		if len(e.Facts.Gateways) < 2 || len(e.Facts.Replicas) < 2 {
			continue
		}
		var words []string
		for _, g := range e.Facts.Gateways {
			words = append(words, fmt.Sprint(g.Requests))
			if g.Requests >= 10 && float64(g.Busiest) > inPhase*float64(g.Requests) {
				return found(name, "use --balance random, or a load balancer in front of the gateways",
					"%s: %d of %d requests to one gateway went to one replica: the client is in phase with it", e.at(), g.Busiest, g.Requests)
			}
		}
		counts = strings.Join(words, ", ")
	}
	if counts == "" {
		return ok(name, "one address was loaded, or the replicas themselves")
	}
	return ok(name, "requests to each: %s; none goes to one replica alone", counts)
}

// bufferCheck: behind a proxy that gathers the answer, the time to the first token is that of the last.
func bufferCheck(all []Entry) Check {
	const name = "streams arrive as they are made"
	streams, buffered := 0, 0
	for _, e := range known(all) {
		f := e.Facts
		streams, buffered = streams+f.Streams, buffered+f.Buffered
		if f.Streams > 0 && 2*f.Buffered > f.Streams {
			return found(name, "turn the buffering off (nginx: proxy_buffering off): the time to the first token is that of the whole answer",
				"%s: %d of %d answers came in one piece at their end", e.at(), f.Buffered, f.Streams)
		}
	}
	if streams == 0 {
		return notChecked(name, "no answer was long enough to tell")
	}
	return ok(name, "%d of %d answers came in one piece", buffered, streams)
}

// A load with fewer prefixes than these for each replica, or a replica with so much more than the mean, says what one hot prefix does.
const (
	fewPrefixes = 3
	hot         = 1.5
	hottest     = 0.25 // of all requests: one prefix
)

// hotCheck: with one prefix for all, affinity means one hot replica.
func (c *Case) hotCheck() Check {
	const name, advice = "no hot prefix", "spread the load over several times as many prefixes as there are replicas"
	text := ""
	worst := 0.0
	for _, e := range known(c.shared) {
		f := e.Facts
		n := len(f.Replicas)
		if f.Prefixes == 0 {
			return notChecked(name, "which prompts share a beginning is not known for this dataset")
		}
		if n > 1 && f.Prefixes < fewPrefixes*n {
			return found(name, advice, "%d prefixes for %d replicas", f.Prefixes, n)
		}
		if share := float64(f.Largest) / float64(max(f.Requests, 1)); n > 1 && share > hottest {
			return found(name, advice, "%s of all requests begin with the same prefix", percent(share))
		}
		if busiest, variation, ok := f.Skew(); ok && busiest > worst {
			worst = busiest
			text = fmt.Sprintf("%d prefixes for %d replicas; busiest ÷ mean at most %.2f, variation %.2f (%s)", f.Prefixes, n, busiest, variation, e.at())
		}
	}
	switch {
	case worst > hot:
		return found(name, "look at the busiest replica's latencies: what the router gains in hits it may lose in queues", "%s", text)
	case text == "":
		return notChecked(name, "who served the requests is not known: the router sets no header, and no replicas are given")
	}
	return ok(name, "%s", text)
}

// fewWarm is the share of prompt tokens that may be found by chance: prompts that begin alike beyond the plan.
const fewWarm = 0.002

// full is the share of a cache that may be in use while nobody is served.
const full = 0.02

// warmCheck: caches that were warm from the router before make the next one look better.
func warmCheck(all []Entry) Check {
	const name, advice = "caches begin empty", "have each replica's cache emptied before each point (routers.empty: reset or restart)"
	warm, of, told, emptied, asked := int64(0), int64(0), 0, 0, 0
	for _, e := range known(all) {
		f := e.Facts
		for i := range f.Replicas {
			cache := f.Replicas[i].Cache
			if cache == nil {
				continue
			}
			asked++
			if cache.Emptied != "" {
				emptied++
			}
			if cache.Use != nil && *cache.Use > full {
				return found(name, advice, "%s: the cache of %s was %s in use before the load", e.at(), f.Replicas[i].Name, percent(*cache.Use))
			}
		}
		if f.Hits.By != ByAnswers || f.Optimum == nil {
			continue
		}
		told++
		warm, of = warm+f.Warm, of+f.Hits.Of
		if float64(f.Warm) > fewWarm*float64(f.Hits.Of) {
			return found(name, advice, "%s: %d prompt tokens (%s) were found in caches though nobody had sent them since the caches were to be emptied",
				e.at(), f.Warm, percent(float64(f.Warm)/float64(f.Hits.Of)))
		}
	}
	switch {
	case told == 0 && emptied < max(asked, 1):
		return notChecked(name, "%d of %d caches were emptied, and answers do not tell what they had from a cache", emptied, asked)
	case told == 0:
		return ok(name, "%d caches were emptied and seen empty before the load; answers do not tell what they had from them", emptied)
	}
	return ok(name, "%d caches emptied; %d of %d prompt tokens were found without having been sent before", emptied, warm, of)
}

// racing is by how much the hit rate of the last quarter may be above that of the whole run.
const racing = 0.05

// fillCheck: a run that begins with empty caches and is short races to fill them.
func (c *Case) fillCheck() Check {
	const name = "the hit rate has settled"
	text, worst := "", -1.0
	for _, e := range known(c.shared) {
		whole, ok := e.Facts.Hits.Share()
		last, has := e.Facts.Last.Share()
		if !ok || !has {
			continue
		}
		if last-whole > worst {
			worst = last - whole
			text = fmt.Sprintf("%s: %s over the whole run, %s in its last quarter", e.at(), percent(whole), percent(last))
		}
	}
	switch {
	case text == "":
		return notChecked(name, "answers do not tell what they had from a cache")
	case worst > racing:
		return found(name, "let the run be longer: most of it is spent on filling the caches, and the mean is of neither state", "%s", text)
	}
	return ok(name, "%s", text)
}

// gainCheck: where nothing is shared there is nothing to gain, and a gain that comes with failures is none.
func (c *Case) gainCheck() Check {
	const name = "no gain without sharing, no gain by failures"
	failures := ""
	var lost []string
	for _, r := range c.Routers {
		if r.Failed > 0 {
			lost = append(lost, fmt.Sprintf("%s %d of %d", r.Name, r.Failed, r.Requests))
		}
	}
	if failures = "no request failed"; len(lost) > 0 {
		failures = "failed: " + strings.Join(lost, ", ")
	}
	if c.Control == nil {
		return notChecked(name, "%s; there is no control: set routers.control", failures)
	}
	var words, gains []string
	unclear := false
	for _, p := range c.Control {
		ch := p.Changes[TTFT50]
		if p.Than != c.Control[0].Than { // the first router's are first
			continue
		}
		if ch == nil || !ch.Bounded {
			unclear = true
			continue
		}
		text := fmt.Sprintf("%s against %s: TTFT p50 %s", p.Router, p.Than, changeText(ch))
		words = append(words, text)
		switch {
		case ch.Call == compare.Real && ch.Ratio < -small:
			gains = append(gains, text)
		case ch.Call != compare.Noise && ch.Call != compare.Real && ch.Low < -wide:
			unclear = true
		}
	}
	switch {
	case len(gains) > 0:
		return found(name, "the routers differ by something else than the cache: their load, their queue, their own cost; don't call it a gain of affinity",
			"where nothing is shared, %s; %s", strings.Join(gains, "; "), failures)
	case len(lost) > 0:
		return found(name, "read the latencies together with the failures: those that were left out would have been slow",
			"%s; control: none", failures)
	case unclear:
		return notChecked(name, "the control does not decide: %s; repeat it more often; %s", strings.Join(words, "; "), failures)
	}
	return ok(name, "control: none (%s); %s", strings.Join(words, "; "), failures)
}

// A change of less than small is of no interest, and an interval that reaches beyond wide says nothing.
const (
	small = 0.02
	wide  = 0.15
)

// changeText is a change with its interval.
func changeText(ch *compare.Change) string {
	text := signed(ch.Ratio)
	if ch.Bounded {
		text += fmt.Sprintf(" (%s to %s)", signed(ch.Low), signed(ch.High))
	}
	return text
}

func signed(v float64) string {
	if v > 10 {
		return "over +1000 %"
	}
	return strings.Replace(fmt.Sprintf("%+.1f %%", 100*v), "-", "−", 1)
}

// stale is by how much a router's belief may be off.
const stale = 0.03

// beliefCheck: a router's hit rate is what it believes.
func (c *Case) beliefCheck() Check {
	const name = "the router's belief is true"
	var words []string
	off := false
	for _, r := range c.Routers {
		var all Belief
		for _, e := range known(c.shared) {
			if b := e.Facts.Belief; b != nil && e.Router == r.Name {
				all.Requests, all.Believed, all.Found, all.Of = all.Requests+b.Requests, all.Believed+b.Believed, all.Found+b.Found, all.Of+b.Of
			}
		}
		if all.Of == 0 {
			continue
		}
		words = append(words, fmt.Sprintf("%s believes %s, the caches found %s", r.Name, percent(float64(all.Believed)/float64(all.Of)), percent(float64(all.Found)/float64(all.Of))))
		off = off || all.Off() > stale || all.Off() < -stale
	}
	switch {
	case len(words) == 0:
		return notChecked(name, "no router says what it believes")
	case off:
		return found(name, "the router's index is stale, or its hashes are not the server's: block size, template and seed must be the same",
			"%s", strings.Join(words, "; "))
	}
	return ok(name, "%s", strings.Join(words, "; "))
}

// retryCheck: a retry hides a failure and adds work.
func retryCheck(all []Entry) Check {
	const name, advice = "no work is done twice", "count the retries as failures, or find out why replicas refused: the router's own counters say"
	sent, served, whole := 0, 0.0, true
	for _, e := range known(all) {
		f := e.Facts
		if f.Retries > 0 {
			return found(name, advice, "%s: the router says that it sent %d requests again", e.at(), f.Retries)
		}
		own := 0.0
		for i := range f.Replicas {
			if cache := f.Replicas[i].Cache; cache == nil || cache.Finished == nil {
				whole = false
			} else {
				own += *cache.Finished
			}
		}
		if len(f.Replicas) == 0 {
			whole = false
		}
		if whole && own > float64(f.Sent) {
			return found(name, advice, "%s: the replicas ended %.0f requests, and %d were sent: %.2f each", e.at(), own, f.Sent, own/float64(max(f.Sent, 1)))
		}
		sent, served = sent+f.Sent, served+own
	}
	if !whole || sent == 0 {
		return notChecked(name, "no retries were told; the replicas' own counts are not all known")
	}
	return ok(name, "the replicas ended %.0f requests, and %d were sent: %.3f each", served, sent, served/float64(sent))
}

// apart is from when on the mean of the replicas' rates is another figure than that of their sums.
const apart = 0.02

// meanCheck: the mean of the replicas' hit rates gives an idle one the weight of a busy one.
func (c *Case) meanCheck() Check {
	const name = "Σ hits ÷ Σ queries, no mean of rates"
	text, worst := "", -1.0
	for _, e := range known(c.shared) {
		whole, ok := e.Facts.Hits.Share()
		sum, n := 0.0, 0
		for i := range e.Facts.Replicas {
			if share, ok := e.Facts.Replicas[i].Hits.Share(); ok {
				sum, n = sum+share, n+1
			}
		}
		if !ok || n < 2 {
			continue
		}
		mean := sum / float64(n)
		if d := max(mean-whole, whole-mean); d > worst {
			worst = d
			text = fmt.Sprintf("%s: %s by sums; the mean of %d replicas' rates is %s", e.at(), percent(whole), n, percent(mean))
		}
	}
	switch {
	case text == "":
		return notChecked(name, "the hits of each replica are not known")
	case worst > apart:
		return found(name, "quote the figure by sums: this table has it", "%s", text)
	}
	return ok(name, "%s", text)
}
