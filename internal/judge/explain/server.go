package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// server is what one server said of itself in the busy part of the run. NaN: it did not.
type server struct {
	*serving.Course
	scrapes                    int // in the busy part, with running and waiting
	running, waiting, cacheUse float64
	most                       float64 // running at most, in the whole run
	queued                     float64 // share of the scrapes with a queue
	// While there was a queue:
	pinned float64 // share of those scrapes at which as many ran as ever did
	use    float64 // of the cache, mean
	room   float64 // for more requests of the size of those that ran, median

	steps float64 // share of its steps with more than half as many tokens as the largest, see fullSteps
}

func newServer(c *serving.Course, from, to float64) *server {
	s := &server{Course: c}
	inside := s.inside(from, to)
	if len(inside) < fewScrapes { // a short run, or one that is scraped seldom: all of it then
		inside = s.inside(0, math.Inf(1))
	}
	running, waiting, use := c.Gauge[serving.Running], c.Gauge[serving.Waiting], c.Gauge[serving.CacheUse]
	for i := range running {
		if c.At[i] >= 0 && running[i] > s.most {
			s.most = running[i]
		}
	}
	var r, w, u, pinned, usedQueued, queued sums
	var rooms []float64
	for _, i := range inside {
		r.add(running[i])
		w.add(waiting[i])
		used := math.NaN()
		if use != nil && !math.IsNaN(use[i]) {
			used = use[i]
			u.add(used)
		}
		queued.add(one(waiting[i] >= 1))
		if waiting[i] < 1 {
			continue
		}
		pinned.add(one(running[i] >= atMost*s.most))
		if used > 0 {
			usedQueued.add(used)
			rooms = append(rooms, running[i]*(1-used)/used)
		}
	}
	s.scrapes = len(inside)
	s.running, s.waiting, s.cacheUse, s.queued = r.known(), w.known(), u.known(), queued.known()
	s.pinned, s.use, s.room = pinned.known(), usedQueued.known(), math.NaN()
	if len(rooms) > 0 {
		slices.Sort(rooms)
		s.room = rooms[len(rooms)/2]
	}
	return s
}

const (
	// fewScrapes are no course.
	fewScrapes = 6
	// atMost is how near to the most that ever ran counts as the most: of 64 one less, while a
	// place is being filled.
	atMost = 0.97
)

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// known is the mean, and NaN of nothing.
func (s *sums) known() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return s.mean()
}

// inside are the scrapes between two moments that tell of running and waiting.
func (s *server) inside(from, to float64) []int {
	running, waiting := s.Gauge[serving.Running], s.Gauge[serving.Waiting]
	if running == nil || waiting == nil {
		return nil
	}
	var out []int
	for i, at := range s.At {
		if at >= from && at <= to && !math.IsNaN(running[i]) && !math.IsNaN(waiting[i]) {
			out = append(out, i)
		}
	}
	return out
}

// grown is by how much a counter grew over the run; NaN: not known, or the server began anew.
func (s *server) grown(m serving.Meaning) float64 {
	first, last := math.NaN(), math.NaN()
	for i, v := range s.Count[m] {
		if math.IsNaN(v) {
			continue
		}
		if math.IsNaN(first) || s.At[i] <= 0 {
			first = v
		}
		if v < last {
			return math.NaN()
		}
		last = v
	}
	return last - first
}

// over is the mean of a histogram over the run, in seconds; NaN: not known.
func (s *server) over(m serving.Meaning) float64 {
	n := s.grown(m.Count())
	if !(n > 0) {
		return math.NaN()
	}
	return s.grown(m.Sum()) / n
}

// queueShare is the share of the requests inside that wait, which is the share of their time
// that they wait: by the gauges, else by the histograms; NaN: not known.
func (s *server) queueShare() float64 {
	if s.scrapes >= fewScrapes {
		if s.running+s.waiting == 0 {
			return 0
		}
		return s.waiting / (s.running + s.waiting)
	}
	return s.over(serving.Queue) / s.over(serving.E2E)
}

// inPrefill is the mean number of requests whose prompt was being computed; NaN: not known.
func (s *server) inPrefill(seconds float64) float64 {
	if sum := s.grown(serving.Prefill.Sum()); !math.IsNaN(sum) {
		return sum / seconds
	}
	return s.grown(serving.PrefillSeconds) / seconds
}

// computed are the prompt tokens that were computed; NaN: not known.
func (s *server) computed() float64 {
	if n := s.grown(serving.ComputedTokens); !math.IsNaN(n) {
		return n
	}
	n := s.grown(serving.PromptTokens)
	if hits := s.grown(serving.PrefixHits); !math.IsNaN(hits) {
		n -= hits
	}
	return n
}

// decodeShare is the share of the time in the batch that requests generate; NaN: not known.
func (s *server) decodeShare() float64 {
	p, d := s.over(serving.Prefill), s.over(serving.Decode)
	return d / (p + d)
}

// began is the first moment from which a gauge stays at a limit or above for three scrapes,
// and whether there is one.
func (s *server) began(m serving.Meaning, limit float64) (float64, bool) {
	const stays = 3
	run, since := 0, 0.0
	for i, v := range s.Gauge[m] {
		if s.At[i] < 0 || math.IsNaN(v) {
			continue
		}
		if v < limit {
			run = 0
			continue
		}
		if run == 0 {
			since = s.At[i]
		}
		if run++; run == stays {
			return since, true
		}
	}
	return 0, false
}

// grew is the moment of the scrape by which a counter had first grown during the load, if it is told over time.
func (s *server) grew(m serving.Meaning) (float64, bool) {
	before, seen := math.NaN(), 0
	at, found := 0.0, false
	for i, v := range s.Count[m] {
		if math.IsNaN(v) {
			continue
		}
		if seen++; v > before && !found && s.At[i] > 0 {
			at, found = s.At[i], true
		}
		before = v
	}
	return at, found && seen >= fewScrapes
}

// software is whose server it is by the names of its metrics: vllm, sglang, llamacpp, tgi…; empty: not known.
func (s *server) software() string {
	for _, name := range s.Name {
		for _, known := range []string{"vllm", "sglang", "llamacpp", "tgi", "trtllm"} {
			if strings.HasPrefix(name, known+":") || strings.HasPrefix(name, known+"_") {
				return known
			}
		}
	}
	return ""
}
