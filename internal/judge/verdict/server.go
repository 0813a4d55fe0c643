package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// server is what the server's own counters say: before the load and after it. Of
// several servers it is their sum, and each has them one by one.
type server struct {
	before, after map[string]float64
	each          []scraped
}

func newServer(run *journal.Run, scrapes []journal.Scrape) *server {
	s := &server{each: scrapedFrom(scrapes)}
	s.before, s.after = sumScraped(s.each, max(len(run.Targets), 1))
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

// tellsStart says that each server told when it was started.
func (s *server) tellsStart() bool {
	for i := range s.each {
		if s.each[i].before[startTime] == 0 {
			return false
		}
	}
	return len(s.each) > 0
}

// startTime is Prometheus's usual name for when a process began.
const startTime = "process_start_time_seconds"

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
		k = skip("the server restarted, and its counters were reset")
	default:
		return nil
	}
	return &k
}

// restart looks for a start time that changed, or counters that fell, server by server.
func restart(f *facts, _ limits) Check {
	if !f.server.asked() {
		return skip(noCounters)
	}
	known := true
	for i := range f.server.each {
		l := &f.server.each[i]
		words, tells := l.restarted()
		if words != "" {
			return Check{
				Level: Invalid, Figure: "restarted", Sentence: f.serverWords(l.target) + words,
				Effect: "the numbers include loading, empty caches and lost requests",
			}.brief("a server restarted during the run")
		}
		known = known && tells
	}
	if !known {
		return skip("the server reports no start time and has no counter that we know")
	}
	return Check{Level: OK, Figure: "no", Sentence: "the server kept running: no counter fell, and its start time, if it reports one, did not change"}
}

// serverWords names a server at the beginning of a sentence.
func (f *facts) serverWords(target int) string {
	if len(f.run.Targets) < 2 || target < 0 || target >= len(f.run.Targets) {
		return "the server's "
	}
	return f.run.Targets[target].URL + "'s "
}

// restarted says what shows that the server began anew, empty if nothing does;
// known is false where nothing could show it.
func (l *scraped) restarted() (words string, known bool) {
	before, after := l.before[startTime], l.after[startTime]
	known = before != 0 && after != 0
	const asGoodAsEqual = 1 // a second
	if known && math.Abs(after-before) > asGoodAsEqual {
		return fmt.Sprintf("start time changed by %.0f s", after-before), true
	}
	if name := l.fell(); name != "" {
		return fmt.Sprintf("counter %s fell", name), true
	}
	return "", known || l.kind() != ""
}

// fell is the first counter by name that fell, so that a verdict is the same each time.
func (l *scraped) fell() string {
	name := ""
	for k, was := range l.before {
		ours := slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(k, family) })
		if now, ok := l.after[k]; ok && ours && now < was && strings.HasSuffix(k, "_total") && (name == "" || k < name) {
			name = k
		}
	}
	return name
}

// preemptions are the server's own trouble: the numbers are right, but of a server
// that did work twice.
func preemptions(f *facts, l limits) Check {
	if k := f.unusable(); k != nil {
		return *k
	}
	n, ok := f.server.grown("vllm:num_preemptions_total")
	if !ok {
		return skip("the server does not count preemptions")
	}
	return found(l, n, fmt.Sprintf("%.0f", n), "the server preempted %.0f sequences for lack of memory", n).
		brief("the server ran out of memory and recomputed %s", counted(int(n), "request"))
}

// scraped are one server's counters before the load and after it.
type scraped struct {
	target        int
	before, after map[string]float64
}

// scrapedFrom takes of each server the last scrape before the load and the last one after it.
func scrapedFrom(scrapes []journal.Scrape) []scraped {
	var list []scraped
	for i := range scrapes {
		s := &scrapes[i]
		if s.During { // holds only what is drawn
			continue
		}
		at := slices.IndexFunc(list, func(l scraped) bool { return l.target == s.Target })
		if at < 0 {
			at = len(list)
			list = append(list, scraped{target: s.Target})
		}
		if s.After {
			list[at].after = s.Counters
		} else {
			list[at].before = s.Counters
		}
	}
	return list
}

// whole says that both scrapes are there.
func (l *scraped) whole() bool { return len(l.before) > 0 && len(l.after) > 0 }

// kind is the family of the server's counters, empty where we know none.
func (l *scraped) kind() string {
	for _, family := range families {
		for name := range l.after {
			if strings.HasPrefix(name, family) {
				return family
			}
		}
	}
	return ""
}

// sumScraped adds the servers up to one. It has nothing where one of them did not
// tell all, or counts by other names than the rest: a sum over a part would accuse
// the others.
func sumScraped(list []scraped, targets int) (before, after map[string]float64) {
	if len(list) != targets {
		return nil, nil
	}
	before, after = map[string]float64{}, map[string]float64{}
	for i := range list {
		if !list[i].whole() || list[i].kind() != list[0].kind() {
			return nil, nil
		}
		for name, v := range list[i].before {
			before[name] += v
		}
		for name, v := range list[i].after {
			after[name] += v
		}
	}
	return before, after
}

// families are how the names of counters begin that we know.
var families = []string{"vllm:", "llamacpp:"}
