package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/report"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/eval/resume"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/spec"
)

// mayChange are the flags that a resume may have: none of them changes what is asked.
var mayChange = map[string]func(asked, given *spec.Spec){
	"resume": nil, "progress": nil, "quiet": nil, "format": nil, "details": nil, "upload": nil, "cpu-profile": nil,
	"allow-code": nil, "allow-read": nil, "allow-write": nil, "allow-env": nil, "own-spec": nil,
	"events": nil, "prometheus": nil, "prometheus-linger": nil, "otlp": nil,
	"base-url":        func(asked, given *spec.Spec) { asked.URLs, asked.Login = given.URLs, given.Login },
	"max-concurrency": func(asked, given *spec.Spec) { asked.MaxConcurrency = given.MaxConcurrency },
	"request-timeout": func(asked, given *spec.Spec) { asked.RequestTimeout = given.RequestTimeout },
	"deadline":        func(asked, given *spec.Spec) { asked.Deadline = given.Deadline },
	"insecure":        func(asked, given *spec.Spec) { asked.Insecure = given.Insecure },
	"proxy":           func(asked, given *spec.Spec) { asked.Proxy, asked.ProxyLogin = given.Proxy, given.ProxyLogin },
	"ready-check-timeout-sec": func(asked, given *spec.Spec) {
		asked.ReadyCheckTimeoutSec = given.ReadyCheckTimeoutSec
	},
}

// goOn sends what is left of a run, as its own folder says.
func (o *options) goOn(ctx context.Context, s command.Streams, set *argv.Set) error {
	for _, f := range set.Flags() {
		if _, fine := mayChange[f.Name]; set.Seen(f.Name) && !fine {
			return argv.Errorf(f.Name, "can't be given with --resume: the run goes on as it was asked for, by %s in its folder", journal.SpecName)
		}
	}
	asked, err := o.specOf(s)
	if err != nil {
		return err
	}
	if err := o.SetServers(set); err != nil {
		return err
	}
	if asked.RunDir = ""; asked.AllowCode && !o.AllowCode {
		return argv.Errorf(spec.FlagAllowCode, "is needed again: the run in %s has answers that are programs, and a folder can't allow that they are run on this machine (docs/code.md)", o.resume)
	}
	if o.AllowCode && !asked.AllowCode {
		return argv.Errorf(spec.FlagAllowCode, "is for a run whose answers are programs, and that in %s has none", o.resume)
	}
	if set.Seen("base-url") {
		asked.Login = spec.Value{} // what is typed stands in its place
	}
	if set.Seen("proxy") {
		asked.ProxyLogin = spec.Value{}
	}
	o.Allow(o.AllowCode)
	if err := o.Hold(asked); err != nil {
		return err
	}
	given := o.Spec
	for name, change := range mayChange {
		if set.Seen(name) && change != nil {
			change(asked, &given)
		}
	}
	asked.RunDir, asked.Resume = o.resume, true
	if err := asked.Validate(); err != nil {
		return err
	}
	o.Spec = *asked
	if o.Quiet && !set.Seen("progress") {
		o.Progress = "none"
	}
	if err := o.Upload.Check(); err != nil {
		return err
	}
	if err := o.CheckExport(set); err != nil {
		return err
	}
	if err := o.Tell(s, filepath.Join(o.resume, journal.SpecName)); err != nil {
		return err
	}
	err = serve.Resume(ctx, s, o.Options)
	if errors.Is(err, resume.ErrAllAnswered) {
		if !o.Quiet {
			fmt.Fprintln(s.Err, err)
		}
		return report.Run(ctx, s, []string{o.resume})
	}
	return err
}

// specOf is the Spec in the folder that goes on.
func (o *options) specOf(s command.Streams) (*spec.Spec, error) {
	if info, err := os.Stat(o.resume); err != nil || !info.IsDir() {
		return nil, argv.Errorf("resume", "needs the folder of a run, and %s is none", o.resume)
	}
	if err := noLinks(o.resume); err != nil {
		return nil, err
	}
	file := filepath.Join(o.resume, journal.SpecName)
	asked, err := serve.ReadSpec(s, file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, argv.Errorf("resume", "needs the folder of a run, and %s holds no %s", o.resume, journal.SpecName)
	}
	if err != nil {
		return nil, err
	}
	if !asked.Asks() {
		return nil, argv.Errorf("resume", "can only go on with an eval, and the run in %s asks no questions", o.resume)
	}
	return asked, nil
}

// noLinks refuses a folder with a link in it: this program makes none, and what is written into
// the folder would go to where the link leads.
func noLinks(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			return argv.Errorf("resume", "is given the folder %s, in which %s is a link: a run's folder has none, and it would be written through", folder, outside.Word(e.Name()))
		}
	}
	return nil
}
