package kept

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Found is a run in a folder of ours.
type Found struct {
	Path   string            // its folder; of a sweep, its result
	Name   string            // in the folder of ours: a point, a probe, a round
	Point  string            // what repeats of it have in common
	Part   string            // "eval": the questions after a point's speed run
	Values map[string]string // of a scenario's matrix; nil: it is of none
	Why    string            // its point has no result: it failed or was interrupted
}

// Lacking is a point of a scenario that has no run.
type Lacking struct {
	Name, Point, Why string
	Values           map[string]string
}

// Bounds of what is read of a folder that may be anybody's.
const (
	maxRuns  = 10_000
	maxPoint = 4 << 20
)

// Runs are the runs of a folder of ours, in the order in which people count, and the points that have none.
func Runs(files fs.FS, folder string) (runs []Found, lacking []Lacking, err error) {
	switch Look(files, folder) {
	case Run:
		return []Found{{Path: folder, Name: path.Base(folder), Point: path.Base(folder)}}, nil, nil
	case Scenario:
		return points(files, path.Join(folder, PointsName))
	case Point:
		return point(files, folder)
	case Search:
		runs, err = probes(files, folder)
	case Duel:
		runs, err = each(files, folder, "round-*", func(name string) string { return name[len(name)-1:] })
	case UnderLoad:
		runs, err = each(files, folder, "*", func(name string) string { return name })
	case Settings:
		runs, err = settings(files, folder, path.Base(folder))
	case Sweep:
		err = entries(files, folder, func(name string) error {
			of, err := settings(files, path.Join(folder, name), name)
			runs = append(runs, of...)
			return err
		})
	}
	return runs, nil, err
}

// entries walks the folders in a folder by their names, numbers by their value.
func entries(files fs.FS, folder string, visit func(name string) error) error {
	list, err := fs.ReadDir(files, folder)
	if err != nil {
		return err
	}
	if len(list) > maxRuns {
		return fmt.Errorf("%s holds more than %d folders", folder, maxRuns)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return natural(a.Name(), b.Name()) })
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		if err := visit(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// each are the folders of runs by a pattern; side names what repeats have in common.
func each(files fs.FS, folder, pattern string, side func(name string) string) (runs []Found, err error) {
	err = entries(files, folder, func(name string) error {
		at := path.Join(folder, name)
		if ok, err := path.Match(pattern, name); err == nil && ok && Look(files, at) == Run {
			runs = append(runs, Found{Path: at, Name: name, Point: side(name)})
		}
		return nil
	})
	return runs, err
}

func points(files fs.FS, folder string) (runs []Found, lacking []Lacking, err error) {
	err = entries(files, folder, func(name string) error {
		if strings.HasPrefix(name, ".") {
			return nil
		}
		of, none, err := point(files, path.Join(folder, name))
		runs, lacking = append(runs, of...), append(lacking, none...)
		return err
	})
	return runs, lacking, err
}

// point are the runs of a point: its load, and the questions after it.
func point(files fs.FS, folder string) (runs []Found, lacking []Lacking, err error) {
	var record struct {
		ID     string            `json:"id"`
		Values map[string]string `json:"values"`
		State  string            `json:"state"`
		Error  string            `json:"error"`
	}
	name := path.Base(folder)
	info, err := fs.Stat(files, path.Join(folder, PointName))
	switch {
	case err != nil:
		return nil, []Lacking{{Name: name, Point: withoutRepeat(name), Why: "it was not run to its end"}}, nil
	case info.Size() > maxPoint || !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is no note of a point", path.Join(folder, PointName))
	}
	b, err := fs.ReadFile(files, path.Join(folder, PointName))
	if err == nil {
		err = json.Unmarshal(b, &record)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path.Join(folder, PointName), err)
	}
	values := map[string]string{}
	for key, value := range record.Values {
		values[outside.Word(key)] = outside.Word(value)
	}
	why := ""
	if record.State != "done" && record.State != "" {
		why = outside.Word(record.State)
		if record.Error != "" {
			why += ": " + outside.Sentence(record.Error)
		}
	}
	for _, part := range []string{"", "eval"} {
		of, _, err := Runs(files, path.Join(folder, cmp.Or(part, "run")))
		if err != nil {
			return nil, nil, err
		}
		for _, r := range of {
			runs = append(runs, Found{Path: r.Path, Name: name, Point: withoutRepeat(name), Part: part, Values: values, Why: why})
		}
	}
	if len(runs) == 0 {
		return nil, []Lacking{{name, withoutRepeat(name), cmp.Or(why, "there is no journal"), values}}, nil
	}
	return runs, nil, nil
}

// withoutRepeat is a point's name without the number of its repeat.
func withoutRepeat(name string) string {
	at := strings.LastIndex(name, "_r")
	if at < 0 || name[at+2:] == "" || strings.Trim(name[at+2:], "0123456789") != "" {
		return name
	}
	return name[:at]
}

// probes are the one that a search has its answer from, which lies beside them as its result; else all.
func probes(files fs.FS, folder string) (runs []Found, err error) {
	err = entries(files, path.Join(folder, "probes"), func(name string) error {
		if at := path.Join(folder, "probes", name, "run"); Look(files, at) == Run {
			runs = append(runs, Found{Path: at, Name: path.Base(folder) + "/" + name, Point: path.Base(folder) + "/" + name})
		}
		return nil
	})
	said := path.Base(path.Dir(runOf(files, path.Join(folder, journal.ResultName))))
	for _, r := range runs {
		if path.Base(r.Name) == said {
			r.Name, r.Point = path.Base(folder), path.Base(folder)
			return []Found{r}, err
		}
	}
	return runs, err
}

// runOf is the folder that a result names.
func runOf(files fs.FS, name string) string {
	const most = 256 << 20
	info, err := fs.Stat(files, name)
	if err != nil || info.Size() > most || !info.Mode().IsRegular() {
		return ""
	}
	b, err := fs.ReadFile(files, name)
	var result struct {
		Inferometer struct {
			Run string `json:"run"`
		} `json:"inferometer"`
	}
	if err != nil || json.Unmarshal(b, &result) != nil {
		return ""
	}
	return result.Inferometer.Run
}

func settings(files fs.FS, folder, point string) (runs []Found, err error) {
	list, err := fs.ReadDir(files, folder)
	if err != nil || Look(files, folder) != Settings {
		return nil, err
	}
	for _, e := range list {
		if e.Type().IsRegular() && IsSettingsResult(e.Name()) {
			runs = append(runs, Found{Path: path.Join(folder, e.Name()), Name: point + "/" + strings.TrimSuffix(e.Name(), ".json"), Point: point})
		}
	}
	return runs, nil
}

// natural orders names as people count: concurrency-8 before concurrency-16.
func natural(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if c := len(x) - len(y); c != 0 {
				return c
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) (n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
