// Package cli is the command line: one folder per group of commands. It is the only
// room that prints, reads flags and the environment, and exits.
package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/check"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/compare"
	"github.com/inferometer/inferometer/internal/cli/door"
	"github.com/inferometer/inferometer/internal/cli/eval"
	"github.com/inferometer/inferometer/internal/cli/explain"
	"github.com/inferometer/inferometer/internal/cli/find"
	"github.com/inferometer/inferometer/internal/cli/fleet"
	"github.com/inferometer/inferometer/internal/cli/multiturn"
	"github.com/inferometer/inferometer/internal/cli/record"
	"github.com/inferometer/inferometer/internal/cli/report"
	"github.com/inferometer/inferometer/internal/cli/run"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/serve/batches"
	"github.com/inferometer/inferometer/internal/cli/shell"
	"github.com/inferometer/inferometer/internal/cli/sweep"
	"github.com/inferometer/inferometer/internal/cli/tokenize"
	"github.com/inferometer/inferometer/internal/cli/trace"
	"github.com/inferometer/inferometer/internal/cli/upload"
	"github.com/inferometer/inferometer/internal/eval/sandbox"
)

// commands lists all commands in the order of the help.
func commands() []command.Entry {
	type entry command.Entry // whose three parts need no names here
	var all []command.Entry
	for _, c := range []entry{
		{"bench serve", "benchmark a server; a drop-in for vllm bench serve", serve.Bench},
		{"bench latency", "batches of one shape; a drop-in for vllm bench latency", batches.Latency},
		{"bench throughput", "everything at once; a drop-in for vllm bench throughput", serve.Throughput},
		{"bench shapes", "prompt processing and generation by shape, as llama-bench shows them", batches.Shapes},
		{"bench multi-turn", "conversations; a drop-in for vLLM's multi-turn script", multiturn.Run},
		{"bench sweep", "many settings of a server and a benchmark: serve, serve_workload, plot, plot_pareto", sweep.Run},
		{"eval", "ask the questions of a task, and score the answers beside the speed", eval.Run},
		{"exec", "run a Spec: one run of bench serve as a file", serve.Exec},
		{"run", "run a whole experiment from one file: servers, matrix, table", run.Run},
		{"find", "find the highest rate or concurrency at which an SLO holds", find.Find},
		{"agent", "take part in runs that many machines send together", fleet.Agent},
		{"init", "write a scenario for a server that is running", run.Init},
		{"upload", "put the files of a run into a bucket of an S3-compatible store", upload.Run},
		{"report", "show the result of a run again, from its journal", report.Run},
		{"explain", "say what limited a run, with evidence, and where the time went", explain.Run},
		{"serve-report", "show a folder of runs in a browser, with their history", report.Serve},
		{"doctor", "look for what would spoil a measurement, and how to fix it", check.Doctor},
		{"selftest", "measure our own error on this machine", check.Selftest},
		{"compare", "compare results: ours and other tools'", compare.Run},
		{"ab", "run two servers in turns until it is clear which is faster", find.AB},
		{"record", "a proxy in front of a server that captures its traffic as a trace", record.Run},
		{"trace stats", "what a recording of traffic holds: arrivals, lengths, turns, expected cache hits", trace.Stats},
		{"tokenize", "show what a text becomes: tokens, ids, bytes", tokenize.Run},
		{"sim", "a simulated inference server whose truth is known", check.Sim},
		{"fleet init", "write what the nats-server of a fleet needs, and say what to type", fleet.Init},
		{"fleet status", "list the agents of a fleet, and how far its runs are", fleet.Status},
		{"fleet attach", "take over a run whose leader has died", fleet.Attach},
		{"completion", "print a script that completes commands, flags and values in bash, zsh or fish", shell.Completion},
		{"man", "print the man page of a command, or write all of them", shell.Man(described)},
		{"version", "print the version", version},
	} {
		all = append(all, command.Entry(c))
	}
	return all
}

// described are all commands that have flags of their own: those of bench sweep one by one.
func described() (all []command.Entry) {
	for _, c := range commands() {
		if c.Name != "bench sweep" {
			all = append(all, c)
			continue
		}
		for _, under := range sweep.Commands() {
			if under.Summary != "" {
				under.Name = c.Name + " " + under.Name
				all = append(all, under)
			}
		}
	}
	return all
}

// Main runs the command that args name and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := command.Streams{In: stdin, Out: stdout, Err: stderr, Elsewhere: elsewhere}
	if len(args) == 0 {
		overview(s.Err)
		return command.ExitUsage
	}
	switch args[0] {
	case "help", "-h", "--help", argv.HelpAll:
		if len(args) == 1 {
			overview(s.Out)
			return command.ExitDone
		}
		asked, code := help(s, args[1:])
		if asked == nil {
			return code
		}
		args = asked
	case "--version":
		args[0] = "version"
	case shell.Hidden: // what the scripts of the shells ask
		(&shell.Completer{Commands: described(), Helped: shell.Offered}).Answer(s.Out, args[1:])
		return command.ExitDone
	case sandbox.Command: // a part of a run, and no command
		if err := sandbox.Main(args[1:]); err != nil {
			fmt.Fprintf(s.Err, "inferometer %s: %v\n", sandbox.Command, err)
			return command.ExitUsage
		}
		return command.ExitDone
	}
	if door.Is(args) {
		return command.Finish(s.Err, "bench serve", door.Run(ctx, s, args))
	}
	for _, c := range commands() {
		words := strings.Fields(c.Name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.Name {
			return command.Finish(s.Err, c.Name, c.Run(ctx, s, args[len(words):]))
		}
	}
	name := args[0]
	if isGroup(name) {
		switch {
		case len(args) == 1:
			group(s.Err, name)
			return command.ExitUsage
		case args[1] == "-h" || args[1] == "--help" || args[1] == argv.HelpAll:
			group(s.Out, name)
			return command.ExitDone
		case strings.HasPrefix(args[1], "-") && name == "bench":
			return flagFirst(s, args[1:])
		case strings.HasPrefix(args[1], "-"):
			fmt.Fprintf(s.Err, "inferometer %s: which of its commands is missing\n\n", name)
			group(s.Err, name)
			return command.ExitUsage
		}
	}
	return unknown(s, args)
}

// group lists the commands that begin with a word.
func group(w io.Writer, word string) {
	fmt.Fprintf(w, "usage: inferometer %s COMMAND [flags]\n\n", word)
	for _, c := range commands() {
		if strings.HasPrefix(c.Name, word+" ") {
			fmt.Fprintf(w, "  %-16s %s\n", c.Name, c.Summary)
		}
	}
	fmt.Fprintf(w, "\ninferometer %s COMMAND --help tells the flags of a command.\n", word)
}

// isGroup says whether a word begins a command of several words, as bench does.
func isGroup(word string) bool {
	return slices.ContainsFunc(commands(), func(c command.Entry) bool { return strings.HasPrefix(c.Name, word+" ") })
}

func overview(w io.Writer) {
	fmt.Fprint(w, "inferometer measures LLM inference servers, and proves that the measurement can be trusted.\n\n",
		"usage: inferometer COMMAND [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-16s %s\n", c.Name, c.Summary)
	}
	fmt.Fprint(w, "\nExamples:\n",
		"  inferometer sim --listen 127.0.0.1:8000\n",
		"  inferometer bench serve --backend vllm --model sim --max-concurrency 8 --num-prompts 64\n",
		"\ninferometer COMMAND --help tells the flags of a command; inferometer help WORD what a flag, a metric, an outcome, a verdict or an exit code means.\n")
}
