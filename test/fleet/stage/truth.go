//go:build linux

package stage

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/truth"
)

// Truth is what simulators saw of one run: all requests by their index.
type Truth map[int][]truth.Request

// ReadTruth reads the logs of simulators that have ended. Only ids of the prefix and a
// number are a run's measured requests; warm-ups and others are left out.
func ReadTruth(prefix string, paths ...string) (Truth, error) {
	all := Truth{}
	for _, path := range paths {
		requests, err := truth.Read(path)
		if err != nil {
			return nil, err
		}
		for _, r := range requests {
			number, ok := strings.CutPrefix(r.ID, prefix)
			if i, err := strconv.Atoi(number); ok && err == nil {
				all[i] = append(all[i], r)
			}
		}
	}
	return all, nil
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
