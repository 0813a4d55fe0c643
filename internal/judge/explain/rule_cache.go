package explain

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

const (
	// oftenPreempted is a share of the requests: so many are computed twice, and hold the others up
	// meanwhile. Fewer are a sign of a full cache, and cost little by themselves.
	oftenPreempted = 0.15
	fewPreempted   = 5
	// A cache is full if another request like those that ran does not fit: that holds for a cache of
	// five requests, which is then 80 % full, as for one of five hundred. Servers keep a few blocks
	// back, hence the second.
	roomForOne   = 1.0
	cacheBrimful = 0.97
	// With less room, or more in use, a cache is nearly full: other names need more room than that.
	roomForTwo      = 2.0
	cacheNearlyFull = 0.9
)

// preempting: sequences lost their blocks, and were computed again.
func preempting(f *facts) *finding {
	for _, s := range f.servers {
		n, done := s.grown(serving.Preemptions), s.finished(f)
		if !(n >= fewPreempted) || n/done < oftenPreempted {
			continue
		}
		found := &finding{limit: Preempting}
		found.queueBegan(s)
		if at, ok := s.grew(serving.Preemptions); ok {
			found.add("preemptions had begun by %s", seconds(at))
		}
		found.add("%.0f preemptions for %.0f requests that ended%s: their KV blocks were taken away, and they were computed again", n, done, f.at(s))
		if !math.IsNaN(s.cacheUse) {
			found.add("the KV cache was %s full on average", percent(s.cacheUse))
		}
		found.next = s.advice(map[string]string{
			"vllm":   "Run fewer requests at once (a lower --max-num-seqs), or give the cache more room (--gpu-memory-utilization, --kv-cache-dtype fp8, more GPUs).",
			"sglang": "Run fewer requests at once (a lower --max-running-requests), or give the cache more room (--mem-fraction-static, more GPUs).",
		}, "Let the server run fewer requests at once, or give its KV cache more room.")
		return found
	}
	return nil
}

// cacheFull: requests waited, and no block was free for them.
func cacheFull(f *facts) *finding {
	s := f.waitsInServer()
	if s == nil || math.IsNaN(s.room) || s.room >= roomForOne && s.use < cacheBrimful {
		return nil
	}
	found := &finding{limit: Cache}
	found.queueBegan(s)
	found.add("while requests waited, the KV cache%s was %s full, with room for %.2g more of the size of the %.3g that ran", f.at(s), percent(s.use), s.room, s.running)
	if n := s.grown(serving.Preemptions); n > 0 {
		found.add("%.0f preemptions followed", n)
	}
	found.next = s.advice(map[string]string{
		"vllm":   "Give the cache more room: --gpu-memory-utilization, --kv-cache-dtype fp8, more GPUs; or send shorter prompts.",
		"sglang": "Give the cache more room: --mem-fraction-static, more GPUs; or send shorter prompts.",
	}, "Give the server's KV cache more room, or send shorter prompts.")
	return found
}

// finished are the requests that ended at the server, else our own share of them.
func (s *server) finished(f *facts) float64 {
	if n := s.grown(serving.Finished); n > 0 {
		return n
	}
	return max(float64(f.requests)/float64(max(len(f.servers), 1)), 1)
}

// queueBegan says when the queue began to grow, and what the cache was then.
func (found *finding) queueBegan(s *server) {
	at, ok := s.began(serving.Waiting, 1)
	if !ok {
		return
	}
	full, isFull := s.began(serving.CacheUse, 0.95)
	switch {
	case isFull && full <= at+1:
		found.add("the queue began to grow at %s, when cache use had reached 95 %%", seconds(at))
	case isFull:
		found.add("the queue began to grow at %s; cache use reached 95 %% at %s", seconds(at), seconds(full))
	default:
		found.add("the queue began to grow at %s", seconds(at))
	}
}
