//go:build unix

package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// leftover is what the PID file says: enough to prove later that a living process
// is the one that we started. Numbers of processes are used again; a number and
// the moment of its start are not.
type leftover struct {
	Group        int    `json:"group"`
	GroupStarted string `json:"group_started"`
	PID          int    `json:"pid"`
	PIDStarted   string `json:"pid_started"`
}

// note writes the PID file.
func (p *Process) note() error {
	if p.pidFile == "" {
		return nil
	}
	l := leftover{Group: p.group.id(), PID: p.PID()}
	here := machine.This()
	l.GroupStarted, _ = here.StartTime(l.Group)
	l.PIDStarted, _ = here.StartTime(l.PID) // empty if it has ended already
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.pidFile, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("note what was started: %w", err)
	}
	return nil
}

// EndLeftover ends the server that a PID file names, if it still lives and is
// provably the one that was started then. It reports whether there was one. The
// file is removed; that there is none is no error.
func EndLeftover(pidFile string) (bool, error) {
	b, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a server that was left: %w", err)
	}
	var l leftover
	if !decodeLeftover(b, &l) {
		// Cut off by the kill that left it. Its watcher has ended the server.
		return false, os.Remove(pidFile)
	}
	found := l.lives()
	for end := time.Now().Add(endPatience); found && l.lives(); time.Sleep(10 * time.Millisecond) {
		signalGroup(l.Group, syscall.SIGKILL)
		if time.Now().After(end) {
			return true, fmt.Errorf("the server of an earlier run (process group %d) can't be ended; end it by hand", l.Group)
		}
	}
	return found, os.Remove(pidFile)
}

// decodeLeftover says whether a file names a process group that may be ended at all.
func decodeLeftover(b []byte, l *leftover) bool {
	return json.Unmarshal(b, l) == nil && l.Group > 1
}

// endPatience is how long a killed group may take to be gone.
const endPatience = 10 * time.Second

// lives says whether the watcher or the server is there, as the same process and
// in the same group as then.
func (l leftover) lives() bool {
	here := machine.This()
	same := func(pid int, started string) bool {
		now, err := here.StartTime(pid)
		return err == nil && started != "" && now == started && groupOf(pid) == l.Group
	}
	return same(l.Group, l.GroupStarted) || same(l.PID, l.PIDStarted)
}
