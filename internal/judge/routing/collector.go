package routing

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"net/url"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

func sqrt(v float64) float64 { return math.Sqrt(v) }

// maxRequests bounds what is kept: 80 bytes a request.
const maxRequests = 4 << 20

// Collector takes in the requests of one run.
type Collector struct {
	run    *journal.Run
	caches []Cache
	facts  Facts
	list   []request
	more   bool // there were more than maxRequests
	names  map[string]int32
	pairs  map[[2]int32]int // requests by gateway and replica
	sum    uint64           // of all prompts' hashes, each with its index: the order of sending is no part of it
	belief Belief
}

// request is what is kept of one.
type request struct {
	sent             int64
	prefix, talk     int32 // of the workload's plan, from 1; 0: none
	shared           int32 // tokens at its beginning that were sent before, by plan
	unplanned        int32 // tokens that the server has more than the plan: a template, which all may share
	prompt, output   int32
	cached           int32 // -1: not known
	replica          int32 // -1: not known
	planned          bool  // shared is known
	measured, failed bool
}

// tokens is a number of tokens that can be one.
func tokens(n int) int32 { return int32(min(max(n, 0), 1<<28)) }

// NewCollector begins with a run's first line and what its replicas said of their caches.
func NewCollector(run *journal.Run, caches []Cache) *Collector {
	c := &Collector{run: run, caches: caches, names: map[string]int32{}, pairs: map[[2]int32]int{}}
	c.facts.Closed = run.Options.Pace == "closed" || run.Options.Pace == "burst"
	for i := range caches {
		c.replica(caches[i].URL)
		c.facts.Replicas[i].Cache = &caches[i]
	}
	return c
}

// maxReplicas bounds the names that answers can make up.
const maxReplicas = 4096

// replica numbers a replica by its name. An address and its host and port name the same one.
func (c *Collector) replica(name string) int32 {
	key := hostOf(name)
	if i, ok := c.names[key]; ok {
		return i
	}
	if len(c.names) >= maxReplicas {
		return -1
	}
	i := int32(len(c.names))
	c.names[key] = i
	c.facts.Replicas = append(c.facts.Replicas, Replica{Name: name})
	return i
}

func hostOf(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return u.Host
	}
	return name
}

// who is the replica that served a request; -1: not known.
func (c *Collector) who(r *journal.Request) int32 {
	name := r.Replica
	for i := range c.run.Replicas { // the address that the name stands for
		if one := &c.run.Replicas[i]; name != "" && one.Name == name && one.URL != "" {
			name = one.URL
		}
	}
	switch {
	case name != "":
		return c.replica(name)
	case len(c.run.Targets) > 1 && r.Target >= 0 && r.Target < len(c.run.Targets):
		return c.replica(c.run.Targets[r.Target].URL)
	}
	return -1
}

// Add takes in a request.
func (c *Collector) Add(r *journal.Request) {
	if r.Sample {
		return
	}
	c.facts.Sent++
	c.facts.Retries += r.Retries
	if len(c.list) == maxRequests {
		c.more = true
		return
	}
	n := request{
		sent: r.Sent, prefix: int32(r.Prefix), talk: int32(r.Conversation), cached: -1, replica: c.who(r),
		prompt: tokens(r.UsagePrompt), output: tokens(r.UsageOutput), measured: !r.Warmup, failed: r.Outcome != journal.Complete,
	}
	n.plan(r)
	if r.CachedKnown {
		n.cached = tokens(r.UsageCached)
	}
	c.list = append(c.list, n)
	if r.Warmup {
		return
	}
	c.facts.Requests++
	c.facts.LongestPrompt = max(c.facts.LongestPrompt, int(n.prompt))
	c.hash(r)
	c.place(r, &n)
	if !n.failed {
		c.believe(r)
		c.stream(r)
	}
}

// plan is what of its prompt was sent before. Where nobody counted tokens the plan is in words, and only its ratio counts.
func (n *request) plan(r *journal.Request) {
	if r.PlannedOf <= 0 {
		n.prompt = max(n.prompt, tokens(r.PromptTokens))
		return
	}
	n.planned = true
	if n.prompt == 0 {
		n.prompt = tokens(r.PlannedOf)
	}
	if r.PromptTokens == 0 {
		n.shared = int32(int64(min(tokens(r.Planned), tokens(r.PlannedOf))) * int64(n.prompt) / int64(tokens(r.PlannedOf)))
		return
	}
	n.unplanned = max(n.prompt-tokens(r.PlannedOf), 0)
	n.shared = tokens(r.Planned)
}

// hash enters a prompt into the mark of the workload.
func (c *Collector) hash(r *journal.Request) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", r.Index, r.PromptHash)
	c.sum += h.Sum64()
}

func (c *Collector) place(r *journal.Request, n *request) {
	if n.failed {
		c.facts.Failed++
	}
	if n.replica < 0 {
		c.facts.Unnamed++
		return
	}
	one := &c.facts.Replicas[n.replica]
	one.Requests++
	if n.failed {
		one.Failed++
	} else if n.cached >= 0 {
		one.Hits = one.Hits.plus(n)
	}
	if r.Replica != "" && len(c.run.Targets) > 1 && r.Target >= 0 && r.Target < len(c.run.Targets) {
		c.pairs[[2]int32{int32(r.Target), n.replica}]++
	}
}

func (h Hits) plus(n *request) Hits {
	return Hits{h.Found + int64(n.cached), h.Of + int64(n.prompt), ByAnswers}
}

