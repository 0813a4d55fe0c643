package bench

import (
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/target"
)

// What servers call the few values that a state shows; the first that is there counts.
var (
	runningNames   = []string{"vllm:num_requests_running", "sglang:num_running_reqs", "llamacpp:requests_processing", "tgi_batch_current_size"}
	waitingNames   = []string{"vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred", "tgi_queue_size"}
	cacheNames     = []string{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage", "llamacpp:kv_cache_usage_ratio"}
	generatedNames = []string{"vllm:generation_tokens_total", "sglang:generation_tokens_total", "llamacpp:tokens_predicted_total", "tgi_request_generated_tokens_sum"}
	preemptedNames = []string{"vllm:num_preemptions_total", "sglang:num_retracted_requests_total", "sglang:num_retracted_reqs_total"}
)

// serverNow is what the newest scrape of a server said, with what is needed of earlier ones.
type serverNow struct {
	said      live.Server
	preempted *float64 // before the load
	generated *float64 // at the last scrape
	at        int64    // of it
}

// scraped takes in a scrape of a server, at a moment of the run's clock. The first one is
// that before the load.
func (t *teller) scraped(i int, at int64, m target.Metrics) {
	if t == nil || m == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.servers) <= i {
		t.servers = append(t.servers, serverNow{})
	}
	s := &t.servers[i]
	now := live.Server{Running: sumOf(m, runningNames), Waiting: sumOf(m, waitingNames), CacheUse: meanOf(m, cacheNames)}
	if n := sumOf(m, preemptedNames); n != nil {
		if s.preempted == nil {
			s.preempted = n
		}
		since := max(*n-*s.preempted, 0)
		now.Preempted = &since
	}
	generated := sumOf(m, generatedNames)
	if generated != nil && s.generated != nil && at > s.at && *generated >= *s.generated {
		rate := (*generated - *s.generated) / (float64(at-s.at) / 1e9)
		now.TokensPerS = &rate
	}
	s.said, s.generated, s.at = now, generated, at
}

// scrapedAll takes in what all servers said.
func (t *teller) scrapedAll(at int64, all []target.Metrics) {
	for i, m := range all {
		t.scraped(i, at, m)
	}
}

// sumOf adds up the lines of the first name that there is; nil: there is none.
func sumOf(m target.Metrics, names []string) *float64 {
	sum, lines := added(m, names)
	if lines == 0 {
		return nil
	}
	return &sum
}

// meanOf is for shares, which can't be added up.
func meanOf(m target.Metrics, names []string) *float64 {
	sum, lines := added(m, names)
	if lines == 0 {
		return nil
	}
	sum /= float64(lines)
	return &sum
}

func added(m target.Metrics, names []string) (sum float64, lines int) {
	for _, name := range names {
		for i := range m {
			if m[i].Name == name && m[i].Sane() {
				sum += m[i].Value
				lines++
			}
		}
		if lines > 0 {
			return sum, lines
		}
	}
	return 0, 0
}

// said are the servers of a state; nil: none has said anything. The lock is held.
func (t *teller) said() []live.Server {
	if len(t.servers) == 0 {
		return nil
	}
	list := make([]live.Server, len(t.servers))
	for i := range t.servers {
		list[i] = t.servers[i].said
	}
	return list
}
