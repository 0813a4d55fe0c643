// Package check has the commands that ask whether a measurement here can be trusted:
// doctor, selftest, and the simulator sim.
package check

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/check/doctor"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/spec"
)

// doctorRun is one run of doctor. What says where the server is and how it is
// spoken to is the same as in bench serve.
type doctorRun struct {
	*serve.Options
	command.Streams
	protocol    *protocol.Backend
	concurrency int
	skip        []string
	format      string
}

// Doctor is the command doctor.
func Doctor(ctx context.Context, s command.Streams, args []string) error {
	r := &doctorRun{Options: serve.NewOptions(), Streams: s}
	set := r.flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := r.validate(ctx, set); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, command.StopSignals()...)
	defer stop()
	findings, err := r.examine(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("stopped before any check was complete")
	}
	shown := &doctor.Report{Findings: findings, Skipped: r.skip}
	if r.format == "json" {
		err = shown.JSON(s.Out)
	} else {
		err = shown.Table(s.Out, command.TerminalWidth(s.Out), command.Colored(s.Out))
	}
	if err == nil && shown.Count(doctor.Bad) > 0 {
		err = command.Exit(command.ExitNothing, nil) // the report has said why
	}
	return err
}

// manyRequests is what bench serve has on its way when nothing bounds it: its --num-prompts.
const manyRequests = 1000

// probeTimeout is enough for 32 tokens of a large model on a CPU.
const probeTimeout = time.Minute

func (r *doctorRun) flags() *argv.Set {
	o := r.Options
	set := argv.New("inferometer doctor",
		"Look for what would spoil a measurement: on this machine and, given its address, on the way to a server and at the server. "+
			"Each finding says why it matters and how to fix it. The exit code is 1 if something would spoil a measurement.")
	set.Example("This machine", "inferometer doctor")
	set.Example("This machine, the way and the server; a few short requests are sent", "inferometer doctor http://127.0.0.1:8000")
	set.Example("For a script, without what changes from minute to minute", "inferometer doctor --format json --skip load,steal")
	g := argv.Group("")
	o.RequestTimeout = probeTimeout
	o.Flag(set, "base-url", g, argv.Help("The server, as in http://host:8000."), argv.Shown("only this machine"))
	set.Bare(spec.LooksLikeAddress, "base-url")
	o.Flag(set, "backend", g, argv.Help("The protocol of the probe, as in bench serve."))
	for _, name := range []string{"protocol-file", "endpoint", "model", "header", "insecure", "proxy"} {
		o.Flag(set, name, g)
	}
	o.Flag(set, "request-timeout", g, argv.Help("Give up on a probe after this long."), argv.Shown(option.FormatDuration(probeTimeout)))
	set.Int(&r.concurrency, "max-concurrency", manyRequests, "How many requests will be in flight at a time.")
	set.CSV(&r.skip, "skip", nil, "Findings not to make.", argv.Among(doctor.Names()...), argv.Metavar("NAME,…"))
	set.Choice(&r.format, "format", "table", []string{"table", "json"}, "What to print.")
	return set
}

func (r *doctorRun) validate(ctx context.Context, set *argv.Set) error {
	r.Host, r.Port = "127.0.0.1", 8000 // there must be one where there is no --base-url
	full, _ := serve.Flags()           // nothing is set in it: what has no flag here is as bench serve has it
	if err := r.SetServers(set); err != nil {
		return err
	}
	if err := r.SetHeaders(full); err != nil {
		return err
	}
	if err := r.SetProtocol(set); err != nil {
		return err
	}
	if err := r.chooseBackend(ctx); err != nil {
		return err
	}
	r.Resolve(full.Seen)
	if err := r.Spec.Validate(); err != nil {
		return err
	}
	if r.concurrency < 1 {
		return argv.Errorf("max-concurrency", "must be at least 1, not %d", r.concurrency)
	}
	for _, name := range r.skip {
		if !slices.Contains(doctor.Names(), name) {
			return argv.Errorf("skip", "knows no finding %q: there are %s", name, strings.Join(doctor.Names(), ", "))
		}
	}
	if r.BaseURL != "" {
		return nil
	}
	for _, name := range []string{"backend", "protocol-file", "endpoint", "model", "header", "insecure", "proxy", "request-timeout"} {
		if set.Seen(name) {
			return argv.Errorf(name, "is about a server, and none is given").WithHint("give it with --base-url")
		}
	}
	return nil
}

// chooseBackend finds the protocol of the probe. Where nobody answers, the findings say so.
func (r *doctorRun) chooseBackend(ctx context.Context) (err error) {
	if r.Backend == spec.BackendAuto {
		if r.BaseURL == "" || prepare.ChooseBackend(ctx, &r.Spec, &r.RunHost(r.Streams).Host) != nil {
			err = r.AssumeBackend()
		}
	}
	if err != nil {
		return err
	}
	if r.protocol, err = r.ResolveBackend(); err != nil {
		return err
	}
	if r.Endpoint == "" {
		r.Endpoint = r.protocol.Path()
	}
	return nil
}

// examine makes all findings, secrets taken out.
func (r *doctorRun) examine(ctx context.Context) ([]doctor.Finding, error) {
	spoken, err := r.Wire(&r.RunHost(r.Streams).Environment)
	if err != nil {
		return nil, err
	}
	proxy, err := r.proxyOf(spoken)
	if err != nil {
		return nil, err
	}
	skip := func(name string) bool { return slices.Contains(r.skip, name) }
	system := doctor.ThisSystem()
	system.Concurrency, system.ProxyEnv, system.Proxy, system.Asked = r.concurrency, proxyEnvironment(), proxy, r.BaseURL != ""
	line := command.NewLine(r.Err)
	defer line.Clear()
	line.Set("looking at this machine")
	findings := system.Examine(ctx, skip)
	if r.BaseURL != "" {
		line.Set("asking %s", r.URLs[0])
		remote := doctor.NewRemote(r.URLs[0], r.protocol)
		remote.Endpoint, remote.Model, remote.Header, remote.Insecure = r.Endpoint, r.Model, spoken.Header, r.Insecure
		text := r.Spec
		text.Endpoint = "" // of the probe
		remote.Best = text.BestBackend
		remote.Proxy, remote.Timeout, remote.CPUs = proxy, r.RequestTimeout, system.CPUs
		findings = append(findings, remote.Examine(ctx, skip)...)
	}
	for i := range findings {
		findings[i].Figure = spoken.Secrets.Scrub(findings[i].Figure)
	}
	return findings, nil
}

// proxyOf is the proxy that requests to the server go through; nil: none.
func (r *doctorRun) proxyOf(spoken *spec.Wire) (*url.URL, error) {
	if spoken.Proxy == nil || r.BaseURL == "" {
		return nil, nil
	}
	req, err := http.NewRequest(http.MethodPost, r.URLs[0]+r.Endpoint, nil)
	if err != nil {
		return nil, err
	}
	return spoken.Proxy(req)
}

// proxyEnvironment lists the variables that name proxies, without passwords.
func proxyEnvironment() []string {
	var found []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		if v := os.Getenv(name); v != "" {
			found = append(found, name+"="+outside.RedactURL(v))
		}
	}
	return found
}
