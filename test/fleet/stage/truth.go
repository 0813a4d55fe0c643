//go:build linux

package stage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Seen is what a simulator wrote down of one request; docs/sim.md has the names. Times are
// nanoseconds since 1970.
type Seen struct {
	ID       string   `json:"id"`
	Status   int      `json:"status"`
	Finish   string   `json:"finish"`
	Arrived  int64    `json:"arrived"`
	Received int64    `json:"received"`
	Ended    int64    `json:"ended"`
	Events   []int64  `json:"events"`
	Kinds    []string `json:"kind"`
}

// Begun is when the server had it: by its kernel, or else when it had read it.
func (s *Seen) Begun() int64 {
	if s.Arrived > 0 {
		return s.Arrived
	}
	return s.Received
}

// Truth is what simulators saw of one run: all requests by their index.
type Truth map[int][]Seen

// ReadTruth reads the logs of simulators that have ended. Only ids of the prefix and a
// number are a run's measured requests; warm-ups and others are left out.
func ReadTruth(prefix string, paths ...string) (Truth, error) {
	all := Truth{}
	for _, path := range paths {
		if err := all.read(prefix, path); err != nil {
			return nil, fmt.Errorf("read the truth %s: %w", path, err)
		}
	}
	return all, nil
}

func (t Truth) read(prefix, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var s Seen
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return err
		}
		number, ok := strings.CutPrefix(s.ID, prefix)
		if !ok {
			continue
		}
		if i, err := strconv.Atoi(number); err == nil {
			t[i] = append(t[i], s)
		}
	}
	return lines.Err()
}

// Once says what is wrong with a truth of which each index from 0 must be there once.
func (t Truth) Once(planned int) error {
	for i := range planned {
		if n := len(t[i]); n != 1 {
			return fmt.Errorf("the servers saw request %d %d times", i, n)
		}
	}
	if len(t) != planned {
		return fmt.Errorf("the servers saw %d requests, %d were planned", len(t), planned)
	}
	return nil
}
