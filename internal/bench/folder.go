package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
)

// makeFolder makes the run's folder and its journal.
func (r *Run) makeFolder() error {
	if err := r.TryResultDir(); err != nil {
		return err
	}
	var err error
	if r.earlier != nil {
		err = r.moveAway()
	} else if r.folder, err = NewFolder(r.RunDir, r.host); err == nil {
		r.inProgress = journal.InProgress(r.folder)
	}
	if err != nil {
		return err
	}
	r.journal, err = journal.Config{Private: r.JournalTexts || r.SaveDetailed || r.Asks(), Eager: r.Asks(), Trouble: r.journalTrouble}.
		Create(filepath.Join(r.folder, journal.FileName))
	if errors.Is(err, os.ErrExist) {
		return r.holdsRun()
	}
	if err != nil && r.earlier != nil {
		err = errors.Join(err, r.putBack())
	}
	if err != nil {
		return err
	}
	if r.earlier != nil {
		return nil // the Spec is there: what the first part was asked to do
	}
	_ = os.WriteFile(filepath.Join(r.folder, journal.SpecName), r.written(), 0o600) // a full disk is told of by the journal
	return nil
}

// journalTrouble tells at once that the journal can't be written: a user may make room
// while the run goes on.
func (r *Run) journalTrouble(err error) {
	if err == nil {
		r.host.warn("\nthe journal can be written again; nothing is lost")
		return
	}
	r.host.warn("\nwarning: the journal can't be written (%v). The run goes on in memory and shows its table at the end; make room in %s to keep its journal",
		err, r.folder)
}

// NewFolder makes the folder of a command's run or runs: the named one, or a new one in
// the state folder. Where that can't be, such as without a home, a temporary one will do.
func NewFolder(named string, h *Host) (string, error) {
	if named != "" {
		path, err := filepath.Abs(named)
		if err != nil {
			return "", err
		}
		if err := journal.MakeFolder(path); err != nil {
			return "", fmt.Errorf("create --run-dir: %w", err)
		}
		return path, nil
	}
	folder, why := "", error(nil)
	if root, err := h.runsRoot(); err != nil {
		why = err
	} else if folder, why = journal.NewFolder(root, time.Now()); why == nil {
		return filepath.Abs(folder)
	}
	folder, err := os.MkdirTemp("", "inferometer-run-")
	if err != nil {
		return "", errors.Join(why, fmt.Errorf("nor can a temporary folder be made: %w; give one with --run-dir", err))
	}
	h.warn("note: the run is kept in %s: %v; --run-dir or XDG_STATE_HOME names another folder", folder, why)
	return folder, nil
}

// runsRoot is where runs are kept.
func (h *Host) runsRoot() (string, error) {
	state, err := h.State()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(state, "inferometer", "runs"), nil
}

// Prune removes old runs beside a new one; that it can't is no reason to spoil a
// result. Nothing is removed where the new one lies elsewhere than in the state folder.
func (h *Host) Prune(s *spec.Spec, folder string) {
	if s.RunDir != "" || s.KeepRuns == 0 {
		return
	}
	root, err := h.runsRoot()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil || root != filepath.Dir(folder) {
		return
	}
	if err := journal.Prune(root, s.KeepRuns); err != nil {
		h.say("note: %v", err)
	}
}