func (c *Collector) believe(r *journal.Request) {
	if !r.BelievedKnown || !r.CachedKnown || r.UsagePrompt <= 0 {
		return
	}
	b := &c.belief
	b.Requests++
	b.Believed += int64(min(r.Believed, r.UsagePrompt))
	b.Found += int64(r.UsageCached)
	b.Of += int64(r.UsagePrompt)
}

// Answers of fewer tokens may come in one piece by right, and so may those of a server that takes no time for a token.
const (
	streamTokens = 8
	streamNs     = 20e6
	atOnce       = 0.02 // of the answer's time
)

// stream looks whether an answer came as it was made, or in one piece at its end.
func (c *Collector) stream(r *journal.Request) {
	at := r.Events.At
	total := r.End - r.Sent
	if c.run.Options.Whole() || r.UsageOutput < streamTokens || len(at) == 0 || total < streamNs {
		return
	}
	c.facts.Streams++
	spread := int64(0)
	for _, gap := range at[1:] {
		spread += gap
	}
	if float64(spread) < atOnce*float64(total) {
		c.facts.Buffered++
	}
}

// Facts are those of the requests so far.
func (c *Collector) Facts() *Facts {
	f := &c.facts
	slices.SortStableFunc(c.list, func(a, b request) int { return cmp.Compare(a.sent, b.sent) })
	f.Workload = fmt.Sprintf("%d prompts, %016x", f.Requests, c.sum)
	for i := range f.Replicas {
		if one := &f.Replicas[i]; one.Hits.By == "" && one.Cache != nil {
			one.Hits = one.Cache.hits()
		}
	}
	c.hits()
	f.BlockSize = blockSize(f.Replicas)
	c.sharing()
	if !c.more {
		f.Optimum = c.optimum()
	}
	c.gateways()
	if c.belief.Requests > 0 {
		f.Belief = &c.belief
	}
	return f
}

func (c *Cache) hits() Hits {
	if c.Queries == nil || c.Found == nil || *c.Queries <= 0 {
		return Hits{}
	}
	return Hits{int64(*c.Found), int64(*c.Queries), ByCounters}
}

// coverage is the share of answers that must tell their cached tokens to speak for all.
const coverage = 0.95

// hits are those of all replicas: by the answers if enough of them tell, else by the counters of all replicas.
func (c *Collector) hits() {
	f := &c.facts
	done, known := 0, 0
	for i := range c.list {
		n := &c.list[i]
		if !n.measured || n.failed {
			continue
		}
		done++
		if n.cached >= 0 {
			known++
			f.Hits = f.Hits.plus(n)
		}
	}
	if done > 0 && float64(known) >= coverage*float64(done) {
		c.course()
		return
	}
	f.Hits = Hits{}
	for i := range f.Replicas {
		if f.Replicas[i].Cache == nil {
			f.Hits = Hits{}
			return
		}
		h := f.Replicas[i].Cache.hits()
		if h.By == "" && f.Replicas[i].Requests > 0 {
			f.Hits = Hits{}
			return
		}
		f.Hits = Hits{f.Hits.Found + h.Found, f.Hits.Of + h.Of, ByCounters}
	}
}

// slots is how many stretches of time the course has.
const slots = 20

// course is the hits over time, by when requests were sent.
func (c *Collector) course() {
	f := &c.facts
	first, last, any := int64(0), int64(0), false
	for i := range c.list {
		if n := &c.list[i]; n.measured {
			if !any {
				first, any = n.sent, true
			}
			last = n.sent
		}
	}
	if last <= first {
		return
	}
	width := float64(last-first) / 1e9 / slots
	f.Course = make([]Slot, slots)
	for i := range f.Course {
		f.Course[i].From, f.Course[i].Width = width*float64(i), width
	}
	for i := range c.list {
		n := &c.list[i]
		if !n.measured {
			continue
		}
		s := &f.Course[f.slotOf(n.sent-first)]
		s.Requests++
		if n.failed || n.cached < 0 {
			continue
		}
		s.Hits = s.Hits.plus(n)
		if n.sent-first >= (last-first)/4*3 {
			f.Last = f.Last.plus(n)
		}
	}
}

// slotOf is the stretch that a moment is in, ns from the first.
func (f *Facts) slotOf(ns int64) int {
	return min(max(int(float64(ns)/1e9/f.Course[0].Width), 0), len(f.Course)-1)
}

// sharing counts what prompts share, and whether those that do went to the same replica.
func (c *Collector) sharing() {
	f := &c.facts
	count, last := map[use]int{}, map[use]int32{}
	for i := range c.list {
		n := &c.list[i]
		key := use{prefix: n.prefix}
		if n.talk > 0 {
			key = use{talk: n.talk}
		}
		if key == (use{}) {
			continue
		}
		if n.measured {
			count[key]++
		}
		if before, ok := last[key]; ok && before >= 0 && n.replica >= 0 && n.measured {
			f.Repeated++
			if before != n.replica {
				f.Elsewhere++
			}
		}
		last[key] = n.replica
	}
	for _, n := range count {
		if n > 1 {
			f.Prefixes++
		}
		f.Largest = max(f.Largest, n)
	}
}

// gateways are the addresses that were loaded, where others stand behind them.
func (c *Collector) gateways() {
	if len(c.pairs) == 0 {
		return
	}
	c.facts.Gateways = make([]Gateway, len(c.run.Targets))
	for pair, n := range c.pairs {
		g := &c.facts.Gateways[pair[0]]
		g.Requests += n
		g.Busiest = max(g.Busiest, n)
	}
}
