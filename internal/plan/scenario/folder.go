package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/plan/run"
)

// Folder is where a scenario's results lie:
//
//	scenario.yaml   the file, with what it extends
//	points/ID/      point.json, bench.log, and run/ with Spec, journal and result;
//	                eval.log and eval/ with those of the questions that followed
//	servers/NAME/   the log of each start of each server
//	table.md, summary.json, summary.csv
type Folder struct{ Path string }

// Record is what point.json says of a point that was run.
type Record struct {
	ID          string              `json:"id"`
	Values      map[string]string   `json:"values"`
	Repeat      int                 `json:"repeat"`
	State       run.State           `json:"state"`
	Error       string              `json:"error,omitempty"`
	Fingerprint string              `json:"fingerprint"`
	Args        []string            `json:"args"`
	Started     time.Time           `json:"started"`
	Seconds     float64             `json:"seconds"` // with its start and end
	Version     string              `json:"server_version,omitempty"`
	Files       []string            `json:"files,omitempty"`       // that it depends on, each with its size and date
	Self        string              `json:"server_says,omitempty"` // what it says of itself: see target.Self
	Earlier     bool                `json:"-"`                     // an earlier run measured it
	Startup     []run.Startup       `json:"startup,omitempty"`     // of the servers that were started for it
	SpecDecode  *serverlog.Accepted `json:"spec_decode,omitempty"`
	Routing     *routing.Facts      `json:"routing,omitempty"`    // where routers are compared
	SpeedDone   bool                `json:"speed_done,omitempty"` // of a point with questions: what comes before them is whole
}

// done says that the point has a whole result.
func (r *Record) done() bool { return r != nil && r.State == run.Done }

const (
	pointFile  = kept.PointName
	benchLog   = "bench.log"
	evalLog    = "eval.log"
	sourceFile = kept.ScenarioName
	lockFile   = ".lock"
)

// Pictures is the page of all points, beside the table.
const Pictures = "report.html"

func (f Folder) point(id string) string { return filepath.Join(f.Path, kept.PointsName, id) }

// Run is where a point's journal and result lie.
func (f Folder) Run(id string) string { return filepath.Join(f.point(id), "run") }

// Eval is where the journal and the result of the questions after a speed run lie.
func (f Folder) Eval(id string) string { return filepath.Join(f.point(id), "eval") }

func (f Folder) evalResult(id string) string { return filepath.Join(f.Eval(id), journal.ResultName) }

func (f Folder) result(id string) string   { return filepath.Join(f.Run(id), journal.ResultName) }
func (f Folder) server(id string) string   { return filepath.Join(f.Path, "servers", id) }
func (f Folder) Table() string             { return filepath.Join(f.Path, kept.TableName) }
func (f Folder) file(name string) string   { return filepath.Join(f.Path, name) }
func (f Folder) benchPID(id string) string { return filepath.Join(f.point(id), "pid.json") }

// pidFiles are the notes of the processes under way, from the folder.
func pidFiles() []string { return []string{"servers/*/*pid.json", "points/*/pid.json"} }

// record reads what is known of a point; nil if it was not run, or not as it is now.
func (f Folder) record(p *Point) *Record {
	r := f.kept(p)
	if r == nil || r.Fingerprint != p.Fingerprint {
		return nil
	}
	if _, err := os.Stat(f.result(p.ID)); r.State == run.Done && err != nil {
		return nil
	}
	if _, err := os.Stat(f.evalResult(p.ID)); r.State == run.Done && len(p.Eval) > 0 && err != nil {
		return nil
	}
	return r
}

// kept reads what is known of a point, as it is now or as it was; nil: nothing.
func (f Folder) kept(p *Point) *Record {
	b, err := os.ReadFile(filepath.Join(f.point(p.ID), pointFile))
	var r Record
	if err != nil || json.Unmarshal(b, &r) != nil {
		return nil
	}
	return &r
}

// write keeps the record of a point, atomically.
func (f Folder) write(r *Record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(f.point(r.ID), pointFile), append(b, '\n'))
}

// removePoint removes what an earlier try of a point left.
func (f Folder) removePoint(id string) error {
	if err := os.RemoveAll(f.point(id)); err != nil {
		return fmt.Errorf("clear the point's folder: %w", err)
	}
	return os.MkdirAll(f.point(id), 0o755)
}

// Fresh forgets the results of earlier runs. Only what a scenario writes is removed.
func (f Folder) Fresh() error {
	if _, err := os.Stat(f.file(sourceFile)); errors.Is(err, fs.ErrNotExist) {
		return nil // not a folder of ours, or an empty one
	}
	var errs []error
	for _, name := range []string{kept.PointsName, "servers", sourceFile, kept.TableName, Pictures, "summary.json", "summary.csv"} {
		errs = append(errs, os.RemoveAll(f.file(name)))
	}
	return errors.Join(errs...)
}

// Results are the files that say what was measured, by their names in the folder with
// slashes: no logs and no notes of processes. A file that is none of ours is not among
// them.
func (f Folder) Results() (names []string, err error) {
	if _, err := os.Stat(f.file(sourceFile)); err != nil {
		return nil, err
	}
	root := os.DirFS(f.Path)
	known := []string{journal.FileName, journal.MetricsName, journal.ResultName, journal.SpecName, pointFile}
	err = fs.WalkDir(root, kept.PointsName, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && slices.Contains(known, d.Name()) {
			names = append(names, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range []string{sourceFile, Pictures, kept.TableName, "summary.csv", "summary.json"} {
		if info, err := fs.Stat(root, name); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	return names, nil
}
