package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare/rehearsal"
	"github.com/inferometer/inferometer/internal/spec"
)

// Exec runs a Spec and shows it as bench serve does.
func Exec(ctx context.Context, s command.Streams, args []string) error {
	o := &Options{}
	set := argv.New("inferometer exec",
		"Run a Spec: a file that says what is sent, when, to whom and what is kept, as bench serve --print-spec writes it; or a lock, as bench serve --lock writes it: then exactly the bytes and times of the lock are sent, or nothing. "+
			"The output is that of bench serve. Secrets are in the environment variables that the file names. "+
			"The file may be somebody else's: it may read and write only below the current folder, gets no variable except OPENAI_API_KEY and runs no programs, unless flags allow more (docs/spec.md).")
	set.Example("Write down what flags ask for, and run it later",
		"inferometer bench serve --max-concurrency 32 --num-prompts 200 --print-spec > run.json && inferometer exec run.json")
	set.Example("The same without a file", "inferometer bench serve --request-rate 10 --num-prompts 600 --print-spec | inferometer exec -")
	set.Example("With a key, which is written to no file", "OPENAI_API_KEY=… inferometer exec --run-dir results/1 run.json")
	set.Example("Send what another machine has locked to a server on this one", "inferometer exec load.lock --base-url http://127.0.0.1:8000")
	set.Operands("SPEC.json", 1, 1)
	set.CompleteOperands(argv.File)
	var runDir, baseURL, tokenizer, datasetPath string
	set.String(&runDir, "run-dir", "", "Folder for the run's journal and result.", argv.Metavar("DIR"), argv.Shown("the Spec's"), argv.Short('o'))
	set.String(&baseURL, "base-url", "", "The server, in place of the Spec's.", argv.Metavar("URL"), argv.Server(), argv.Shown("the Spec's"), argv.Redact(outside.RedactURL))
	set.String(&tokenizer, "tokenizer", "", "Where the tokenizer is on this machine, or its name, in place of the Spec's.", argv.Metavar("PATH"), argv.Shown("the Spec's"))
	defineAllowRead(set, o, allowReadSpecHelp)
	DefineStranger(set, o)
	set.Bool(&o.allowed.Code, spec.FlagAllowCode, "Let the Spec run programs that are answers, in a sandbox (docs/code.md).", argv.WholeName())
	set.Bool(&o.allowed.Commands, spec.FlagAllowFault, "Let the Spec run its commands of --fault on this machine (docs/faults.md).", argv.WholeName())
	set.String(&datasetPath, "dataset-path", "", "Where the dataset is on this machine, in place of the Spec's.", argv.Metavar("FILE"), argv.Shown("the Spec's"))
	set.Bool(&o.DryRun, "dry-run", dryRunHelp)
	set.Bool(&o.Details, "details", DetailsHelp)
	defineEvents(set, o)
	defineFormat(set, o)
	o.Upload.Define(set)
	defineExport(set, o)
	view.Define(set, &o.Progress)
	set.Bool(&o.Quiet, "quiet", "Print only the result and errors.")
	set.String(&o.CPUProfile, "cpu-profile", "", "Write a profile of this program's own CPU time, for go tool pprof.", argv.Metavar("FILE"), argv.Hidden())
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if o.Quiet && !set.Seen("progress") {
		o.Progress = "none"
	}
	file := set.Args()[0]
	asked, lock, err := readSpec(s, file)
	if err != nil {
		return err
	}
	o.Spec = *asked
	if err := o.place(baseURL, tokenizer, datasetPath, runDir); err != nil {
		return err
	}
	if err := o.checkEvents(); err != nil {
		return err
	}
	if err := o.checkRehearsal(); err != nil {
		return err
	}
	if err := o.Upload.Check(); err != nil {
		return err
	}
	if err := o.CheckExport(set); err != nil {
		return err
	}
	if len(o.Command) == 0 {
		o.Command = []string{"inferometer", "exec", file}
	}
	r := newServeRun(o, s)
	if lock != nil {
		r.holdAgainst(lock, file)
	}
	if err := o.Tell(r.Streams, file); err != nil {
		return err
	}
	if o.DryRun {
		return r.dryRun(ctx)
	}
	return r.do(ctx)
}

// place puts the places of this machine into a Spec of another one. What was typed is free;
// all else that the file names is held to what it may.
func (o *Options) place(baseURL, tokenizer, datasetPath, runDir string) error {
	if tokenizer != "" {
		o.Tokenizer, o.TokenizerRevision, o.SkipTokenizerInit = tokenizer, "", false
		o.allowed.Read = append(o.allowed.Read, tokenizer)
	}
	if datasetPath != "" {
		o.Path, o.DatasetRevision = datasetPath, ""
		o.allowed.Read = append(o.allowed.Read, datasetPath)
	}
	if runDir != "" {
		o.RunDir = ""
	}
	if baseURL != "" {
		o.Login = spec.Value{}
	}
	if err := o.Hold(&o.Spec); err != nil {
		return err
	}
	if runDir != "" {
		o.RunDir = runDir
	}
	if baseURL != "" {
		o.URLs = []string{baseURL}
		if err := o.TakeAddresses(func(string) bool { return true }); err != nil {
			return err
		}
		server, login := spec.SplitLogin(o.URLs[0])
		o.URLs, o.Login = []string{server}, o.secret("LOGIN", login)
	}
	return o.Spec.Validate()
}

// mostFile bounds a Spec's file, or a lock's, which holds a Spec.
const mostFile = 33 << 20

// readSpec reads the Spec of a file, or of standard input. lock is the one that it is
// part of, or nil.
func readSpec(s command.Streams, file string) (*spec.Spec, *rehearsal.Lock, error) {
	var from io.Reader = s.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, nil, fmt.Errorf("read the Spec: %w", err)
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, mostFile))
	if err != nil {
		return nil, nil, fmt.Errorf("read the Spec: %w", err)
	}
	lock, asked, err := specOfLock(b)
	if lock == nil && err == nil {
		asked, err = spec.Decode(bytes.NewReader(b))
	}
	var usage *argv.UsageError
	if errors.As(err, &usage) {
		located := *usage
		if located.File = file; file == "-" {
			located.File = "standard input"
		}
		return nil, nil, &located
	}
	return asked, lock, err
}

// printSpec writes the Spec of the flags. Which variables are to be set for it is said
// beside it.
func (o *Options) printSpec(s command.Streams) error {
	for _, name := range slices.Sorted(maps.Keys(o.secrets)) {
		fmt.Fprintf(s.Err, "note: a secret of these flags is not in the Spec: set %s before inferometer exec, and give it --%s %s\n", name, spec.FlagAllowEnv, name)
	}
	_, err := s.Out.Write(o.Encode())
	return err
}
