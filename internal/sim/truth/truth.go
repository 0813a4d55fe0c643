// Package truth reads what a simulator wrote down of the requests that it served, by the names
// that docs/reference/truth.md gives. It shares no code with the simulator, nor with the client: what
// joins truth and measurement must not repeat an error of either side of the wire.
package truth

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Request is one line. Times are nanoseconds since 1970.
type Request struct {
	ID       string   `json:"id"`
	Path     string   `json:"path"`
	Status   int      `json:"status"`
	Fault    string   `json:"fault"`
	Finish   string   `json:"finish"`
	Arrived  int64    `json:"arrived"`  // the server's kernel had the request; 0: not known
	Received int64    `json:"received"` // the request's body had been read
	Ended    int64    `json:"ended"`
	Session  string   `json:"session"`
	Prompt   int      `json:"prompt_tokens"`
	Cached   int      `json:"cached_tokens"` // of the prompt
	Tokens   int      `json:"completion_tokens"`
	Events   []int64  `json:"events"` // just before each was handed to the kernel
	Kinds    []string `json:"kind"`
	// SlowWrites are writes that took long, as an event's index and nanoseconds: its kernel had the event within them.
	SlowWrites [][2]int64 `json:"slow_writes"`
}

// Handed are the times by which each event had been handed to the kernel: Events are those since which.
func (r *Request) Handed() []int64 {
	out := slices.Clone(r.Events)
	for _, w := range r.SlowWrites {
		if w[0] >= 0 && w[0] < int64(len(out)) {
			out[w[0]] += w[1]
		}
	}
	return out
}

// Begun is when the server had the request: by its kernel, or else when it had read it.
func (r *Request) Begun() int64 {
	if r.Arrived > 0 {
		return r.Arrived
	}
	return r.Received
}

// ErrCut: the last line is not whole. The simulator was killed; what Read gives is all lines before it.
var ErrCut = errors.New("it ends within a line")

// longestLine is a request of a million tokens.
const longestLine = 64 << 20

// Read reads the log of a simulator, in the order in which requests ended.
func Read(path string) ([]Request, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the truth: %w", err)
	}
	defer f.Close()
	var all []Request
	var broken error // of the line before
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		if broken != nil {
			return nil, fmt.Errorf("read the truth %s: %w", path, broken)
		}
		var r Request
		if broken = json.Unmarshal(lines.Bytes(), &r); broken == nil {
			all = append(all, r)
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, fmt.Errorf("read the truth %s: %w", path, err)
	case broken != nil:
		return all, fmt.Errorf("read the truth %s: %w", path, ErrCut)
	}
	return all, nil
}
