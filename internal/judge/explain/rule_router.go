package explain

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/stats"
)

// Rules about what a router does to a run: it holds streams back, sends requests again, sends too much to one replica,
// believes in caches that are gone, or lets requests wait.

// behindRouter says that somebody else chose who answers.
func (f *facts) behindRouter() bool { return len(f.in.Run.Routers)+len(f.in.Run.Replicas) > 0 }

// router is what stands in front of the replicas, for people.
func (f *facts) router() string {
	if list := f.in.Run.Routers; len(list) > 0 && list[0].Kind != "" {
		return "the router (" + outside.Word(list[0].Kind) + ")"
	}
	if f.behindRouter() {
		return "the router"
	}
	return "a proxy or gateway in front of the server, or the server itself"
}

// An answer came at once where its chunks are so near to each other that no server has generated them in that time.
const (
	atOnceChunks = 4
	atOncePause  = 0.2e6 // ns between chunks, the mean
	mostAtOnce   = 0.8   // of the answers with so many chunks
)

// buffered: answers came whole. What is called the time to the first token is then that of the whole answer.
func buffered(f *facts) *finding {
	if f.chunked < fewRequests || float64(f.atOnce) < mostAtOnce*float64(f.chunked) {
		return nil
	}
	found := &finding{limit: Buffered}
	found.add("%d of %d answers came with all their tokens at once, %s after they were sent: the time to the first token is that of the whole answer", f.atOnce, f.chunked, ms(f.toFirst.mean()))
	if first, whole := f.over(serving.TTFT)*1e9, f.over(serving.E2E)*1e9; first > 0 && whole > first {
		found.add("the servers had the first token after %s and the last after %s, by their own clocks: %s holds the stream back", ms(first), ms(whole), f.router())
	} else {
		found.add("%s holds the stream back", f.router())
	}
	found.next = "Turn off buffering and compression between client and server (nginx: proxy_buffering off), or measure a replica by its own address."
	return found
}

const (
	manyRepeated = 0.1
	fewRepeated  = 5
)

// repeated is how many requests were sent again behind our back, by who tells it; NaN: nobody does.
func (f *facts) repeated() (n float64, who string) {
	byRouter, byReplicas := math.NaN(), math.NaN()
	for _, s := range f.routers {
		if v := s.grown(serving.Retries); v >= 0 && !(byRouter > v) {
			byRouter = v
		}
	}
	if f.behindRouter() && f.allTell() {
		if got := f.grown(serving.Received); got > 0 {
			byReplicas = got - float64(f.posted)
		}
	}
	n = math.NaN()
	for _, by := range []struct {
		n   float64
		who string
	}{{byReplicas, "by the replicas' own counters"}, {byRouter, "by the router's own counter"}, {float64(f.retries), "as the answers say"}} {
		if by.n > 0 && !(n >= by.n) {
			n, who = by.n, by.who
		}
	}
	return n, who
}

// retried: a good part of the work was done more than once. It hides errors, and takes the place of other requests.
func retried(f *facts) *finding {
	n, who := f.repeated()
	if !(n >= fewRepeated) || n < manyRepeated*float64(f.requests) {
		return nil
	}
	found := &finding{limit: Retried}
	found.add("%s sent again %.0f times what the client sent once, %s: %s more work than %s asked for", f.router(), n, who, percent(n/float64(f.requests)), counted(f.requests, "request"))
	if f.failed == 0 {
		found.add("no request failed for the client: the errors show only as latency and as load")
	} else {
		found.add("%d of %s failed nevertheless", f.failed, counted(f.requests, "request"))
	}
	found.next = "Find the replica that fails: the router's log and its counters by worker, the replicas' logs. Until then the latencies hold the failed tries too."
	return found
}

// share is what one replica had to do and how that went. NaN: not known.
type share struct {
	name                          string
	requests, ttft, pause, queued float64
}

