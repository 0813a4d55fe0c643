package judged

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/outside"
)

// Set is what a path names: one run, or those of a command that made several.
type Set struct {
	Path    string // as it was typed
	Folder  string // the folder of ours, absolute; empty: it was a result
	Kind    kept.Kind
	Runs    []kept.Found // with absolute folders of runs; of a sweep, results
	Lacking []kept.Lacking
	named   string // the point that was asked for; empty: all
}

// Whole says that all of a scenario was named, and not a point of it.
func (s *Set) Whole() bool { return s.Kind == kept.Scenario && s.named == "" }

// Title is what a run of it is called beside others: a point that was named by itself has its scenario's name too.
func (s *Set) Title(name string) string {
	switch {
	case s.Kind == kept.Scenario && s.named != "":
		return filepath.Base(s.Folder) + "/" + name
	case s.Kind == kept.Point:
		return filepath.Base(filepath.Dir(filepath.Dir(s.Folder))) + "/" + name
	}
	return name
}

// Name is what a run is called in a command: its folder, without what is in front of it where Find knows that.
func Name(folder string) string {
	if root, err := journal.RunsFolder(os.Getenv); err == nil && filepath.Dir(folder) == root {
		return filepath.Base(folder)
	}
	return folder
}

// Find reads what a path names: a run's folder, the name of one in the state folder, a result that names one, a folder of a scenario, find, ab, eval
// or a sweep, or a point of a scenario: results/NAME/POINT, with or without the number of its repeat.
func Find(typed string) (*Set, error) {
	info, err := os.Stat(typed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if root, err := journal.RunsFolder(os.Getenv); err == nil && filepath.Base(typed) == typed {
			if s, err := look(filepath.Join(root, typed)); err == nil && s.Kind != kept.None {
				s.Path = typed
				return s, nil
			}
		}
		return findPoint(typed)
	case err != nil:
		return nil, err
	case !info.IsDir():
		folder, err := Folder(typed)
		if err == nil {
			folder, err = filepath.Abs(folder)
		}
		if err != nil {
			return nil, err
		}
		return &Set{Path: typed, Kind: kept.Run, Runs: []kept.Found{{Path: folder, Name: filepath.Base(folder), Point: filepath.Base(folder)}}}, nil
	}
	s, err := look(typed)
	if err == nil && s.Kind == kept.None {
		return nil, noRun(s)
	}
	return s, err
}

// look reads a folder; points/ is that of its scenario.
func look(typed string) (*Set, error) {
	folder, err := filepath.Abs(typed) // as the run itself has named it
	if err != nil {
		return nil, err
	}
	if filepath.Base(folder) == kept.PointsName && kept.Look(os.DirFS(filepath.Dir(folder)), ".") == kept.Scenario {
		folder = filepath.Dir(folder)
	}
	s := &Set{Path: typed, Folder: folder}
	around, base := os.DirFS(filepath.Dir(folder)), filepath.Base(folder)
	if filepath.Dir(folder) == folder {
		return s, nil // the root of all folders
	}
	if s.Kind = kept.Look(around, base); s.Kind == kept.None {
		return s, nil
	}
	if s.Kind == kept.Fleet {
		return nil, fmt.Errorf("%s is a fleet's run without its journal: it goes on, or its leader died, and inferometer fleet attach takes it over", typed)
	}
	if s.Runs, s.Lacking, err = kept.Runs(around, base); err != nil {
		return nil, err
	}
	for i := range s.Runs {
		s.Runs[i].Path = filepath.Join(filepath.Dir(folder), filepath.FromSlash(s.Runs[i].Path))
	}
	if len(s.Runs) == 0 {
		return nil, fmt.Errorf("%s holds no run that can be shown%s", typed, s.whyNone())
	}
	return s, nil
}

func (s *Set) whyNone() string {
	if len(s.Lacking) == 0 {
		return ""
	}
	l := s.Lacking[0]
	return fmt.Sprintf(": %s: %s", outside.Word(l.Name), l.Why)
}

// findPoint finds a point by its name behind the folder of its scenario.
func findPoint(typed string) (*Set, error) {
	dir, rest := filepath.Clean(typed), ""
	for {
		dir, rest = filepath.Dir(dir), path.Join(filepath.Base(dir), rest)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		if filepath.Dir(dir) == dir {
			return nil, fmt.Errorf("there is no %s", typed)
		}
	}
	s, err := look(dir)
	if err != nil {
		return nil, err
	}
	if s.Kind != kept.Scenario {
		return nil, fmt.Errorf("there is no %s; %s", typed, holds(dir))
	}
	name, part, _ := strings.Cut(strings.TrimPrefix(rest, kept.PointsName+"/"), "/")
	s.Path, s.named = typed, name
	return s, s.keep(name, part)
}

// keep leaves the runs of one point: of its whole name, of all its repeats, or of a part that only it has.
func (s *Set) keep(name, part string) error {
	var all []string // the points, without repeats
	for _, r := range s.Runs {
		all = append(all, r.Point)
	}
	for _, l := range s.Lacking {
		all = append(all, l.Point)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	of := func(one, point string) bool { return one == name || point == name }
	if !slices.ContainsFunc(s.Runs, func(r kept.Found) bool { return of(r.Name, r.Point) }) {
		if i := slices.IndexFunc(s.Lacking, func(l kept.Lacking) bool { return of(l.Name, l.Point) }); i >= 0 {
			return fmt.Errorf("the point %s has no result: %s", outside.Word(s.Lacking[i].Name), s.Lacking[i].Why)
		}
		var like []string
		for _, point := range all {
			if strings.Contains(point, name) {
				like = append(like, point)
			}
		}
		switch len(like) {
		case 0:
			return fmt.Errorf("%s has no point %q; it has %s", s.Folder, outside.Word(name), some(all))
		case 1:
			name = like[0]
		default:
			return fmt.Errorf("%q may be several points of %s: %s", outside.Word(name), s.Folder, some(like))
		}
	}
	s.Runs = slices.DeleteFunc(s.Runs, func(r kept.Found) bool {
		return !of(r.Name, r.Point) || part == "run" && r.Part != "" || part == "eval" && r.Part == ""
	})
	s.Lacking = slices.DeleteFunc(s.Lacking, func(l kept.Lacking) bool { return !of(l.Name, l.Point) })
	if len(s.Runs) == 0 {
		return fmt.Errorf("the point %q has no %s", outside.Word(name), outside.Word(part))
	}
	return nil
}

// noRun says what there is in a folder that is none of ours.
func noRun(s *Set) error {
	return fmt.Errorf("%s holds no run of its own, no %s; %s", s.Path, journal.FileName, holds(s.Path))
}

// holds lists what of ours lies in a folder.
func holds(dir string) string {
	const give = "give the folder of a run or a scenario, or a result file"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return give
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && kept.Look(os.DirFS(dir), e.Name()) != kept.None {
			names = append(names, filepath.Join(dir, outside.Word(e.Name())))
		}
	}
	if len(names) == 0 {
		return give
	}
	return give + "; there is " + some(names)
}

// some are the first of a list, as a sentence names them.
func some(names []string) string {
	const most = 8
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// Folders are the runs that paths name, each by its folder. A sweep's run is where its result says.
func Folders(paths []string) (folders []string, sets []*Set, err error) {
	for _, typed := range paths {
		s, err := Find(typed)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range s.Runs {
			folder, err := Folder(r.Path)
			if err != nil {
				return nil, nil, err
			}
			folders = append(folders, folder)
		}
		sets = append(sets, s)
	}
	return folders, sets, nil
}
