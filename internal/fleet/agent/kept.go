package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// A run that is over here, of this process or of an earlier one, is kept until a leader says
// that it holds the same journal. Until then it is told of, and given, to whoever leads the
// run: NATS may have been full, or have lost what it had.

// keptPath is the folder of a run; both are ids, which are safe in paths.
func (a *Agent) keptPath(run, agent string) string { return filepath.Join(a.runs(), run+"."+agent) }

// piece is the journal from a byte on.
func (a *Agent) piece(agent string, ask *message.Ask) ([]byte, error) {
	path := a.keptPath(ask.Run, agent)
	f, err := os.Open(filepath.Join(path, journal.FileName))
	if err != nil {
		return nil, noneKept(ask.Run, err)
	}
	defer f.Close()
	b := make([]byte, message.MostPiece)
	n, err := f.ReadAt(b, ask.From)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return b[:n], nil
}

func noneKept(run string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the agent keeps nothing of the run %s", run)
	}
	return err
}

// ofKept does what can be asked of a run that is over here.
func (a *Agent) ofKept(agent string, ask *message.Ask) (*message.Status, error) {
	path := a.keptPath(ask.Run, agent)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the agent does not take part in the run %s", ask.Run)
	}
	if ask.Kind == message.Forget {
		return nil, a.remove(path, ask.SHA256)
	}
	s, err := lastOf(path, ask.Run, agent)
	if err == nil && ask.Kind != message.State {
		err = fmt.Errorf("the run is over here: it has %s", s.Phase)
	}
	return s, err
}

// lastOf is the last status of a run that is over. Its process may have died in the middle.
func lastOf(path, run, agent string) (*message.Status, error) {
	s := message.Status{}
	f, err := os.Open(filepath.Join(path, statusFile))
	if err == nil {
		defer f.Close()
		if !readRecord(f, &s) || s.Run != run || s.Agent != agent { // it died before it told anything
			s = message.Status{}
		}
	}
	s.Run, s.Agent = run, agent
	if s.Phase != message.Ended && s.Phase != message.Failed {
		s.Phase, s.Error, s.InFlight = message.Failed, died, 0
	}
	name := filepath.Join(path, journal.FileName)
	sum, err := journal.Digest(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	s.SHA256, s.Journal = sum, 0
	if info, err := os.Stat(name); err == nil {
		s.Journal = info.Size()
	}
	return &s, nil
}

// remove takes a run's folder away, if the leader holds its journal: held is the digest of
// what it holds. A run that has none has nothing to lose.
func (a *Agent) remove(path, held string) error {
	sum, err := journal.Digest(filepath.Join(path, journal.FileName))
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read the journal: %w", err)
	case sum != held:
		return errors.New("the leader does not hold the journal that this agent has: it is kept")
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.folders = slices.DeleteFunc(a.folders, func(f *folder) bool {
		if f.path == path {
			f.Close()
		}
		return f.path == path
	})
	return nil
}

// standIn answers for an agent that is no more, whose folders this process has.
func (a *Agent) standIn(agent string, ask *message.Ask) *message.Answer {
	answer := &message.Answer{}
	var err error
	switch ask.Kind {
	case message.Clock: // it is the same machine's
	case message.Piece:
		answer.Piece, err = a.piece(agent, ask)
	default:
		answer.Status, err = a.ofKept(agent, ask)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}

// closeFolders lets the next process have them.
func (a *Agent) closeFolders() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.folders {
		f.Close()
	}
	a.folders = nil
}
