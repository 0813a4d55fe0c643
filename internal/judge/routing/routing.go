// Package routing judges how requests were spread over replicas that each have a prefix cache: what the caches found, what any
// router could have had them find, and what makes a comparison of routers worthless. It is a pure function of journals and of
// what the replicas said of their caches.
//
//	journal ─▶ Collector ─▶ Facts (one run) ─▶ Compare (all runs of a scenario) ─▶ Answer: ranks, ten checks
//	                          └─ Optimum: the workload's prompts through the replicas' caches
package routing

// Facts are what one run tells of its routing.
type Facts struct {
	Requests      int    `json:"requests"`             // measured
	Failed        int    `json:"failed"`               // of those
	Sent          int    `json:"sent"`                 // warm-ups and others that are not measured too
	Retries       int    `json:"retries,omitempty"`    // that gateways told of
	Closed        bool   `json:"closed,omitempty"`     // a request was sent when another one had ended
	Workload      string `json:"workload,omitempty"`   // of all prompts in their order; equal texts: the same were sent
	BlockSize     int    `json:"block_size,omitempty"` // tokens in a block of the replicas' caches; 0: not known
	LongestPrompt int    `json:"longest_prompt"`       // tokens

	Hits     Hits      `json:"hits"`               // of all replicas together
	Last     Hits      `json:"last_quarter"`       // of the requests sent in the last quarter of the time
	Course   []Slot    `json:"course,omitempty"`   // over time
	Replicas []Replica `json:"replicas,omitempty"` // those that served, and those that were asked for their cache
	Unnamed  int       `json:"unnamed,omitempty"`  // requests of which nobody knows who served them
	Gateways []Gateway `json:"gateways,omitempty"` // where several addresses were loaded, and others stand behind them

	Prefixes  int      `json:"prefixes,omitempty"`  // different beginnings that several prompts share; 0: not known
	Largest   int      `json:"largest,omitempty"`   // requests with the most frequent one
	Repeated  int      `json:"repeated,omitempty"`  // requests whose beginning had been sent before, and whose replica is known
	Elsewhere int      `json:"elsewhere,omitempty"` // of those: another replica served the one before
	Warm      int64    `json:"warm_tokens"`         // found in a cache though they had not been sent since it was emptied
	Optimum   *Optimum `json:"optimum,omitempty"`   // nil: what prompts share is not known

	Belief   *Belief `json:"belief,omitempty"` // nil: the router did not say what it believes
	Streams  int     `json:"streams"`          // answers long enough to tell whether they were streamed
	Buffered int     `json:"buffered"`         // of those: they came in one piece
}

// Hits are prompt tokens and those of them that were in a cache.
type Hits struct {
	Found int64  `json:"found"`
	Of    int64  `json:"of"`
	By    string `json:"by,omitempty"` // who says so: answers, or the replicas' counters; empty: nobody
}

// Share is that of tokens that were found; false: not known.
func (h Hits) Share() (float64, bool) {
	if h.By == "" || h.Of <= 0 {
		return 0, false
	}
	return float64(h.Found) / float64(h.Of), true
}

// Who says what was found.
const (
	ByAnswers  = "answers"
	ByCounters = "counters"
)

// Slot is the hits of the requests that were sent in a stretch of time, in seconds from the first.
type Slot struct {
	From     float64 `json:"from"`
	Width    float64 `json:"width"`
	Requests int     `json:"requests"`
	Hits     Hits    `json:"hits"`
	Bound    int64   `json:"bound"` // tokens that any router could have had found at most; see Optimum
}

// Replica is one server, as answers and its own counters tell.
type Replica struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
	Failed   int    `json:"failed"`
	Hits     Hits   `json:"hits"`
	Cache    *Cache `json:"cache,omitempty"` // nil: it was not asked, or did not say
}

// Cache is what a replica says of its cache and of its work, before the load and after it.
type Cache struct {
	URL       string   `json:"url"`
	Kind      string   `json:"kind,omitempty"`
	Blocks    int      `json:"blocks,omitempty"`     // 0: not known
	BlockSize int      `json:"block_size,omitempty"` // tokens; 0: not known
	Set       bool     `json:"set,omitempty"`        // its size was set by hand and does not follow from the memory
	Emptied   string   `json:"emptied,omitempty"`    // how: a path, or restart; empty: not
	Use       *float64 `json:"use,omitempty"`        // share in use after that, 0 to 1
	Running   *float64 `json:"running,omitempty"`    // requests inside after that
	Queries   *float64 `json:"queries,omitempty"`    // tokens looked for during the load
	Found     *float64 `json:"found,omitempty"`      // tokens found during the load
	Finished  *float64 `json:"finished,omitempty"`   // requests that ended during the load
}

// Gateway is one of several addresses in front of the replicas.
type Gateway struct {
	Requests int `json:"requests"`
	Busiest  int `json:"busiest"` // requests that it sent to the one replica that it sent the most to
}

// Belief is what a router believed to be cached where it sent requests, beside what was.
type Belief struct {
	Requests int   `json:"requests"` // of which both are known
	Believed int64 `json:"believed"` // tokens
	Found    int64 `json:"found"`
	Of       int64 `json:"of"`
}

// Off is by how much the belief is above the truth, as a share of prompt tokens.
func (b *Belief) Off() float64 { return float64(b.Believed-b.Found) / float64(max(b.Of, 1)) }

// Skew is how unevenly requests were spread: busiest ÷ mean, and the coefficient of variation. False: fewer than two replicas.
func (f *Facts) Skew() (busiest, variation float64, ok bool) {
	if len(f.Replicas) < 2 || f.served() == 0 {
		return 0, 0, false
	}
	mean, squares := float64(f.served())/float64(len(f.Replicas)), 0.0
	for i := range f.Replicas {
		d := float64(f.Replicas[i].Requests) - mean
		squares += d * d
		busiest = max(busiest, float64(f.Replicas[i].Requests)/mean)
	}
	return busiest, sqrt(squares/float64(len(f.Replicas))) / mean, true
}

func (f *Facts) served() (n int) {
	for i := range f.Replicas {
		n += f.Replicas[i].Requests
	}
	return n
}
