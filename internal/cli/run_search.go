package cli

import (
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/scenario"
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
	return append(append([]string{"find", "--out", out}, args...), s.SearchArgs()...)
}
