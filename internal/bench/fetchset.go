package bench

import (
	"context"

	"github.com/inferometer/inferometer/internal/hub"
)

// fetchSet gives files of a dataset by its name: from the hub's cache, else from the hub itself.
func (r *Run) fetchSet(ctx context.Context) func(name string, patterns []string) (string, error) {
	return func(name string, patterns []string) (string, error) {
		got, err := r.host.Hub().Snapshot(ctx, hub.Dataset, name, "", patterns)
		if err != nil {
			return "", err
		}
		if got.Stale != nil {
			r.say("note: the dataset %s is used as the cache has it, maybe not whole: %v", name, got.Stale)
		}
		if got.Fetched > 0 {
			r.say("fetched the dataset %s from the hub: %d files, %d bytes, commit %s", name, got.Fetched, got.Bytes, got.Commit)
		}
		return got.Dir, nil
	}
}
