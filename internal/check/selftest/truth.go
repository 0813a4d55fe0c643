package selftest

import "github.com/inferometer/inferometer/internal/sim/truth"

// readTruth reads a simulator's log, by request id.
func readTruth(path string) (map[string]truth.Request, error) {
	all, err := truth.Read(path)
	if err != nil {
		return nil, err
	}
	known := make(map[string]truth.Request, len(all))
	for _, r := range all {
		known[r.ID] = r
	}
	return known, nil
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
