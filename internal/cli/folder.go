package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// makeFolder makes the run's folder and its journal.
func (r *serveRun) makeFolder() error {
	if err := r.tryResultDir(); err != nil {
		return err
	}
	var err error
	if r.folder, err = newRunFolder(r.serveOptions, r.err); err != nil {
		return err
	}
	r.inProgress = journal.InProgress(r.folder)
	r.journal, err = journal.Config{Private: r.JournalTexts || r.SaveDetailed, Trouble: r.journalTrouble}.
		Create(filepath.Join(r.folder, journal.FileName))
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s holds a run already: give another --run-dir", r.folder)
	}
	return err
}

// leaveFolder ends the mark of a run in progress: from now on it may be pruned.
func (r *serveRun) leaveFolder() {
	if r.inProgress != nil {
		r.inProgress()
	}
}

// journalTrouble tells at once that the journal can't be written: a user may make room
// while the run goes on. It is no note that --quiet could hide.
func (r *serveRun) journalTrouble(err error) {
	if err == nil {
		fmt.Fprintln(r.err, "\nthe journal can be written again; nothing is lost")
		return
	}
	fmt.Fprintf(r.err, "\nwarning: the journal can't be written (%v). The run goes on in memory and shows its table at the end; make room in %s to keep its journal\n",
		err, r.folder)
}

// newRunFolder makes the folder of a command's run or runs: --run-dir, or a new one in
// the state folder. Where that can't be, such as without a home, a temporary one will do.
func newRunFolder(o *serveOptions, notes io.Writer) (string, error) {
	if o.RunDir != "" {
		path, err := filepath.Abs(o.RunDir)
		if err != nil {
			return "", err
		}
		if err := journal.MakeFolder(path); err != nil {
			return "", fmt.Errorf("create --run-dir: %w", err)
		}
		return path, nil
	}
	folder, why := "", error(nil)
	if root, err := runsRoot(); err != nil {
		why = err
	} else if folder, why = journal.NewFolder(root, time.Now()); why == nil {
		return filepath.Abs(folder)
	}
	folder, err := os.MkdirTemp("", "inferometer-run-")
	if err != nil {
		return "", errors.Join(why, fmt.Errorf("nor can a temporary folder be made: %w; give one with --run-dir", err))
	}
	fmt.Fprintf(notes, "note: the run is kept in %s: %v; --run-dir or XDG_STATE_HOME names another folder\n", folder, why)
	return folder, nil
}

// runsRoot is where runs are kept.
func runsRoot() (string, error) {
	state, err := stateRoot()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(state, "inferometer", "runs"), nil
}

// stateRoot is the user's state folder.
func stateRoot() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); state != "" {
		return state, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state"), nil
}

// pruneRuns removes old runs beside a new one; that it can't is no reason to spoil a
// result. Nothing is removed where the new one lies elsewhere than in the state folder.
func pruneRuns(o *serveOptions, folder string, notes io.Writer) {
	if o.RunDir != "" || o.KeepRuns == 0 {
		return
	}
	root, err := runsRoot()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil || root != filepath.Dir(folder) {
		return
	}
	if err := journal.Prune(root, o.KeepRuns); err != nil && !o.Quiet {
		fmt.Fprintf(notes, "note: %v\n", err)
	}
}
