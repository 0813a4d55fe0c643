package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/spec"
)

// NewFolder makes the folder of a command's run or runs: the named one, or a new one in
// the state folder. Where that can't be, such as without a home, a temporary one will do.
func NewFolder(named string, h *prepare.Host) (string, error) {
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
	if root, err := journal.RunsFolder(h.Variable); err != nil {
		why = err
	} else if folder, why = journal.NewFolder(root, time.Now()); why == nil {
		return filepath.Abs(folder)
	}
	folder, err := os.MkdirTemp("", "inferometer-run-")
	if err != nil {
		return "", errors.Join(why, fmt.Errorf("nor can a temporary folder be made: %w; give one with --run-dir", err))
	}
	h.Alert("note: the run is kept in %s: %v; --run-dir or XDG_STATE_HOME names another folder", folder, why)
	return folder, nil
}

// Prune removes old runs beside a new one; that it can't is no reason to spoil a
// result. Nothing is removed where the new one lies elsewhere than in the state folder.
func Prune(h *prepare.Host, s *spec.Spec, folder string) {
	if s.RunDir != "" || s.KeepRuns == 0 {
		return
	}
	root, err := journal.RunsFolder(h.Variable)
	if err != nil || root != filepath.Dir(folder) {
		return
	}
	if err := journal.Prune(root, s.KeepRuns); err != nil {
		h.Note("note: %v", err)
	}
}
