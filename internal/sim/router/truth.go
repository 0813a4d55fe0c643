package router

import (
	"encoding/json"
	"io"
	"sync"
)

// Outcomes of a client's request.
const (
	Answered = "answered" // with a replica's answer, whole; a status that is none of success too
	Refused  = "refused"  // with an error of the router's own
	Broken   = "broken"   // the replica broke off after the answer had begun
	Left     = "left"     // the client hung up
)

// Record is one line of the router's truth: where a client's request went. Times are nanoseconds since 1970.
type Record struct {
	ID       string `json:"id"`                // the client's x-request-id, or router-N
	Path     string `json:"path"`              // the URL's path
	Session  string `json:"session,omitempty"` // as a header names it
	Received int64  `json:"received"`          // the body had been read
	Ended    int64  `json:"ended"`             // the last was sent
	Status   int    `json:"status"`            // sent to the client; 0: none
	Outcome  string `json:"outcome"`           // answered, refused, broken or left
	Replica  string `json:"replica,omitempty"` // whose answer it got; empty: nobody's

	PromptTokens int   `json:"prompt_tokens,omitempty"`   // where the policy asks for them
	Believed     int   `json:"believed_tokens,omitempty"` // that the router believed to be cached where it sent it
	Tries        []Try `json:"tries"`                     // what was sent to replicas
}

// Try is a request that was sent to a replica.
type Try struct {
	Replica string `json:"replica"`
	Role    string `json:"role,omitempty"`
	Queued  int64  `json:"queued"`          // nanoseconds that it waited in the router
	Began   int64  `json:"began"`           // it was sent
	Headers int64  `json:"headers"`         // the answer's headers came; 0: they did not
	Ended   int64  `json:"ended"`           // the answer had been read, or broke off
	Status  int    `json:"status"`          // of the replica; 0: none
	Error   string `json:"error,omitempty"` // what went wrong on the way
}

// truthLog writes records as lines, each when its request has ended.
type truthLog struct {
	mu  sync.Mutex
	w   io.Writer // nil: none is kept
	err error
}

func (t *truthLog) add(r *Record) {
	if t.w == nil {
		return
	}
	line, err := json.Marshal(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		_, err = t.w.Write(append(line, '\n'))
	}
	if err != nil {
		t.err = err
	}
}
