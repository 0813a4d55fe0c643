package fleet

import (
	"context"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
)

// Attach is the command fleet attach.
func Attach(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer fleet attach",
		"Take over a run whose leader has died: agents go on sending without one. The run is led to its end, and its result is shown as the leader would have shown it. "+
			"If a run ended without all of its journals, the rest is fetched from the agents and from NATS, and the result is computed again. A run whose leader is alive is refused.")
	set.Example("The only run there is", "inferometer fleet attach --fleet fleet/leader.json")
	set.Example("One of several, as fleet status lists them, with its result in a folder of this machine",
		"inferometer fleet attach run-3f1c9a77d2e0 --fleet fleet/leader.json --run-dir results/1")
	set.Operands("RUN", 0, 1)
	var where, folder string
	o := &serve.Options{}
	set.String(&where, "fleet", "", "The address of NATS, or the file that inferometer fleet init wrote for leaders. Needed.", argv.Metavar("NATS"), argv.Redact(outside.RedactURL))
	set.String(&folder, "run-dir", "", "Folder for the run's journals and result.", argv.Metavar("DIR"), argv.Shown("the previous leader's, if it is on this machine, else a new one"), argv.Short('o'))
	serve.DefineShow(set, o)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if where == "" {
		return argv.Errorf("fleet", "is needed: the address of NATS, or the file that inferometer fleet init wrote for leaders")
	}
	place, err := bus.ReadPlace(where)
	if err != nil {
		return argv.Errorf("fleet", "%v", err)
	}
	run := ""
	if len(set.Args()) > 0 {
		run = set.Args()[0]
		if err := message.CheckID(run); err != nil {
			return &argv.UsageError{Text: err.Error()}
		}
	}
	if o.Quiet && !set.Seen("progress") {
		o.Progress = "none"
	}
	return serve.Attach(ctx, s, o, place, run, folder)
}
