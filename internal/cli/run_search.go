package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/scenario"
	"github.com/inferometer/inferometer/internal/whole"
)

// pointCommand is the command of a point: bench serve, or with a section search the
// search for that point's edge. find leaves the result of the point that it found
// where bench serve would, so that the table shows it.
func pointCommand(s *scenario.Scenario, args []string) []string {
	if s.Search == nil {
		return append([]string{"bench", "serve"}, args...)
	}
	set, _ := serveFlags()
	varied := map[string]string{varyRate: "request-rate", varyConcurrency: "max-concurrency"}[s.Search.Over]
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

// printSearches shows what the searches of a scenario found; the table beside it has
// the numbers of those points.
func printSearches(w io.Writer, plan *scenario.Plan, folder scenario.Folder) error {
	if plan.Scenario.Search == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## The highest %s within %s\n\n| point | %s | 95 %% interval | binds |\n|---|---:|---|---|\n", plan.Scenario.Search.Over, plan.Scenario.SLO, plan.Scenario.Search.Over)
	for _, p := range plan.Points {
		x, edge, binding := "–", "–", "–"
		var r findReport
		content, err := os.ReadFile(filepath.Join(folder.Path, "points", p.ID, "run", findFile))
		if err == nil && json.Unmarshal(content, &r) == nil && len(r.Results) == 1 {
			a := &r.Results[0].Answer
			edge, binding = interval(a), a.Binding
			if a.X != nil {
				x = loadText(*a.X)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.ID, x, edge, binding)
	}
	_, err := fmt.Fprint(w, b.String())
	return errors.Join(err, whole.WriteBytes(filepath.Join(folder.Path, "search.md"), []byte(strings.TrimLeft(b.String(), "\n"))))
}
