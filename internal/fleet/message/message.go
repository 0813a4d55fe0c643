// Package message is what a leader and its agents say to each other: plain JSON, each
// message bounded and checked where it is read.
package message

import (
	"encoding/json"

	"github.com/inferometer/inferometer/internal/journal"
)

// Protocol is the version of these messages. An agent refuses any other with a sentence.
const Protocol = 2

// Hello is what an agent tells of itself.
type Hello struct {
	Protocol int               `json:"protocol"`
	Version  string            `json:"version"` // of inferometer, with its commit
	Agent    string            `json:"agent"`   // its id: one process, one id
	Name     string            `json:"name"`    // for people: its host, or what the user called it
	Labels   map[string]string `json:"labels,omitempty"`
	Address  string            `json:"address,omitempty"` // that it sends from, as far as it knows
	CPUs     int               `json:"cpus"`
	Memory   int64             `json:"memory_bytes,omitempty"`
	FDLimit  uint64            `json:"fd_limit,omitempty"`
	Weight   int               `json:"weight,omitempty"` // its capacity beside others'; 0: as the leader thinks
	Proven   *journal.Proven   `json:"proven,omitempty"` // by its newest self-test
	Key      []byte            `json:"key"`              // public: secrets are encrypted to it
	Allow    []string          `json:"allow,omitempty"`  // hosts that it may load
	Run      string            `json:"run,omitempty"`    // that it takes part in; empty: it is free
}

// Kind says what an Ask wants.
type Kind string

// The kinds.
const (
	Offer  Kind = "offer"  // take part: fetch, connect, warm up, and be ready
	Start  Kind = "start"  // begin at an instant
	Drain  Kind = "drain"  // send no more, wait for what is in flight: the first Ctrl-C
	Cancel Kind = "cancel" // cancel that too: the second
	Clock  Kind = "clock"  // what time is it there?
	State  Kind = "state"  // how far is the run?
	Piece  Kind = "piece"  // give the journal from a byte on: NATS does not have it
	Forget Kind = "forget" // the run is over and its journal is here: be free
)

// Ask is a request to one agent. It is answered by one Answer.
type Ask struct {
	Protocol int             `json:"protocol"`
	Kind     Kind            `json:"kind"`
	Agent    string          `json:"agent"`          // whom it is for: no other one takes it
	Run      string          `json:"run,omitempty"`  // all but Clock
	Spec     json.RawMessage `json:"spec,omitempty"` // Offer: a spec.Spec with its share
	Files    []File          `json:"files,omitempty"`
	Sealed   []byte          `json:"sealed,omitempty"`     // Offer: the secrets that the Spec names, for this agent's eyes
	Version  string          `json:"version,omitempty"`    // Offer: of the leader
	Lease    int64           `json:"lease_ns,omitempty"`   // Offer: without contact for so long the agent sends no more
	Nonce    string          `json:"nonce,omitempty"`      // Start: as the Answer to Offer gave it; it is good once
	At       int64           `json:"at_unix_ns,omitempty"` // Start: by the agent's own clock
	From     int64           `json:"from,omitempty"`       // Piece: how much the leader has
	SHA256   string          `json:"sha256,omitempty"`     // Forget: of the journal that the leader holds; no other one is removed
}

// File is one that a Spec needs. It comes from the object store by its digest.
type File struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	For    string `json:"for"`  // dataset or tokenizer
	Name   string `json:"name"` // the file's, without a folder
}

// Answer is what an agent says to an Ask.
type Answer struct {
	Error    string  `json:"error,omitempty"`            // empty: it does what was asked
	Nonce    string  `json:"nonce,omitempty"`            // to Offer
	Received int64   `json:"received_unix_ns,omitempty"` // by the agent's clock, when the Ask was there; to each
	Answered int64   `json:"answered_unix_ns,omitempty"` // and when this was sent
	Status   *Status `json:"status,omitempty"`
	Piece    []byte  `json:"piece,omitempty"` // to Piece, MostPiece at most; none: there is no more yet
}

// MostPiece is how much of a journal an Answer holds.
const MostPiece = 128 << 10

// Phase is how far an agent is with a run.
type Phase string

// The phases, in their order.
const (
	Preparing Phase = "preparing" // fetches, connects, warms up
	Ready     Phase = "ready"     // waits for the start
	Running   Phase = "running"
	Draining  Phase = "draining" // sends no more
	Ended     Phase = "ended"    // its journal is complete; see Journal
	Failed    Phase = "failed"   // it never began, or could not go on; see Error
)

// Status is told once a second, at each new phase, and to State.
type Status struct {
	Run    string `json:"run"`
	Agent  string `json:"agent"`
	Number int    `json:"number"` // counts up; an older one that comes later is passed over
	Phase  Phase  `json:"phase"`
	Error  string `json:"error,omitempty"` // Failed: why; Ended: why it sent less than its share, where no leader asked for it
	At     int64  `json:"at_unix_ns"`      // by the agent's clock

	Planned  int `json:"planned,omitempty"` // requests of its share; 0: not known
	Sent     int `json:"sent"`
	Reserved int `json:"reserved"` // it sends no more than these before it has told so
	Done     int `json:"done"`
	Failed   int `json:"failed"`
	HungUp   int `json:"hung_up,omitempty"` // by the client, on purpose
	InFlight int `json:"in_flight"`
	Tokens   int `json:"tokens,omitempty"` // of output, so far
	// Direct: nothing lies between it and NATS that could end its connection in its place.
	Direct bool `json:"direct,omitempty"`

	Journal int64  `json:"journal_bytes"`    // that it has written so far
	SHA256  string `json:"sha256,omitempty"` // of the whole journal, once it has ended
	// Stuck is why NATS does not take the journal, which the agent keeps; empty: it does.
	Stuck string `json:"stuck,omitempty"`
	// Live are histograms of what has ended, by metric, in the form of judge/hist.
	Live map[string]json.RawMessage `json:"live,omitempty"`
}
