package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/show/mdtable"
)

// pointCommand is the command of a point: bench serve, or with a section search the
// search for that point's edge. find leaves the result of the point that it found
// where bench serve would, so that the table shows it.
func pointCommand(s *scenario.Scenario, args []string) []string {
	if s.Search == nil {
		return append([]string{"bench", "serve"}, args...)
	}
	set, _ := serveFlags()
	varied := map[string]string{find.Rate: "request-rate", find.Concurrency: "max-concurrency"}[s.Search.Over]
	own, out := findOwn(), ""
	if i := slices.Index(args, "--run-dir"); i >= 0 {
		out = args[i+1]
	}
	args = set.Without(args, func(f *argv.Flag) bool {
		_, mine := own[f.Name]
		return mine || f.Name == varied || f.Name == "percentile-metrics" || f.Name == "metric-percentiles"
	})
	return append(append([]string{"find", "--out", out}, args...), searchArgs(s)...)
}

// searchArgs are the flags of find that a scenario sets.
func searchArgs(s *scenario.Scenario) []string {
	args := []string{"--vary", s.Search.Over, "--slo", s.SLO.String()}
	number := func(flag string, v *float64) {
		if v != nil {
			args = append(args, flag, strconv.FormatFloat(*v, 'f', -1, 64))
		}
	}
	span := func(flag string, d time.Duration) {
		if d > 0 {
			args = append(args, flag, d.String())
		}
	}
	number("--from", s.Search.Min)
	number("--to", s.Search.Max)
	if p := float64(s.Search.Precision); p > 0 {
		number("--tolerance", &p)
	}
	span("--confirm", s.Search.Confirm)
	span("--max-time", s.Search.Time)
	if probe := s.Search.Confirm / 6; probe > 0 {
		span("--probe", probe)
	}
	return args
}

// printSearches shows what the searches of a scenario found, before the table, which
// has the numbers of those points.
func printSearches(w io.Writer, plan *scenario.Plan, folder scenario.Folder) error {
	if plan.Scenario.Search == nil {
		return nil
	}
	file := searchesText(plan, folder, 0)
	_, err := fmt.Fprintln(w, searchesText(plan, folder, consoleWidth(w)))
	return errors.Join(err, atomicfile.WriteBytes(filepath.Join(folder.Path, "search.md"), []byte(file)))
}

func searchesText(plan *scenario.Plan, folder scenario.Folder, width int) string {
	over := plan.Scenario.Search.Over
	t := mdtable.Table{Head: []string{"point", over, "95 % interval", "binds", "verdict"}, Keys: 1}
	for _, p := range plan.Points {
		line := []string{outside.Markdown(p.ID), "–", "–", "–", "–"}
		if r, err := find.Read(filepath.Join(folder.Path, "points", p.ID, "run")); err == nil && len(r.Results) == 1 {
			a := &r.Results[0].Answer
			line[2], line[3] = find.Interval(a), a.Binding
			if a.X != nil {
				line[1], line[4] = find.LoadText(*a.X), r.Results[0].Verdict
			}
		}
		t.Body = append(t.Body, line)
	}
	var b strings.Builder
	mdtable.Line(&b, "## ", fmt.Sprintf("The highest %s within %s", over, plan.Scenario.SLO), 0)
	b.WriteString("\n")
	t.Write(&b, width)
	return b.String()
}
