package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/lock"
)

// The files of a run's folder.
const (
	FileName   = "journal.jsonl.zst"
	ResultName = "result.json"
	SpecName   = "spec.json"  // what the run was asked to do
	FleetName  = "fleet.json" // of a run of several clients: where it was coordinated

	MetricsName = "metrics.jsonl.zst" // the servers' metrics as they came
)

// PartName is the folder, in that of a run which went on after a kill, that keeps the journal
// of its n-th part.
func PartName(n int) string { return partPrefix + strconv.Itoa(n) }

const partPrefix = "earlier-"

// IsPart says whether a folder has a name of PartName.
func IsPart(name string) bool {
	number, ok := strings.CutPrefix(name, partPrefix)
	n, err := strconv.Atoi(number)
	return ok && err == nil && PartName(n) == name
}

// NewFolder makes a folder for a run under root and returns its path. Its name
// sorts by time; a number is added when two runs start in the same second. A run
// may hold prompts and answers: its folder is the user's alone.
func NewFolder(root string, now time.Time) (string, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", fmt.Errorf("create the folder of runs: %w", err)
	}
	stamp := now.UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		path := filepath.Join(root, fmt.Sprintf("%s-%d", stamp, n))
		err := os.Mkdir(path, 0o700)
		if err == nil {
			return path, nil
		}
		if !os.IsExist(err) {
			return "", fmt.Errorf("create the run's folder: %w", err)
		}
	}
}

// MakeFolder makes a folder for a run at a path of the user's, if it is not there.
func MakeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err := os.Mkdir(path, 0o700)
	if info, e := os.Stat(path); e == nil && info.IsDir() {
		return nil
	}
	return err
}

// InProgress marks a folder as that of a run in progress, which Prune leaves alone,
// until done is called or this process ends. Where the file system has no locks,
// Prune goes by whether there is a result.
func InProgress(folder string) (done func()) {
	unlock, err := lock.Folder(folder)
	if err != nil {
		return func() {}
	}
	return unlock
}

// Prune removes the oldest runs under root until keep are left. Only folders that
// hold a journal and nothing that we did not write are touched, and no run that is
// in progress: one of several at once may be older than those that have ended.
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
	slices.SortFunc(runs, byStart)
	for _, run := range runs[:max(0, len(runs)-keep)] {
		if err := remove(run); err != nil {
			return fmt.Errorf("remove an old run: %w", err)
		}
	}
	return nil
}

// byStart orders runs as NewFolder names them: by time, then by number.
func byStart(a, b string) int {
	timeA, numberA, _ := strings.Cut(filepath.Base(a), "-")
	timeB, numberB, _ := strings.Cut(filepath.Base(b), "-")
	return cmp.Or(cmp.Compare(timeA, timeB), cmp.Compare(len(numberA), len(numberB)), cmp.Compare(numberA, numberB))
}

// remove removes a run that nobody is at work on.
func remove(run string) error {
	unlock, err := lock.Folder(run)
	switch {
	case errors.Is(err, lock.ErrHeld), errors.Is(err, os.ErrNotExist): // in progress; removed by another
		return nil
	case err != nil: // no locks here
		if _, err := os.Stat(filepath.Join(run, ResultName)); err != nil {
			return nil
		}
	default:
		defer unlock()
	}
	return os.RemoveAll(run)
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
		case e.Name() == SpecName, e.Name() == FleetName, e.Name() == MetricsName:
		case strings.HasPrefix(strings.TrimPrefix(e.Name(), "."), ResultName): // and one that was being written
		case e.IsDir() && isRun(filepath.Join(path, e.Name())): // a command of several runs
			found = true
		default:
			return false
		}
	}
	return found
}

// State is the user's state folder, by the variables of the environment. On Windows it is where programs keep what
// is this machine's alone.
func State(variable func(name string) string) (string, error) {
	if state := variable("XDG_STATE_HOME"); state != "" {
		return state, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // LOCALAPPDATA
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// RunsFolder is where runs are kept that nobody gave a folder: a run in it can be named without it.
func RunsFolder(variable func(name string) string) (string, error) {
	state, err := State(variable)
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(state, "inferometer", "runs"))
}

// Digest is the SHA-256 of a file as it lies there.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
