package serve

import (
	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/within"
)

// list declares a flag that may be given several times.
func list(set *argv.Set, to *[]string, name, metavar, help string, opts ...argv.Option) {
	store := func(text string) error {
		if text == "" {
			return argv.Errorf(name, "needs a value")
		}
		*to = append(*to, text)
		return nil
	}
	set.Custom(name, "", help+" It may be given several times.", store, append([]argv.Option{argv.Metavar(metavar), argv.WholeName()}, opts...)...)
}

// defineAllowRead declares what the files of a task, or of a generator of conversations, may
// have read.
func defineAllowRead(set *argv.Set, o *Options, opts ...argv.Option) {
	list(set, &o.allowed.Read, within.Flag, "DIR", "A folder from which files are read that a task's file, or that of a dataset, names outside of its own folder.",
		append([]argv.Option{argv.Shown("none")}, opts...)...)
}

// DefineStranger declares what a Spec of a file may do beyond the current folder.
func DefineStranger(set *argv.Set, o *Options, opts ...argv.Option) {
	DefineAllowWrite(set, o, opts...)
	list(set, &o.allowed.Env, bench.FlagAllowEnv, "NAME", "A variable of the environment that the Spec may have sent to its servers, beside OPENAI_API_KEY.", append([]argv.Option{argv.Shown("none")}, opts...)...)
	set.Bool(&o.ownSpec, bench.FlagOwnSpec, "The Spec is our own.", append([]argv.Option{argv.Hidden(), argv.WholeName()}, opts...)...)
}

// DefineAllowWrite declares where a Spec of a file may write.
func DefineAllowWrite(set *argv.Set, o *Options, opts ...argv.Option) {
	list(set, &o.allowed.Write, bench.FlagAllowWrite, "DIR", "A folder that the Spec may have results written to, beside the current one.", append([]argv.Option{argv.Shown("none")}, opts...)...)
}

// Hold holds a Spec of a file to what the user allowed, unless another of our processes
// wrote it for this one.
func (o *Options) Hold(spec *bench.Spec) error {
	if o.ownSpec {
		spec.May = &o.allowed
		return nil
	}
	o.allowed.Set = func(name string) bool { value, ok := o.lookup(name); return ok && value != "" }
	return spec.Hold(o.allowed)
}

// Tell says, before anything is sent, what a Spec of a file touches.
func (o *Options) Tell(s command.Streams, name string) error {
	if o.Quiet || o.ownSpec {
		return nil
	}
	if name == "-" {
		name = "standard input"
	}
	return o.Reach(o.lookup).Write(s.Err, name)
}

// Allow says whether the user lets programs be run that are answers.
func (o *Options) Allow(code bool) { o.allowed.Code = code }
