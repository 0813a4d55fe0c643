package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	findcmd "github.com/inferometer/inferometer/internal/cli/find"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/send/live"
	sending "github.com/inferometer/inferometer/internal/send/load"
)

// pointCommand is the command of a point: bench serve, or with a section search the
// search for that point's edge. find leaves the result of the point that it found
// where bench serve would, so that the table shows it.
func pointCommand(s *scenario.Scenario, load option.Settings) (words, shown []string) {
	name, set := []string{"bench", "serve"}, serveFlags()
	if s.Search != nil {
		name, set, load = []string{"find"}, findFlags(), searched(s, load, "")
	}
	return append(name, load.Words()...), append(name, set.Hidden(load).Words()...)
}

// searched are settings of find for a point: those of bench serve that are not the search's
// business, and those of the section search.
func searched(s *scenario.Scenario, load option.Settings, out string) option.Settings {
	varied := map[string]string{find.Rate: "request-rate", find.Concurrency: "max-concurrency"}[s.Search.Over]
	own := findcmd.Own()
	load = load.Without(func(flag string) bool {
		_, mine := own[flag]
		return mine || flag == varied || flag == "percentile-metrics" || flag == "metric-percentiles"
	})
	return slices.Concat(option.Settings{{Flag: "output", Values: []string{out}}}, load, s.SearchSettings())
}

// findPoint runs the search of a point; what it says goes to a log.
func findPoint(ctx context.Context, drain <-chan struct{}, s *scenario.Scenario, load option.Settings, folder, log string, feed *live.Feed, control *sending.Control) error {
	file, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of a search: %w", err)
	}
	defer file.Close()
	err = findcmd.Until(ctx, drain, command.Streams{Out: file, Err: file}, searched(s, load, folder), feed, control)
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
