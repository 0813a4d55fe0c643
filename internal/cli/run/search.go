package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	findcmd "github.com/inferometer/inferometer/internal/cli/find"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// pointCommand is the command of a point: bench serve, or with a section search the
// search for that point's edge. find leaves the result of the point that it found
// where bench serve would, so that the table shows it.
func pointCommand(s *scenario.Scenario, args []string) []string {
	if s.Search == nil {
		return append([]string{"bench", "serve"}, args...)
	}
	set, _ := serve.Flags()
	varied := map[string]string{find.Rate: "request-rate", find.Concurrency: "max-concurrency"}[s.Search.Over]
	own, out := findcmd.Own(), ""
	if i := slices.Index(args, "--run-dir"); i >= 0 {
		out = args[i+1]
	}
	args = set.Without(args, func(f *argv.Flag) bool {
		_, mine := own[f.Name]
		return mine || f.Name == varied || f.Name == "percentile-metrics" || f.Name == "metric-percentiles"
	})
	return append(append([]string{"find", "--out", out}, args...), s.SearchArgs()...)
}

// findPoint runs the search of a point; what it says goes to a log.
func findPoint(ctx context.Context, drain <-chan struct{}, s *scenario.Scenario, args []string, log string, feed *live.Feed, control *load.Control) error {
	file, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of a search: %w", err)
	}
	defer file.Close()
	err = findcmd.Until(ctx, drain, command.Streams{Out: file, Err: file}, pointCommand(s, args)[1:], feed, control)
	if err == nil {
		return nil
	}
	command.Finish(file, "find", err)
	var ending command.Coded
	if errors.As(err, &ending) && ending.Code == command.ExitPartial {
		return bench.ErrPartial
	}
	return fmt.Errorf("find: %w (its log is %s)", err, log)
}

// Flags by which a command line is read to hide what it holds. They are made once: a plan may have a thousand points.
var (
	serveFlags = sync.OnceValue(func() *argv.Set { set, _ := serve.Flags(); return set })
	findFlags  = sync.OnceValue(func() *argv.Set { set, _ := findcmd.Flags(); return set })
)

// Redacted hides what a command line of ours should not show.
func Redacted(args []string) []string {
	for name, flags := range map[string]func() *argv.Set{"bench serve": serveFlags, "find": findFlags} {
		words := strings.Fields(name)
		if n := len(words); len(args) >= n && slices.Equal(args[:n], words) {
			return slices.Concat(words, flags().Redacted(args[n:]))
		}
	}
	return args
}
