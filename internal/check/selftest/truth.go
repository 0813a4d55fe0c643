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