// shares are those of all replicas that answer, by the answers, else by the replicas' own counters; nil: neither tells.
func (f *facts) shares() (list []share, byCounters bool) {
	named := int64(0)
	for i := range f.replicas {
		named += f.replicas[i].sent
	}
	if float64(named) >= 0.95*float64(f.requests) {
		for i := range f.names.Len() {
			if f.names.Router(i) || f.onlyPrefills(i) {
				continue
			}
			one := share{name: f.names.Name(i), ttft: math.NaN(), pause: math.NaN(), queued: math.NaN()}
			if i < len(f.replicas) {
				r := &f.replicas[i]
				if one.requests = float64(r.sent); r.ttft.Count() >= fewAnswers {
					one.ttft = r.ttft.Percentile(50)
				}
				if r.pause.Count() >= fewAnswers {
					one.pause = r.pause.Percentile(50)
				}
			}
			for _, s := range f.servers {
				if f.number(s) == i && s.scrapes >= fewScrapes {
					one.queued = s.waiting
				}
			}
			list = append(list, one)
		}
		return list, false
	}
	if !f.allTell() {
		return nil, false
	}
	for _, s := range f.servers {
		one := share{name: f.nameOf(s), requests: s.grown(serving.Finished), ttft: s.over(serving.TTFT) * 1e9, pause: s.over(serving.ITL) * 1e9, queued: math.NaN()}
		if s.scrapes >= fewScrapes {
			one.queued = s.waiting
		}
		if math.IsNaN(one.requests) {
			return nil, false
		}
		list = append(list, one)
	}
	return list, true
}

// A replica is hot where it has half as much again as the mean to do, beyond luck, and its requests feel it.
const (
	hotOverMean = 1.5
	hotTimes    = 1.3
)

// hotReplica: one of several has more to do than the others, and is slower for it.
func hotReplica(f *facts) *finding {
	list, byCounters := f.shares()
	if len(list) < 2 {
		return nil
	}
	var requests []float64
	hot := 0
	for i := range list {
		if requests = append(requests, list[i].requests); list[i].requests > list[hot].requests {
			hot = i
		}
	}
	load := replica.LoadOf(requests)
	if load.BusiestOverMean == nil || *load.BusiestOverMean < hotOverMean || load.Luck || list[hot].requests < fewAnswers {
		return nil
	}
	middle := func(of func(*share) float64) float64 {
		var rest []float64
		for i := range list {
			if v := of(&list[i]); i != hot && !math.IsNaN(v) {
				rest = append(rest, v)
			}
		}
		if len(rest) == 0 {
			return math.NaN()
		}
		slices.Sort(rest)
		return stats.Median(rest)
	}
	found := &finding{limit: HotReplica}
	all := 0.0
	for _, n := range requests {
		all += n
	}
	whose := ""
	if byCounters {
		whose = ", by the replicas' own counters"
	}
	found.add("the replica %s had %s of the requests, %.2g times the mean of %d replicas%s", outside.Word(list[hot].name), percent(list[hot].requests/all), *load.BusiestOverMean, len(list), whose)
	feels := false
	for _, by := range []struct {
		name  string
		of    func(*share) float64
		least float64
	}{
		{"time to the first token", func(s *share) float64 { return s.ttft }, leastTTFT + f.slack("ttft")},
		{"time between chunks of tokens", func(s *share) float64 { return s.pause }, leastPause + f.slack("tpot")},
	} {
		if its, others := by.of(&list[hot]), middle(by.of); its > hotTimes*others && its-others > by.least {
			feels = true
			found.add("its median %s was %s, and that of the others %s", by.name, ms(its), ms(others))
		}
	}
	if its, others := list[hot].queued, middle(func(s *share) float64 { return s.queued }); its >= 1 && !(its < 2*others+1) {
		feels = true
		found.add("%.3g requests waited in it on average, and %.2g in the others", its, others)
	}
	if !feels {
		return nil
	}
	if n := f.commonPrefix(); float64(n) > hotOverMean/float64(len(list))*float64(f.requests) {
		found.add("%s of the prompts begin with the same prefix: affinity sends them all to one replica", percent(float64(n)/float64(f.requests)))
	}
	found.next = "Let the router weigh load against affinity (a lower balance threshold, least-loaded, a hot prefix on several replicas), or spread the load over more prefixes and conversations than replicas."
	return found
}

