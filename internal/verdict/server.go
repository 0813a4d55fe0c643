package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// server is what the server's own counters say: before the load and after it.
type server struct {
	before, after map[string]float64
}

// newServer takes the last look before the load and the last one after it.
func newServer(scrapes []journal.Scrape) *server {
	s := &server{}
	for i := range scrapes {
		if scrapes[i].After {
			s.after = scrapes[i].Counters
		} else {
			s.before = scrapes[i].Counters
		}
	}
	return s
}

// asked says whether there are counters to compare.
func (s *server) asked() bool { return len(s.before) > 0 && len(s.after) > 0 }

// grown is by how much a counter grew. vLLM's counters begin to exist with the first
// request, so one that was absent before began at 0.
func (s *server) grown(name string) (float64, bool) {
	after, ok := s.after[name]
	if !ok || !s.asked() {
		return 0, false
	}
	return after - s.before[name], true
}

// first is the first of these counters that the server has.
func (s *server) first(names ...string) (grown float64, name string) {
	for _, name := range names {
		if v, ok := s.grown(name); ok {
			return v, name
		}
	}
	return 0, ""
}

// cacheHits are prompt tokens from the server's cache.
func (s *server) cacheHits() (float64, bool) {
	v, name := s.first("vllm:prompt_tokens_cached_total", "vllm:prefix_cache_hits_total", "llamacpp:prompt_tokens_cached_total")
	return v, name != ""
}

// histMean is the mean of a histogram's values over the run, in nanoseconds, and their number.
func (s *server) histMean(name string) (mean, n float64, ok bool) {
	sum, ok1 := s.grown(name + "_sum")
	n, ok2 := s.grown(name + "_count")
	if !ok1 || !ok2 || n <= 0 {
		return 0, 0, false
	}
	return sum / n * 1e9, n, true
}

const noCounters = "the server's counters were not read before and after the run, or it has none"

// unusable is why counters can't be compared: nil if they can.
func (f *facts) unusable() *Check {
	var k Check
	switch {
	case !f.server.asked():
		k = skip(noCounters)
	case f.judge("restart").Level.Bad():
		k = skip("the server began anew, and its counters with it")
	default:
		return nil
	}
	return &k
}

// restart looks for a start time that changed, or counters that fell.
type restart struct{}

func (*restart) add(*view) {}

func (*restart) result(f *facts, _ limits) Check {
	if !f.server.asked() {
		return skip(noCounters)
	}
	const startTime = "process_start_time_seconds"
	before, after := f.server.before[startTime], f.server.after[startTime]
	known := before != 0 && after != 0
	const asGoodAsEqual = 1 // a second
	if known && math.Abs(after-before) > asGoodAsEqual {
		return Check{
			Level: Invalid, Figure: "restarted", Sentence: fmt.Sprintf("the server's start time changed by %.0f s", after-before),
			Effect: "loading, empty caches and lost requests are in the numbers",
		}
	}
	for name, was := range f.server.before {
		now, ok := f.server.after[name]
		ours := strings.HasPrefix(name, "vllm:") || strings.HasPrefix(name, "llamacpp:")
		if known = known || ours; ok && ours && strings.HasSuffix(name, "_total") && now < was {
			return Check{
				Level: Invalid, Figure: "restarted", Sentence: fmt.Sprintf("the server's counter %s fell", lowest(f.server)),
				Effect: "loading, empty caches and lost requests are in the numbers",
			}
		}
	}
	if !known {
		return skip("the server tells no start time and has no counter that we know")
	}
	return Check{Level: OK, Figure: "no", Sentence: "the server ran on: its start time, where it tells it, is the same, and no counter fell"}
}

// lowest is the first counter by name that fell, so that a verdict is the same each time.
func lowest(s *server) string {
	name := ""
	for k, was := range s.before {
		if now, ok := s.after[k]; ok && now < was && strings.HasSuffix(k, "_total") && (name == "" || k < name) {
			name = k
		}
	}
	return name
}

// preemptions are the server's own trouble: the numbers are right, but of a server
// that did work twice.
type preemptions struct{}

func (*preemptions) add(*view) {}

func (*preemptions) result(f *facts, l limits) Check {
	if k := f.unusable(); k != nil {
		return *k
	}
	n, ok := f.server.grown("vllm:num_preemptions_total")
	if !ok {
		return skip("the server does not count preemptions")
	}
	return found(l, n, fmt.Sprintf("%.0f", n), "the server threw out %.0f sequences for want of memory", n)
}
