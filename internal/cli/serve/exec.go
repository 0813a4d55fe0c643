package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

// Exec runs a Spec and shows it as bench serve does.
func Exec(ctx context.Context, s command.Streams, args []string) error {
	o := &Options{}
	set := argv.New("inferometer exec",
		"Run a Spec: a file that says what is sent, when, to whom and what is kept, as bench serve --print-spec writes it. "+
			"It is shown as bench serve shows a run. Secrets are in the environment variables that the file names.")
	set.Example("Write down what flags ask for, and run it later",
		"inferometer bench serve --max-concurrency 32 --num-prompts 200 --print-spec > run.json && inferometer exec run.json")
	set.Example("The same without a file", "inferometer bench serve --request-rate 10 --num-prompts 600 --print-spec | inferometer exec -")
	set.Example("With a key, which stands in no file", "OPENAI_API_KEY=… inferometer exec --run-dir results/1 run.json")
	set.Operands("SPEC.json", 1, 1)
	var runDir string
	set.String(&runDir, "run-dir", "", "Folder for the run's journal and result.", argv.Metavar("DIR"), argv.Shown("the Spec's"))
	set.Bool(&o.CI, "ci", CIHelp)
	defineFormat(set, o)
	set.Choice(&o.Progress, "progress", "auto", []string{"auto", "plain", "bar", "none"},
		"How progress is shown. auto is a bar on a terminal and plain lines elsewhere.")
	set.Bool(&o.Quiet, "quiet", "Print the result and errors only.")
	set.String(&o.CPUProfile, "cpu-profile", "", "Write a profile of this program's own CPU time, for go tool pprof.", argv.Metavar("FILE"), argv.Hidden())
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if o.Quiet && !set.Seen("progress") {
		o.Progress = "none"
	}
	file := set.Args()[0]
	spec, err := readSpec(s, file)
	if err != nil {
		return err
	}
	o.Spec = *spec
	if runDir != "" {
		o.RunDir = runDir
	}
	if len(o.Command) == 0 {
		o.Command = []string{"inferometer", "exec", file}
	}
	return newServeRun(o, s).do(ctx)
}

// readSpec reads the Spec of a file, or of standard input.
func readSpec(s command.Streams, file string) (*bench.Spec, error) {
	var from io.Reader = s.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("read the Spec: %w", err)
		}
		defer f.Close()
		from = f
	}
	spec, err := bench.Decode(from)
	var usage *argv.UsageError
	if errors.As(err, &usage) {
		located := *usage
		if located.File = file; file == "-" {
			located.File = "standard input"
		}
		return nil, &located
	}
	return spec, err
}

// printSpec writes the Spec of the flags. Which variables are to be set for it is said
// beside it.
func (o *Options) printSpec(s command.Streams) error {
	for _, name := range slices.Sorted(maps.Keys(o.secrets)) {
		fmt.Fprintf(s.Err, "note: a secret of these flags is not in the Spec: set %s before inferometer exec\n", name)
	}
	_, err := s.Out.Write(o.Encode())
	return err
}