// commonPrefix is how many prompts begin with the prefix that most of them have; 0: the workload has no such thing.
func (f *facts) commonPrefix() (most int64) {
	for _, n := range f.byPrefix {
		most = max(most, n)
	}
	return most
}

const (
	believedMore = 0.1 // of the prompt tokens
	missedPart   = 0.25
)

// staleIndex: the router believed in caches that the replicas did not have, and prompts were computed again.
func staleIndex(f *facts) *finding {
	b := &f.belief
	if b.n < fewRequests || !(b.prompt > 0) || (b.believed-b.cached)/b.prompt < believedMore {
		return nil
	}
	// Where some were found and some not, those that were not must have taken longer: else nobody felt it.
	missed, kept := b.missed.Count(), b.kept.Count()
	if missed < fewAnswers {
		return nil
	}
	slow, fast := b.missed.Percentile(50), b.kept.Percentile(50)
	if kept >= fewAnswers && !(slow > hotTimes*fast && slow-fast > leastTTFT+f.slack("ttft")) {
		return nil
	}
	found := &finding{limit: StaleIndex}
	found.add("the router believed that %s of the prompt tokens were in the caches of the replicas that it chose, and the answers say %s", percent(b.believed/b.prompt), percent(b.cached/b.prompt))
	found.add("of %s the replica had far less than was believed", counted(int64(missed), "request"))
	if kept >= fewAnswers {
		found.add("their median time to the first token was %s, and that of the others %s", ms(slow), ms(fast))
	}
	found.next = "Look at how the router learns what is cached: lost or late KV events, caches that evict sooner than it assumes (its block count, its time to live), replicas that began anew."
	return found
}

// queuedInRouter is how many requests wait in the router on average, by its own gauge, and how often there are any; NaN: it does not tell.
func (f *facts) queuedInRouter() (mean, often float64) {
	var all, some sums
	for _, s := range f.routers {
		for i, v := range s.Gauge[serving.QueuedInRouter] {
			if at := s.At[i]; at >= f.from && at <= f.to && !math.IsNaN(v) {
				all.add(v)
				some.add(one(v >= 1))
			}
		}
	}
	if all.n < fewScrapes {
		return math.NaN(), math.NaN()
	}
	return all.mean() * float64(max(len(f.routers), 1)), some.mean()
}

// routerQueues: requests wait in the router while the replicas have room.
func routerQueues(f *facts) *finding {
	if !f.behindRouter() {
		return nil
	}
	found := &finding{limit: RouterQueue}
	found.next = "Let the router send more at once to each replica, or find out what it waits for: its flow control, its saturation threshold, its own CPU; measure a replica by its own address."
	theirs := f.over(serving.TTFT) * 1e9
	if waits, often := f.queuedInRouter(); !math.IsNaN(waits) {
		ours := f.mean(f.flying, f.from, f.to)
		if !(waits >= notableQueue*ours) || often < mostOfTheTime || f.waitsInServer() != nil {
			return nil
		}
		found.add("%.3g requests waited in %s on average, of %.3g under way: %s of a request's time", waits, f.router(), ours, percent(waits/ours))
		if theirs > 0 {
			found.add("the first token came after %s; the replicas had it after %s", ms(f.toFirst.mean()), ms(theirs))
		}
		if s := f.busiest(); s != nil {
			found.add("the replicas had almost no queue: %.2g waited in the one with the longest while %.3g ran", s.waiting, s.running)
		}
		return found
	}
	// Without its word: what first tokens took longer than the replicas say, which is a queue where it is not there for some.
	n, took := f.grown(serving.TTFT.Count()), f.toFirst.mean()-f.slack("ttft")
	if len(f.prefillers) > 0 || !f.allTell() || f.done < fewRequests || !(math.Abs(n-float64(f.done)) <= foreign*float64(f.done)) {
		return nil
	}
	more := took - theirs
	if !(more >= muchOutside*took && more >= leastOutside) || !f.noQueue() {
		return nil
	}
	quick, some := f.ttft.Percentile(5), "one request in twenty"
	if quick > theirs+more/3 && f.heldAtMost() {
		quick, some = f.ttft.Moments().Min, "the quickest request"
		found.add("each replica had as many requests as it ever had nearly all the time, while %.3g were under way at the client: the router lets no more in", f.mean(f.flying, f.from, f.to))
	}
	if quick > theirs+more/3 {
		return nil
	}
	found.add("the first token came after %s on average, and the replicas had it after %s by their own clocks: %s passed before them", ms(f.toFirst.mean()), ms(theirs), ms(more))
	found.add("%s had it within %s: the way itself is short, so the others waited in %s, which has no metrics here that would tell", some, ms(quick), f.router())
	return found
}

