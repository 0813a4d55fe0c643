package serve

import (
	"context"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/lead"
)

// DefineShow declares how a run is shown that says nothing of it itself.
func DefineShow(set *argv.Set, o *Options) {
	DefineAllowWrite(set, o)
	set.Bool(&o.Details, "details", DetailsHelp)
	defineFormat(set, o)
	view.Define(set, &o.Progress)
	set.Bool(&o.Quiet, "quiet", "Print only the result and errors.")
}

// Attach leads a run of a fleet to its end that another process began, and shows it as that
// would have.
func Attach(ctx context.Context, s command.Streams, o *Options, place bus.Place, run, folder string) error {
	r := newServeRun(o, s)
	ctx, drain, stop := r.show(ctx)
	defer stop()
	done, err := lead.Attach(ctx, drain, place, run, folder, r.host)
	r.screen.Close()
	if err != nil {
		return err
	}
	defer done.Close()
	r.take(done)
	return r.report(ctx)
}
