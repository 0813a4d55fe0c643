package journal

// Fleet is who sent a run that several clients sent together. Its journal is made of
// theirs: times are on the leader's clock, with their zero at the instant at which all
// were to begin.
type Fleet struct {
	Run     string       `json:"run"`                             // its name on the bus
	Planned int          `json:"planned,omitempty" bound:"index"` // requests of the whole list; 0: not known
	Agents  []FleetAgent `json:"agents" max:"10000"`              // each of them
}

// FleetAgent is one of them.
type FleetAgent struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Version string            `json:"version,omitempty"`
	Address string            `json:"address,omitempty"`
	Labels  map[string]string `json:"labels,omitempty" max:"1000"`
	Share   string            `json:"share,omitempty"`       // as Run.Share
	Planned int               `json:"planned" bound:"index"` // requests of its share; 0 where that is not known
	Gone    string            `json:"gone,omitempty"`        // why it is not there any more; empty: it ended in good order

	// OffsetNs is the leader's clock less the agent's, right to OffsetErrorNs; -1: that is not known.
	OffsetNs      int64 `json:"offset_ns" bound:"offset"`
	OffsetErrorNs int64 `json:"offset_error_ns" bound:"-"`

	// Read: its journal could be read; the keys below come from there.
	Read        bool        `json:"read"`
	SkewNs      int64       `json:"skew_ns"` // it began so long after the instant at which all were to begin
	Clock       string      `json:"clock,omitempty"`
	Environment Environment `json:"environment"`
	Proven      *Proven     `json:"proven,omitempty"`
}

// FleetEnd is what became of the clients of a fleet, in the order of Fleet.Agents.
type FleetEnd struct {
	// Skipped are turns that were planned and never sent because their conversation had ended.
	Skipped int             `json:"skipped,omitempty" bound:"index"`
	Agents  []FleetAgentEnd `json:"agents" max:"10000"` // each of them
}

// FleetAgentEnd is what became of one.
type FleetAgentEnd struct {
	Ended        bool   `json:"ended"`                             // its journal has a last line, from which the next five are
	Sent         int    `json:"sent" bound:"index"`                // requests measured
	PeakInFlight int    `json:"peak_in_flight"`                    //
	Interrupted  string `json:"interrupted,omitempty"`             // why it stopped early
	Unwritten    int    `json:"unwritten,omitempty" bound:"index"` // requests that its disk had no room for
	Client       Client `json:"client"`

	Lost       int    `json:"lost,omitempty" bound:"index"`       // requests that may have been sent
	Unsent     int    `json:"unsent,omitempty" bound:"index"`     // requests that were not
	Duplicates int    `json:"duplicates,omitempty" bound:"index"` // lines of a request that had one already: left out
	Foreign    int    `json:"foreign,omitempty" bound:"index"`    // lines of a request of another's share, or of nobody's: left out
	Damage     string `json:"damage,omitempty"`                   // why its journal could not be read to its end
}

// Missing says that nothing is known of a request but that it was planned: it has no
// times and no answer, and its moments are those at which it was due.
func (o Outcome) Missing() bool { return o == Lost || o == Unsent }

// Move puts a request onto another clock. Events are gaps, and stay.
func (r *Request) Move(by int64) error {
	moments := []*int64{&r.Due, &r.Sent, &r.End}
	for _, at := range []*int64{&r.Released, &r.Headers} {
		if *at != 0 { // not known
			moments = append(moments, at)
		}
	}
	var b bounds
	b.time("the move", by)
	for _, at := range moments {
		*at += by // two times within bounds: no overflow
		b.time("a time", *at)
	}
	if b.err == nil {
		b.err = r.Events.check(r.Sent)
	}
	return b.named("request", r.Index)
}

// Move puts a conversation onto another clock.
func (c *Conversation) Move(by int64) error {
	c.Begin, c.End = c.Begin+by, c.End+by
	return c.check()
}

// Move puts devices onto another clock.
func (h *Hardware) Move(by int64) error {
	h.At += by
	return movedTo(h.At)
}

func movedTo(at int64) error {
	var b bounds
	b.time("at", at)
	return b.err
}

// Move puts a sample onto another clock.
func (s *Sample) Move(by int64) error {
	s.At += by
	return movedTo(s.At)
}

// Move puts a scrape onto another clock.
func (s *Scrape) Move(by int64) error {
	s.At += by
	return movedTo(s.At)
}

// agents is how many clients the run lists: one where it is no fleet's.
func (r *Run) agents() int {
	if r == nil || r.Fleet == nil {
		return 1
	}
	return max(len(r.Fleet.Agents), 1)
}

// check looks at what the tags do not say.
func (f *Fleet) check(b *bounds) {
	for i := range f.Agents {
		b.within("offset_error_ns", f.Agents[i].OffsetErrorNs, -1, maxSum)
	}
}

// Titles are what the agents are called: by name, and by id where two have the same.
func (f *Fleet) Titles() []string {
	count := map[string]int{}
	for i := range f.Agents {
		count[f.Agents[i].Name]++
	}
	titles := make([]string, len(f.Agents))
	for i := range f.Agents {
		switch a := &f.Agents[i]; {
		case a.Name == "":
			titles[i] = a.ID
		case count[a.Name] > 1:
			titles[i] = a.Name + " (" + a.ID + ")"
		default:
			titles[i] = a.Name
		}
	}
	return titles
}
