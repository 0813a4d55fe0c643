package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The files of a run's folder.
const (
	FileName   = "journal.jsonl.zst"
	ResultName = "result.json"
)

// NewFolder makes a folder for a run under root and returns its path. Its name
// sorts by time; a number is added when two runs start in the same second.
func NewFolder(root string, now time.Time) (string, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("create the folder of runs: %w", err)
	}
	stamp := now.UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		path := filepath.Join(root, fmt.Sprintf("%s-%d", stamp, n))
		err := os.Mkdir(path, 0o755)
		if err == nil {
			return path, nil
		}
		if !os.IsExist(err) {
			return "", fmt.Errorf("create the run's folder: %w", err)
		}
	}
}

// Prune removes the oldest runs under root until keep are left. Only folders that
// hold a journal and nothing that we did not write are touched.
func Prune(root string, keep int) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("list the runs: %w", err)
	}
	var runs []string
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if e.IsDir() && isRun(path) {
			runs = append(runs, path)
		}
	}
	slices.Sort(runs) // names begin with the time
	for len(runs) > keep {
		if err := os.RemoveAll(runs[0]); err != nil {
			return fmt.Errorf("remove an old run: %w", err)
		}
		runs = runs[1:]
	}
	return nil
}

func isRun(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	found := false
	for _, e := range entries {
		switch {
		case e.Name() == FileName:
			found = true
		case strings.HasPrefix(e.Name(), ResultName):
		case e.IsDir() && isRun(filepath.Join(path, e.Name())): // a command of several runs
			found = true
		default:
			return false
		}
	}
	return found
}
