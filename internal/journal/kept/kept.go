// Package kept knows the folders that inferometer writes: of one run, and of commands that make several. It
// says which runs lie in one, so that each is counted and shown once, and nothing beside them is taken for one.
package kept

import (
	"io/fs"
	"path"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// Kind is whose folder one is.
type Kind string

// The kinds, and what marks each.
const (
	None      Kind = ""           // none of ours
	Run       Kind = "run"        // a journal
	Fleet     Kind = "fleet"      // a run of several clients whose journal is not there yet: fleet.json
	Scenario  Kind = "scenario"   // scenario.yaml and points/
	Point     Kind = "point"      // point.json: run/, and eval/ with the questions after it
	Search    Kind = "search"     // of find: probes.jsonl
	Duel      Kind = "ab"         // ab.json, or its first round
	UnderLoad Kind = "under-load" // of eval --under-load: alone/ and loaded/
	Settings  Kind = "settings"   // of a sweep, one combination: run=0.json
	Sweep     Kind = "sweep"      // summary.csv beside combinations
)

// The files and folders of commands that make several runs. A run's own are in package journal.
const (
	ScenarioName = "scenario.yaml"
	PointsName   = "points"
	PointName    = "point.json"
	TableName    = "table.md"
	ProbesName   = "probes.jsonl"
	DuelName     = "ab.json"
	LoadedName   = "under-load.json"
	AgentsName   = "agents" // journals of a fleet's agents, in the folder of the whole
)

// Look says what a folder is. Names are those of fs.FS, with slashes.
func Look(files fs.FS, folder string) Kind {
	file := func(name string) bool {
		info, err := fs.Stat(files, path.Join(folder, name))
		return err == nil && info.Mode().IsRegular()
	}
	dir := func(name string) bool {
		info, err := fs.Stat(files, path.Join(folder, name))
		return err == nil && info.IsDir()
	}
	switch {
	case file(journal.FileName):
		return Run
	case file(journal.FleetName) && file(journal.SpecName):
		return Fleet
	case file(ScenarioName) && dir(PointsName):
		return Scenario
	case file(PointName):
		return Point
	case file(ProbesName) && dir("probes"):
		return Search
	case file(DuelName) || dir("round-01-a") && dir("round-01-b"):
		return Duel
	case file(LoadedName) || dir("alone") && dir("loaded") && Look(files, path.Join(folder, "alone")) == Run:
		return UnderLoad
	case file("run=0.json"):
		return Settings
	case file("summary.csv") && hasSettings(files, folder):
		return Sweep
	}
	return None
}

func hasSettings(files fs.FS, folder string) bool {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && strings.Contains(e.Name(), "--") && Look(files, path.Join(folder, e.Name())) == Settings {
			return true
		}
	}
	return false
}

// IsSettingsResult says whether a file of a sweep's combination is the result of one of its runs: the others repeat it.
func IsSettingsResult(name string) bool {
	ok, err := path.Match("run=[0-9]*.json", path.Base(name))
	return err == nil && ok && !strings.HasSuffix(name, ".pid.json")
}

// IsPart says whether a folder holds a part of the run in the folder around it, and is no run of its own.
func IsPart(files fs.FS, name string) bool {
	around, base := path.Dir(name), path.Base(name)
	has := func(file string) bool { _, err := fs.Stat(files, path.Join(around, file)); return err == nil }
	return journal.IsPart(base) && has(journal.SpecName) || base == AgentsName && has(journal.FleetName)
}
