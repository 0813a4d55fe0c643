package selftest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// truth is what the simulator wrote down of one request. Times are nanoseconds
// since 1970. It is read from its file, by the names that docs/sim.md gives: what
// joins truth and measurement must share no code with either side of the wire.
type truth struct {
	ID       string  `json:"id"`
	Arrived  int64   `json:"arrived"`  // the server's kernel had the request; 0: not known
	Received int64   `json:"received"` // the request's body had been read
	Events   []int64 `json:"events"`   // just before each was handed to the kernel
}

// readTruth reads a truth file, by request id.
func readTruth(path string) (map[string]truth, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the truth: %w", err)
	}
	defer f.Close()
	known := map[string]truth{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20) // a request of a million tokens
	for lines.Scan() {
		var t truth
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("read the truth %s: %w", path, err)
		}
		known[t.ID] = t
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the truth %s: %w", path, err)
	}
	return known, nil
}

// begun is when the server had the request: by its kernel, or else when it had read it.
func (t *truth) begun() int64 {
	if t.Arrived > 0 {
		return t.Arrived
	}
	return t.Received
}

// TrueEvents are the times of events by the truth, in nanoseconds since 1970, by request id.
func TrueEvents(path string) (map[string][]int64, error) {
	known, err := readTruth(path)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]int64, len(known))
	for id, t := range known {
		out[id] = t.Events
	}
	return out, nil
}
