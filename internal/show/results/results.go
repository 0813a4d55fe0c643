// Package results reads what is to be compared: the folders of runs, measured anew, and
// the result files of any tool.
package results

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/report"
)

// Sides reads the sides of a comparison. Paths that are joined by commas are repeats
// of one side; a file with several runs gives as many sides.
func Sides(operands []string) ([]compare.Side, error) {
	var sides []compare.Side
	for _, operand := range operands {
		paths := strings.Split(operand, ",")
		if _, err := os.Stat(operand); err == nil {
			paths = []string{operand} // a comma in a name
		}
		var runs []foreign.Run
		for _, path := range paths {
			found, err := read(path)
			if err != nil {
				return nil, err
			}
			runs = append(runs, found...)
		}
		if len(paths) > 1 {
			sides = append(sides, compare.Side{Name: runs[0].Name, Runs: runs})
			continue
		}
		for i := range runs {
			sides = append(sides, compare.Side{Name: runs[i].Name, Runs: runs[i : i+1]})
		}
	}
	nameApart(sides)
	return sides, nil
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

// read reads a run's folder, or a file of any tool.
func read(path string) ([]foreign.Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w; give a run's folder or a result", err)
	}
	if !info.IsDir() {
		return foreign.ReadFile(path)
	}
	if _, err := os.Stat(filepath.Join(path, journal.FileName)); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run: there is no %s in it", path, journal.FileName)
	}
	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r, err := judged.Read(folder, measure.Options{PercentileMetrics: metric.AlwaysNames()})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result, report.Options{RunDir: folder, Verdict: r.Verdict}); err != nil {
		return nil, err
	}
	return foreign.Read(folder, b.Bytes())
}
