package run

// Event is something that happened. Events come from one goroutine.
type Event struct {
	Kind    Kind
	Point   *Point // nil for a note
	Outcome Outcome
	Startup []Startup // of Up
	Text    string    // of Note
}

// Kind is what happened.
type Kind int

// The kinds of events, in the order in which they happen to a point.
const (
	Skipped  Kind = iota // it has a result already
	Starting             // its servers
	Up                   // they are ready
	Running              // the point itself
	Ended
	Down // the servers were stopped, or did not come up
	Note
)
