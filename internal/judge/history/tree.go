package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/result"
)

const (
	// MostRuns is how many runs of a folder are kept, so that memory stays bounded.
	MostRuns = 10_000
	// mostBytes is the largest result that is read.
	mostBytes = 64 << 20
	// quiet is how long a journal without a result must have been left alone: until
	// then its run is taken to go on.
	quiet = 5 * time.Second
)

// endings are those of files that may hold results of any tool.
var endings = []string{".json", ".jsonl", ".md", ".txt", ".log", ".csv"}

// Tree is a folder of runs, at any depth. It is not safe for concurrent use.
type Tree struct {
	// Patience is how long a Scan may read files that are new or have changed; what is left is read by the next
	// one. 0: all are read, however long it takes.
	Patience time.Duration
	files    fs.FS
	parse    func(name string, data []byte) ([]result.Result, error)
	measure  func(folder string) (result.Result, error)
	known    map[string]entry
	unread   int
}

// entry is what was found in a file when it was read.
type entry struct {
	size     int64
	modified time.Time
	runs     []Run
	problem  string
}

// Problem is a file that looked like a run and could not be read.
type Problem struct{ Path, Text string }

// NewTree looks into files. Parse reads the results in a file's bytes; measure computes that of a run that has only a
// journal, as one that was killed has; nil: such a run is a problem.
func NewTree(files fs.FS, parse func(name string, data []byte) ([]result.Result, error), measure func(folder string) (result.Result, error)) *Tree {
	return &Tree{files: files, parse: parse, measure: measure, known: map[string]entry{}}
}

// measured is the result of a run that has only a journal.
func (t *Tree) measured(folder string) ([]result.Result, error) {
	if t.measure == nil {
		return nil, errors.New("there is no result beside the journal")
	}
	r, err := t.measure(folder)
	return []result.Result{r}, err
}

// read are the results in a file.
func (t *Tree) read(name string, size int64) ([]result.Result, error) {
	if size > mostBytes {
		return nil, fmt.Errorf("%d bytes are too many for a result here: the limit is %d", size, int64(mostBytes))
	}
	f, err := t.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, err
	}
	return t.parse(name, data)
}

// Scan finds all runs. What has not changed since the last time is not read again.
func (t *Tree) Scan(now time.Time) ([]Run, []Problem, error) {
	s := scan{tree: t, now: now, seen: map[string]entry{}}
	err := fs.WalkDir(t.files, ".", s.visit)
	if errors.Is(err, errFull) {
		s.problem(".", fmt.Sprintf("there are more than %d runs: the rest is left out", MostRuns))
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	t.known, t.unread = s.seen, s.unread // what is gone is forgotten
	return distinct(s.runs), s.problems, nil
}

// Unread is how many files the last Scan had no time for.
func (t *Tree) Unread() int { return t.unread }

var errFull = errors.New("too many runs")

type scan struct {
	tree     *Tree
	now      time.Time
	spent    time.Duration // on reading: finding the files is not in it, or a slow disk would leave no time to read any
	unread   int
	seen     map[string]entry
	runs     []Run
	problems []Problem
	ours     string // the outermost folder of ours that the walk is in; empty: in none
}

func (s *scan) problem(name, text string) { s.problems = append(s.problems, Problem{name, text}) }

func (s *scan) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		if name == "." {
			return err
		}
		s.problem(name, err.Error())
		return nil // what can't be opened must not hide the rest
	}
	hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
	switch {
	case d.IsDir() && (hidden || kept.IsPart(s.tree.files, name)):
		return fs.SkipDir
	case d.IsDir():
		s.enter(name)
		return nil
	case hidden || !d.Type().IsRegular():
		return nil
	case path.Base(name) == journal.FileName:
		return s.runFolder(name, d)
	case slices.Contains(endings, strings.ToLower(path.Ext(name))) && s.mayHold(name):
		return s.file(name, d, "", s.tree.read)
	}
	return nil
}

// enter notes whether the walk is in a folder of ours. What lies there beside journals repeats the runs that
// are there: logs, tables, summaries.
func (s *scan) enter(name string) {
	if s.ours != "" && (s.ours == "." || strings.HasPrefix(name, s.ours+"/")) {
		return
	}
	s.ours = ""
	switch kept.Look(s.tree.files, name) {
	case kept.None:
		return
	case kept.Fleet:
		s.problem(name, "a fleet's run without its journal: it goes on, or its leader died, and inferometer fleet attach takes it over")
	}
	s.ours = name
}

