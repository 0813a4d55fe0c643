// Package results reads what is to be compared: the folders of runs, measured anew, and
// the result files of any tool.
package results

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/outside"
)

// Read reads what is to be compared. Paths that are joined by commas are repeats of one side; a file with
// several runs gives as many sides, and so does a folder of ab, eval --under-load or a sweep. Scenarios of
// several points are held against each other point by point: then there are points. asked are metrics, as typed, that
// journals are measured for beside the usual ones.
func Read(operands, asked []string) (sides []compare.Side, points *compare.Points, err error) {
	var all []operand
	for _, typed := range operands {
		o, err := readOperand(typed, asked)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, o)
		sides = append(sides, o.sides...)
	}
	nameApart(sides)
	scenarios := 0
	for i := range all {
		if all[i].points != nil {
			scenarios++
		}
	}
	switch {
	case scenarios < len(all) && scenarios > 0:
		return nil, nil, mixed(all)
	case scenarios == 0:
		return sides, nil, nil
	}
	var names []string
	var of [][]compare.PointRun
	for i := range all {
		names, of = append(names, all[i].name), append(of, all[i].points)
	}
	return sides, compare.PairPoints(apart(names), of), nil
}

// operand is what was read of one operand.
type operand struct {
	name   string
	sides  []compare.Side
	points []compare.PointRun // of a scenario with several; nil: it is none
}

// mixed says that points can't be paired with a result that is no scenario's.
func mixed(all []operand) error {
	for i := range all {
		if of := all[i].points; of != nil {
			return fmt.Errorf("%s is a scenario of several points, and not all of the others are: name the point that is meant, as in %s/%s", all[i].name, all[i].name, of[0].Name)
		}
	}
	return nil
}

func readOperand(typed string, asked []string) (o operand, err error) {
	paths := strings.Split(typed, ",")
	if _, err := os.Stat(typed); err == nil {
		paths = []string{typed} // a comma in a name
	}
	o.name = strings.TrimRight(typed, "/")
	var runs []compare.PointRun
	several := false
	for _, path := range paths {
		found, whole, err := read(path, asked)
		if err != nil {
			return o, err
		}
		runs, several = append(runs, found...), several || whole
	}
	if several {
		o.points = runs
	}
	if o.sides = sidesOf(runs, len(paths) > 1); len(o.sides) == 0 && !several {
		return o, fmt.Errorf("%s has no result: %s", typed, runs[0].Why)
	}
	return o, nil
}

// sidesOf are runs as sides: repeats of a point are one, and all are where they were joined by commas.
func sidesOf(runs []compare.PointRun, joined bool) (sides []compare.Side) {
	at := map[string]int{}
	for _, r := range runs {
		if r.Why != "" {
			continue
		}
		key := r.Name + "\x00" + r.Part
		switch i, ok := at[key]; {
		case joined && len(sides) > 0:
			sides[0].Runs = append(sides[0].Runs, r.Run)
		case ok && r.Name != "":
			sides[i].Runs = append(sides[i].Runs, r.Run)
		default:
			at[key] = len(sides)
			name := r.Run.Name
			if r.Name != "" {
				name = strings.TrimRight(r.Name+" "+r.Part, " ")
			}
			sides = append(sides, compare.Side{Name: name, Runs: []result.Result{r.Run}})
		}
	}
	return sides
}

// apart gives names that are told apart: the last folder, or all of the path.
func apart(names []string) []string {
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = outside.Word(filepath.Base(name))
	}
	slices.Sort(short)
	alike := len(slices.Compact(short)) < len(names)
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = outside.Word(name)
		if !alike {
			out[i] = outside.Word(filepath.Base(name))
		}
	}
	return out
}

// nameApart numbers sides of the same name.
func nameApart(sides []compare.Side) {
	count := map[string]int{}
	for i := range sides {
		count[sides[i].Name]++
	}
	for i := range sides {
		if count[sides[i].Name] > 1 {
			sides[i].Name = fmt.Sprintf("%s (%d)", sides[i].Name, i+1)
		}
	}
}

// read reads a file of any tool, or a folder of ours. whole: it is a scenario of several points.
func read(path string, asked []string) (runs []compare.PointRun, whole bool, err error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return readFile(path)
	}
	set, err := judged.Find(path)
	if err != nil {
		return nil, false, err
	}
	points := map[string]bool{}
	for _, r := range set.Runs {
		points[r.Point+"\x00"+r.Part] = true
		if r.Why != "" { // its numbers are those of a part of the load
			runs = append(runs, compare.PointRun{Name: outside.Word(set.Title(r.Point)), Values: r.Values, Part: r.Part, Why: r.Why})
			continue
		}
		one, err := readFound(&r, asked)
		if err != nil {
			return nil, false, err
		}
		p := compare.PointRun{Values: r.Values, Part: r.Part, Run: one}
		if set.Kind != kept.Run {
			p.Name, p.Run.Name = outside.Word(set.Title(r.Point)), outside.Word(strings.TrimRight(set.Title(r.Name)+" "+r.Part, " "))
		}
		runs = append(runs, p)
	}
	for _, l := range set.Lacking {
		points[l.Point] = true
		runs = append(runs, compare.PointRun{Name: l.Point, Values: l.Values, Why: l.Why})
	}
	return runs, set.Whole() && len(points) > 1, nil
}

func readFile(path string) (runs []compare.PointRun, whole bool, err error) {
	found, err := foreign.ReadFile(path)
	for _, r := range found {
		runs = append(runs, compare.PointRun{Run: r})
	}
	return runs, false, err
}

// readFound measures a run's folder; a sweep's run is its result.
func readFound(r *kept.Found, asked []string) (result.Result, error) {
	if info, err := os.Stat(r.Path); err == nil && !info.IsDir() {
		found, err := foreign.ReadFile(r.Path)
		if err != nil {
			return result.Result{}, err
		}
		return found[0], nil
	}
	return judged.Result(r.Path, append(metric.AlwaysNames(), asked...)...)
}
