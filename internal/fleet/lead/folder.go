package lead

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// fleetName is the file that says which run a folder is for.
const fleetName = "fleet.json"

// agentsName is the folder of the agents' journals.
const agentsName = "agents"

// folder is where the run is kept.
type folder struct {
	path string
	done func() // ends the mark of a run in progress
	ours bool   // made by this leader, and nothing was sent yet
}

// fleetFile is what a later leader reads.
type fleetFile struct {
	Run  string `json:"run"`
	NATS string `json:"nats"`
}

// makeFolder makes the run's folder, or takes the one that is there.
func (l *leader) makeFolder(named string) error {
	path, err := bench.NewFolder(named, l.host)
	if err != nil {
		return err
	}
	l.folder.path = path
	if _, err := os.Stat(filepath.Join(path, journal.FileName)); err == nil {
		return fmt.Errorf("%s holds a run already: give another --run-dir", path)
	}
	l.folder.done = journal.InProgress(path)
	l.folder.ours = true
	l.kept.Folder = path
	b, err := json.Marshal(fleetFile{l.kept.Run, l.plan.Spec.NATS})
	if err == nil {
		err = os.WriteFile(filepath.Join(path, fleetName), append(b, '\n'), 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(path, journal.SpecName), l.plan.Spec.Encode(), 0o600)
	}
	return err
}

// of is the folder of an agent's journal.
func (f *folder) of(a *agent) string { return filepath.Join(f.path, agentsName, a.ID) }

// remove takes away what was made for a run that did not begin.
func (f *folder) remove() {
	if f.done != nil {
		f.done()
		f.done = nil
	}
	if f.ours {
		_ = os.Remove(filepath.Join(f.path, fleetName))
		_ = os.Remove(filepath.Join(f.path, journal.SpecName))
		_ = os.Remove(f.path) // stays if it holds anything of the user's
	}
}

// unfinished is the run that a folder was made for and has no journal of; empty: none.
func unfinished(path string) (run string) {
	if path == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(path, journal.FileName)); err == nil {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(path, fleetName))
	var f fleetFile
	if err != nil || json.Unmarshal(b, &f) != nil || message.CheckID(f.Run) != nil {
		return ""
	}
	return f.Run
}
