// Package fleet is the commands of one run from many machines: agent, and those of fleet.
package fleet

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/fleet/agent"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/spec"
)

// mostWeight bounds the weight of an agent, as a share does.
const mostWeight = 1000

// agentOptions are the flags of agent.
type agentOptions struct {
	nats, name string
	labels     map[string]string
	allow      []string
	weight     int
	once       bool
}

// Agent is the command agent.
func Agent(ctx context.Context, s command.Streams, args []string) error {
	set, o := agentFlags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	a, place, err := o.resolve(s)
	if err != nil {
		return err
	}
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	ctx, drain = o.attached(ctx, s, drain)
	b, err := bus.Open(ctx, place, bus.Options{Name: "inferometer agent " + a.ID, Trouble: func(err error) {
		if err != nil {
			a.Say("%v", err)
		} else {
			a.Say("the connection to NATS is back")
		}
	}})
	if err != nil {
		return err
	}
	defer b.Close()
	a.Bus = b
	a.Say("connected to NATS at %s", place)
	return a.Run(ctx, drain)
}

func agentFlags() (*argv.Set, *agentOptions) {
	o := &agentOptions{labels: map[string]string{}}
	set := argv.New("inferometer agent",
		"Take part in runs that are sent from many machines. A leader, which is bench serve, exec, find or run with --fleet, finds agents through NATS, "+
			"divides a load among them and starts them at one instant. An agent runs what a Spec says, never a command, one run at a time, and loads only the hosts that --allow names. "+
			"Ctrl-C stops sending and waits for the requests in flight; a second one cancels those too.")
	set.Example("On this machine, with a nats-server -js that runs here too", "inferometer agent --nats nats://127.0.0.1:4222 --allow 127.0.0.1:8000")
	set.Example("On another machine, with the file that inferometer fleet init wrote", "inferometer agent --nats agent.json --allow llm.example:8000")
	set.Example("With labels for leaders to choose by, and twice the load of others", "inferometer agent --nats agent.json --allow '*.example:8000' --label region=eu --label card=25g --weight 2")
	set.String(&o.nats, "nats", "", "Where NATS is: an address such as nats://127.0.0.1:4222, or the file that inferometer fleet init wrote for agents; - reads such a file from standard input, and the agent ends when that is closed. Needed.",
		argv.Metavar("URL|FILE"), argv.Redact(outside.RedactURL))
	set.String(&o.name, "name", "", "Name of this agent, for people.", argv.Metavar("NAME"), argv.Shown("the host's"))
	set.Custom("label", "", "A label that leaders can choose agents by. It may be given several times.", o.label, argv.Metavar("KEY=VALUE"))
	set.Custom("allow", "", "A server that this agent may load, as leaders name it: a name or address with its port, *.example:8000, or a network such as 10.0.0.0/8:8000. "+
		"Without a port every port of the host may be loaded; * allows all, this machine's own services too. It may be given several times. Needed.",
		func(text string) error { o.allow = append(o.allow, text); return nil }, argv.Metavar("HOST[:PORT]"))
	set.Int(&o.weight, "weight", 0, "This agent's share of the load relative to others: weight 2 sends twice as much as weight 1.", argv.Shown("1"))
	set.Bool(&o.once, "once", "End after one run.")
	return set, o
}

func (o *agentOptions) label(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if key, value = strings.TrimSpace(key), strings.TrimSpace(value); !ok || key == "" || outside.Word(text) != text {
		return fmt.Errorf("needs KEY=VALUE, as in region=eu, not %q", outside.Word(text))
	}
	o.labels[key] = value
	return nil
}

// resolve makes the agent, without its connection.
func (o *agentOptions) resolve(s command.Streams) (*agent.Agent, bus.Place, error) {
	var none bus.Place
	if o.nats == "" {
		return nil, none, argv.Errorf("nats", "is needed: the address of NATS, or the file that inferometer fleet init wrote").
			WithHint("on one machine: nats-server -js, and --nats nats://127.0.0.1:4222")
	}
	if o.weight < 0 || o.weight > mostWeight {
		return nil, none, argv.Errorf("weight", "must be from 1 to %d, not %d", mostWeight, o.weight)
	}
	allow, err := agent.ParseAllow(o.allow)
	if err != nil {
		return nil, none, argv.Errorf("allow", "%v", err)
	}
	place, err := o.place(s)
	if err != nil {
		return nil, none, argv.Errorf("nats", "%v", err)
	}
	if len(o.allow) == 0 {
		return nil, none, argv.Errorf("allow", "is needed: the servers that leaders may have this agent load, and read the answers of").
			WithHint("for a server on port 8000 of this machine: --allow 127.0.0.1:8000; of another one: --allow llm.example:8000")
	}
	key, err := seal.NewKey()
	if err != nil {
		return nil, none, err
	}
	host := newHost(s)
	state, err := host.State()
	if err != nil {
		return nil, none, fmt.Errorf("%w; set XDG_STATE_HOME", err)
	}
	here, _ := os.Hostname() // without one it is an agent like others
	a := &agent.Agent{
		ID: agent.NewID(here), Name: o.name, Labels: o.labels, Weight: o.weight, Allow: allow, State: filepath.Join(state, "inferometer"),
		Version: command.Version(), Secrets: key, Once: o.once, Host: func() *bench.Host { return newHost(s) },
		Proven: host.Proven(serve.ResolvedEngine(spec.EngineAuto)),
		Say:    func(format string, args ...any) { fmt.Fprintf(s.Err, "inferometer agent: "+format+"\n", args...) },
	}
	if a.Name == "" {
		a.Name = here
	}
	return a, place, nil
}

// newHost is this process, as a run knows it.
func newHost(s command.Streams) *bench.Host {
	h := &bench.Host{Version: command.Version()}
	h.Environment = spec.Environment{Release: command.Release(), Lookup: os.LookupEnv, Proxy: http.ProxyFromEnvironment}
	h.Warn = func(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) }
	h.Proven = func(engine string) *journal.Proven { return serve.FindProven(&h.Host, engine) }
	return h
}