// mayHold says whether a file may hold results of its own: one outside the folders of ours, or a sweep's, whose
// runs have no journal beside them.
func (s *scan) mayHold(name string) bool {
	inside := s.ours == "." || s.ours != "" && strings.HasPrefix(name, s.ours+"/")
	return !inside || kept.IsSettingsResult(name) && kept.Look(s.tree.files, path.Dir(name)) == kept.Settings
}

// runFolder reads the result of a run of ours, or measures it where there is none.
func (s *scan) runFolder(name string, d fs.DirEntry) error {
	folder := path.Dir(name)
	saved := path.Join(folder, journal.ResultName)
	if info, err := fs.Stat(s.tree.files, saved); err == nil && info.Mode().IsRegular() {
		return s.file(saved, fs.FileInfoToDirEntry(info), folder, s.tree.read)
	}
	if info, err := d.Info(); err == nil && s.now.Sub(info.ModTime()) < quiet {
		s.problem(folder, "the run goes on: it has no result yet")
		return nil
	}
	return s.file(name, d, folder, func(string, int64) ([]result.Result, error) { return s.tree.measured(folder) })
}

// file adds the runs of a file, read anew only if it has changed.
func (s *scan) file(name string, d fs.DirEntry, folder string, read func(name string, size int64) ([]result.Result, error)) error {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed between two looks
	}
	if err != nil {
		s.problem(name, err.Error())
		return nil
	}
	e, ok := s.tree.known[name]
	if !ok || e.size != info.Size() || !e.modified.Equal(info.ModTime()) {
		if s.tree.Patience > 0 && s.spent >= s.tree.Patience {
			s.unread++
			return nil
		}
		e = entry{size: info.Size(), modified: info.ModTime()}
		begin := time.Now()
		list, err := read(name, info.Size())
		if err == nil {
			e.runs = runsOf(list, name, folder, info.ModTime())
		}
		s.spent += time.Since(begin)
		if err != nil && !errors.Is(err, result.ErrNothing) {
			e.problem = strings.TrimPrefix(err.Error(), name+": ")
		}
	}
	if len(s.runs)+len(e.runs) > MostRuns {
		return errFull
	}
	s.seen[name] = e
	s.runs = append(s.runs, e.runs...)
	if e.problem != "" {
		s.problem(name, e.problem)
	}
	return nil
}

func runsOf(list []result.Result, name, folder string, modified time.Time) []Run {
	runs := make([]Run, len(list))
	for i := range list {
		list[i].Name = placeName(list[i].Name, name, folder)
		runs[i] = newRun(list[i], name, i, folder, modified)
	}
	return runs
}

// placeName is the name of a run: its own, or that of its folder where it only has that
// of a file, as many files in many folders have the same.
func placeName(own, file, folder string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	switch dir := path.Dir(file); {
	case folder != "" && (own == stem || path.Base(file) == journal.FileName && own == result.Stem(folder)):
		return path.Base(folder)
	case strings.HasPrefix(own, stem) && dir != ".":
		return path.Base(dir) + "/" + own
	}
	return own
}

// Whole reads a run with the values of its single requests, for a comparison.
func (t *Tree) Whole(r *Run) (result.Result, error) {
	var list []result.Result
	var err error
	if path.Base(r.Path) == journal.FileName {
		list, err = t.measured(r.Folder)
	} else {
		var info fs.FileInfo
		if info, err = fs.Stat(t.files, r.Path); err == nil {
			list, err = t.read(r.Path, info.Size())
		}
	}
	if err != nil {
		return result.Result{}, err
	}
	if r.Index >= len(list) {
		return result.Result{}, fmt.Errorf("%s has changed: the run is gone", r.Path)
	}
	list[r.Index].Name = r.Name
	return list[r.Index], nil
}

// distinct drops copies: --save-result writes what the run's folder holds already,
// and people copy results. Those with a journal stay.
func distinct(runs []Run) []Run {
	type mark struct {
		date               string
		tool               result.Tool
		duration, requests float64
		tokens             int64
	}
	of := func(r *Run) mark {
		return mark{r.Facts.Date, r.Tool, r.Facts.Duration, r.Values["request_throughput"], r.Facts.OutputTokens}
	}
	kept := map[mark]string{} // the ID that stays
	for i := range runs {
		if _, ok := kept[of(&runs[i])]; !ok || runs[i].Folder != "" {
			kept[of(&runs[i])] = runs[i].ID
		}
	}
	return slices.DeleteFunc(runs, func(r Run) bool {
		return r.Facts.Date != "" && r.Facts.Duration > 0 && kept[of(&r)] != r.ID
	})
}
