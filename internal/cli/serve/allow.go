package serve

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/files/within"
	"github.com/inferometer/inferometer/internal/spec"
)

// list declares a flag that may be given several times. wrong says what is wrong with a value.
func list(set *argv.Set, to *[]string, name, metavar, help string, wrong func(text string) error, opts ...argv.Option) {
	store := func(text string) error {
		if err := wrong(text); err != nil {
			return err
		}
		*to = append(*to, text)
		return nil
	}
	opts = append([]argv.Option{argv.Metavar(metavar), argv.WholeName(), argv.Shown("none")}, opts...)
	set.Custom(name, "", help+" It may be given several times.", store, opts...)
}

// noFolder: one that is mistyped would allow nothing, without a word.
func noFolder(text string) error {
	if _, err := os.Stat(text); err != nil {
		return fmt.Errorf("needs a folder that is there: %w", err)
	}
	return nil
}

func noPath(text string) error {
	if text == "" {
		return errors.New("needs a folder")
	}
	return nil
}

func noName(text string) error {
	if text == "" || strings.ContainsAny(text, "= \t") {
		return errors.New("needs the name of a variable, and not what is in it")
	}
	return nil
}

const (
	allowReadHelp     = "A folder from which files are read that a task's file, or that of a dataset, names outside of its own folder."
	allowReadSpecHelp = "A folder that the Spec may read besides the current one, and that files of tasks and datasets may read besides their own."
)

// defineAllowRead declares what the files of a task, or of a generator of conversations, may
// have read.
func defineAllowRead(set *argv.Set, o *Options, help string, opts ...argv.Option) {
	list(set, &o.allowed.Read, within.Flag, "DIR", help, noFolder, opts...)
}

// DefineStranger declares what a Spec of a file may do beyond the current folder.
func DefineStranger(set *argv.Set, o *Options, opts ...argv.Option) {
	DefineAllowWrite(set, o, opts...)
	list(set, &o.allowed.Env, spec.FlagAllowEnv, "NAME", "An environment variable that the Spec may send to its servers, besides OPENAI_API_KEY.", noName, opts...)
	set.Bool(&o.ownSpec, spec.FlagOwnSpec, "The Spec is our own.", append([]argv.Option{argv.Hidden(), argv.WholeName()}, opts...)...)
}

// DefineAllowWrite declares where a Spec of a file may write.
func DefineAllowWrite(set *argv.Set, o *Options, opts ...argv.Option) {
	list(set, &o.allowed.Write, spec.FlagAllowWrite, "DIR", "A folder that the Spec may write results to, besides the current one.", noPath, opts...)
}

// Hold holds a Spec of a file to what the user allowed, unless another of our processes
// wrote it for this one.
func (o *Options) Hold(asked *spec.Spec) error {
	if o.ownSpec {
		asked.May = &o.allowed
		return nil
	}
	o.allowed.Set = func(name string) bool { value, ok := o.lookup(name); return ok && value != "" }
	return asked.Hold(o.allowed)
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
