package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// server is what the servers' own counters say: before the load and after it. Of
// several servers it is their sum, and each has them one by one.
type server struct {
	before, after map[string]float64 // of those that answer: all but those for prefill alone
	prefill       *server            // of those for prefill alone; nil: there are none
	each          []scraped
	routers       []scraped // what routers say of themselves, where their servers are known
	missing       string    // why there are no sums; empty: nobody knows more than that
}

func newServer(run *journal.Run, scrapes []journal.Scrape) *server {
	s := &server{}
	for _, one := range scrapedFrom(scrapes) {
		if one.replica == 0 && behind(run, one.target) > 0 {
			s.routers = append(s.routers, one)
			continue
		}
		s.each = append(s.each, one)
	}
	var answer, prefill []scraped
	for _, one := range s.each {
		if one.role(run) == journal.Prefill {
			prefill = append(prefill, one)
		} else {
			answer = append(answer, one)
		}
	}
	servers, prefillers := knownServers(run)
	s.before, s.after = sumScraped(answer, servers)
	if prefillers > 0 {
		s.prefill = &server{each: prefill}
		s.prefill.before, s.prefill.after = sumScraped(prefill, prefillers)
	}
	s.missing = missingWords(run, s.each)
	return s
}

// behind is how many servers are behind an address; 0 where none of them can be asked.
func behind(run *journal.Run, target int) (n int) {
	asked := false
	for i := range run.Replicas {
		if r := &run.Replicas[i]; r.Target == target || r.Found == journal.GivenReplica {
			n++
			asked = asked || r.URL != ""
		}
	}
	if !asked {
		return 0
	}
	return n
}

// knownServers is how many servers do the work: replicas, and addresses without any; those for prefill alone by themselves.
func knownServers(run *journal.Run) (servers, prefillers int) {
	routed := false
	for target := range max(len(run.Targets), 1) {
		if behind(run, target) > 0 {
			routed = true
		} else {
			servers++
		}
	}
	if !routed {
		return servers, 0
	}
	for i := range run.Replicas {
		if run.Replicas[i].Role == journal.Prefill {
			prefillers++
		} else {
			servers++
		}
	}
	return servers, prefillers
}

// missingWords says why a run through a router has no counters to compare, and what to do.
func missingWords(run *journal.Run, each []scraped) string {
	for i := range run.Replicas {
		r := &run.Replicas[i]
		if behind(run, r.Target) == 0 {
			continue
		}
		at := slices.IndexFunc(each, func(l scraped) bool { return l.replica == i+1 })
		switch {
		case r.URL == "":
			return fmt.Sprintf("the replica %s can't be asked for its counters: name addresses that the client reaches with --replica", r.Name)
		case at < 0 || !each[at].whole():
			return fmt.Sprintf("the counters of the replica %s were not read before and after the run: it was not there, or it has none", r.Name)
		}
	}
	for i := range run.Routers {
		if r := &run.Routers[i]; r.Metrics == journal.WorkerMetrics && behind(run, r.Target) == 0 {
			return fmt.Sprintf("the address is %s, whose /metrics is that of one of the servers behind it: name them with --replica", r.Kind)
		}
	}
	return ""
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

// cacheHits are prompt tokens from the server's cache. Where prefill is apart it is that of those who compute prompts: to
// decode all that was transferred counts as cached.
func (s *server) cacheHits() (float64, bool) {
	if s.prefill != nil {
		v, name := s.prefill.first(`vllm:prompt_tokens_by_source_total{source="local_cache_hit"}`, "vllm:prefix_cache_hits_total")
		return v, name != ""
	}
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
		k = skip("%s", cmp.Or(f.server.missing, noCounters))
	case f.stopped():
		k = skip("servers were stopped or started on purpose, and took their counters with them")
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
		return skip("%s", cmp.Or(f.server.missing, noCounters))
	}
	known := true
	for i := range f.server.each {
		l := &f.server.each[i]
		words, tells := l.restarted()
		if words != "" && f.stopped() {
			return Check{Level: OK, Figure: "on purpose", Sentence: f.serverWords(l) + words + ", as a fault of this run was to do"}
		}
		if words != "" {
			return Check{
				Level: Invalid, Figure: "restarted", Sentence: f.serverWords(l) + words,
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
func (f *facts) serverWords(l *scraped) string {
	switch {
	case l.replica > 0 && l.replica <= len(f.run.Replicas):
		return "the replica " + f.run.Replicas[l.replica-1].Name + "'s "
	case len(f.run.Targets) < 2 || l.target < 0 || l.target >= len(f.run.Targets):
		return "the server's "
	}
	return f.run.Targets[l.target].URL + "'s "
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
	if f.server.prefill != nil {
		more, _ := f.server.prefill.grown("vllm:num_preemptions_total")
		n += more
	}
	return found(l, n, fmt.Sprintf("%.0f", n), "the server preempted %.0f sequences for lack of memory", n).
		brief("the server ran out of memory and recomputed %s", counted(int(n), "request"))
}

// scraped are one server's counters before the load and after it.
type scraped struct {
	target        int
	replica       int // from 1: behind the target; 0: the target itself
	before, after map[string]float64
}

// role is the part of a request that the server works on.
func (l *scraped) role(run *journal.Run) journal.Role {
	if l.replica > 0 && l.replica <= len(run.Replicas) {
		return run.Replicas[l.replica-1].Role
	}
	return journal.BothRoles
}

// scrapedFrom takes of each server the last scrape before the load and the last one after it.
func scrapedFrom(scrapes []journal.Scrape) []scraped {
	var list []scraped
	for i := range scrapes {
		s := &scrapes[i]
		if s.During { // holds only what is drawn
			continue
		}
		at := slices.IndexFunc(list, func(l scraped) bool { return l.target == s.Target && l.replica == s.Replica })
		if at < 0 {
			at = len(list)
			list = append(list, scraped{target: s.Target, replica: s.Replica})
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