// heldAtMost says that each replica that was busy had the same number of requests nearly all the time: somebody else holds it there.
func (f *facts) heldAtMost() bool {
	for _, s := range f.servers {
		held := sums{}
		for _, i := range s.inside(f.from, f.to) {
			held.add(one(s.Gauge[serving.Running][i] >= s.most-max(1, (1-atMost)*s.most)))
		}
		if held.n < fewScrapes || held.mean() < nearlyAlways {
			return false
		}
	}
	return len(f.servers) > 0
}

const nearlyAlways = 0.9

// The cache's way from prefill to decode is the limit where it takes a good part of the time to the first token, and that of the whole.
const (
	transferOfTTFT  = 0.3
	transferOfWhole = 0.1
)

// transferBound: decode waits for caches that are on their way.
func transferBound(f *facts) *finding {
	took, who := f.over(serving.Transfer)*1e9, "by the decode servers' own clocks"
	if f.transferred.n >= fewRequests {
		took, who = f.transferred.mean(), "as the answers say, at most"
	}
	first, whole := f.toFirst.mean(), f.toFirst.mean()+f.toLast.mean()
	if !(took >= leastTTFT && took >= transferOfTTFT*first && took >= transferOfWhole*whole) {
		return nil
	}
	found := &finding{limit: Transfer}
	found.add("moving the cache from prefill to decode took %s, %s: %s of the %s until the first token", ms(took), who, percent(min(took/first, 1)), ms(first))
	await, running := sums{}, sums{}
	for _, s := range f.servers {
		for i, v := range s.Gauge[serving.AwaitTransfer] {
			if at := s.At[i]; at >= f.from && at <= f.to && !math.IsNaN(v) {
				await.add(v)
				if r := s.Gauge[serving.Running]; i < len(r) && !math.IsNaN(r[i]) {
					running.add(r[i])
				}
			}
		}
	}
	if await.n >= fewScrapes {
		found.add("%.3g requests waited for their cache in each decode server on average, while %.3g ran", await.mean(), running.mean())
	}
	if bytes, seconds := f.grown(serving.TransferBytes), f.grown(serving.Transfer.Sum()); bytes > 0 && seconds > 0 {
		found.add("it went at %.3g GB/s in each transfer", bytes/seconds/1e9)
	}
	found.next = "Look at the link between the two (RDMA or TCP, its rate, both on one switch), fewer bytes per token (a smaller KV type), or let short prompts be computed where they are decoded; inferometer bench handoff measures the bytes per second."
	return found
}

// seenOfRouter is what is to be told of a router that did not limit the run: an uneven load, its belief, what was sent again.
func (f *facts) seenOfRouter(limit Limit) (out []string) {
	if list, _ := f.shares(); len(list) > 1 && limit != HotReplica {
		var requests []float64
		for i := range list {
			requests = append(requests, list[i].requests)
		}
		const notable = 1.2
		if l := replica.LoadOf(requests); l.BusiestOverMean != nil && *l.BusiestOverMean >= notable && !l.Luck {
			out = append(out, sentence("the busiest of %d replicas had %.2g times the mean of the requests", len(list), *l.BusiestOverMean))
		}
	}
	if b := &f.belief; b.n >= fewRequests && b.prompt > 0 && limit != StaleIndex {
		out = append(out, sentence("the router believed that %s of the prompt tokens were cached, and the answers say %s", percent(b.believed/b.prompt), percent(b.cached/b.prompt)))
	}
	if n, who := f.repeated(); n > 0 && limit != Retried {
		out = append(out, sentence("%.0f requests were sent again behind the client's back, %s", n, who))
	}
	return out
}
