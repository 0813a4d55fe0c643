package lead

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
)

// fleetName is the file that says which run a folder is for.
const fleetName = journal.FleetName

// stateName is the file of what NATS keeps of the run, as long as that is not over: NATS may lose it.
const stateName = "fleet.state"

// agentsName is the folder of the agents' journals.
const agentsName = kept.AgentsName

// folder is where the run is kept.
type folder struct {
	path string
	done func() // ends the mark of a run in progress
	ours bool   // made by this leader, and nothing was sent yet

	alone  bool       // knows of the run, and NATS does not
	before *fleetFile // of a run that was merged before it was whole; nil: it was not
}

// fleetFile is what a later leader reads.
type fleetFile struct {
	Run    string `json:"run"`
	Merged bool   `json:"merged,omitempty"` // there is one journal of all
	// Missing is why that is not whole, by agent, and Ended what was known of all agents then.
	Missing map[string]string `json:"missing,omitempty"`
	Ended   map[string]*ended `json:"ended,omitempty"`
}

// over says that there is nothing more to get.
func (f *fleetFile) over() bool { return f.Merged && len(f.Missing) == 0 }

// makeFolder makes the run's folder, or takes the one that is there.
func (l *leader) makeFolder(named string) error {
	path, err := bench.NewFolder(named, &l.host.Host)
	if err != nil {
		return err
	}
	l.folder.path = path
	if _, err := os.Stat(filepath.Join(path, journal.FileName)); err == nil {
		if f := readFleet(path); f.Run != "" && !f.over() {
			return fmt.Errorf("%s holds the run %s, which is not whole: give another --run-dir, or get the rest of it with %s", path, f.Run, attachCommand(f.Run, l.place, path))
		}
		return fmt.Errorf("%s holds a run already: give another --run-dir", path)
	}
	l.folder.done = journal.InProgress(path)
	l.folder.ours = true
	l.kept.Folder = path
	if err := l.writeFleet(false, nil); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, journal.SpecName), l.plan.Spec.Encode(), 0o600)
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
		_ = os.Remove(filepath.Join(f.path, stateName))
		_ = os.Remove(filepath.Join(f.path, journal.SpecName))
		_ = os.Remove(f.path) // stays if it holds anything of the user's
	}
}

// keep writes down what NATS keeps as well, for the user alone. Where it can't, NATS has it.
func (f *folder) keep(state []byte) {
	if f.path == "" {
		return
	}
	path := filepath.Join(f.path, stateName)
	if own, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = own.Close()                        // it is empty, or there
		_ = atomicfile.WriteBytes(path, state) // with the permissions that it has
	}
}

// keptIn is what a folder keeps of its run, if that is not over.
func keptIn(path, run string) []byte {
	f := readFleet(path)
	if f.Run != run || f.over() {
		return nil
	}
	name := filepath.Join(path, stateName)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > mostState {
		return nil
	}
	b, _ := os.ReadFile(name) // one that can't be read is none
	return b
}

// takeFolder takes the folder of the leader before, where it is on this machine, or the one
// that is named.
func (l *leader) takeFolder(named string) error {
	path := named
	if path == "" && readFleet(l.kept.Folder).Run == l.kept.Run {
		path = l.kept.Folder
	}
	path, err := bench.NewFolder(path, &l.host.Host)
	if err != nil {
		return err
	}
	l.folder.path, l.kept.Folder = path, path
	switch f := readFleet(path); {
	case f.Run == l.kept.Run && f.over():
		return fmt.Errorf("the run %s is over: inferometer report %s shows it", l.kept.Run, path)
	case f.Run == l.kept.Run && f.Merged: // the rest is got, and until then what there is stays
		l.folder.before = &f
		l.folder.done = journal.InProgress(path)
		return nil
	case f.Run == l.kept.Run:
		_ = os.Remove(filepath.Join(path, journal.FileName)) // that leader died while it wrote it
	default:
		if _, err := os.Stat(filepath.Join(path, journal.FileName)); err == nil {
			return fmt.Errorf("%s holds another run already: give another --run-dir", path)
		}
	}
	l.folder.done = journal.InProgress(path)
	return l.writeFleet(false, nil)
}

// writeFleet says which run the folder is for, and whether it has its journal.
func (l *leader) writeFleet(merged bool, missing map[string]string) error {
	f := fleetFile{Run: l.kept.Run, Merged: merged, Missing: missing}
	if len(missing) > 0 {
		f.Ended = l.lastWords()
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(l.folder.path, fleetName), append(b, '\n'))
}

// readFleet is what a folder says of its run; empty: nothing.
func readFleet(folder string) (f fleetFile) {
	const most = 64 << 20 // some kB an agent
	path := filepath.Join(folder, fleetName)
	info, err := os.Stat(path)
	if folder == "" || err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return fleetFile{}
	}
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &f) != nil || message.CheckID(f.Run) != nil {
		return fleetFile{}
	}
	return f
}

// unfinished is the run that a folder was made for and has no journal of; empty: none.
func unfinished(folder string) string {
	if f := readFleet(folder); !f.Merged {
		return f.Run
	}
	return ""
}
