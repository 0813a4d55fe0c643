package cli

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/cli/check"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/compare"
	"github.com/inferometer/inferometer/internal/cli/eval"
	"github.com/inferometer/inferometer/internal/cli/explain"
	"github.com/inferometer/inferometer/internal/cli/find"
	"github.com/inferometer/inferometer/internal/cli/fleet"
	"github.com/inferometer/inferometer/internal/cli/handoff"
	"github.com/inferometer/inferometer/internal/cli/multiturn"
	"github.com/inferometer/inferometer/internal/cli/record"
	"github.com/inferometer/inferometer/internal/cli/report"
	"github.com/inferometer/inferometer/internal/cli/run"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/serve/batches"
	"github.com/inferometer/inferometer/internal/cli/shell"
	"github.com/inferometer/inferometer/internal/cli/startup"
	"github.com/inferometer/inferometer/internal/cli/sweep"
	"github.com/inferometer/inferometer/internal/cli/tokenize"
	"github.com/inferometer/inferometer/internal/cli/trace"
	"github.com/inferometer/inferometer/internal/cli/upload"
)

// entry is a command.Entry whose three parts need no names here.
type entry command.Entry

// heading is the commands under one title of the help.
type heading struct {
	title    string
	commands []entry
}

// headings list all commands in the order of the help: what a newcomer needs first, then the rest by
// what it is for.
func headings() []heading {
	return []heading{
		{"Start with", []entry{
			{"bench serve", "benchmark a server; a drop-in for vllm bench serve", serve.Bench},
			{"find", "find the highest rate or concurrency at which an SLO holds", find.Find},
			{"run", "run a whole experiment from one file: servers, matrix, table", run.Run},
			{"compare", "compare results, ours and other tools'", compare.Run},
			{"report", "show the result of a run again, from its journal", report.Run},
		}},
		{"Measure", []entry{
			{"ab", "measure two servers in turns until the difference is clear", find.AB},
			{"eval", "ask the questions of a task: accuracy as well as speed", eval.Run},
			{"init", "write a scenario for a server that is running", run.Init},
			{"exec", "run a Spec: one run of bench serve as a file", serve.Exec},
			{"bench latency", "batches of one shape; a drop-in for vllm bench latency", batches.Latency},
			{"bench throughput", "everything at once; a drop-in for vllm bench throughput", serve.Throughput},
			{"bench shapes", "prompt and generation speed by shape, as llama-bench", batches.Shapes},
			{"bench startup", "how a server becomes useful: process, ready, first token, cold and warm", startup.Run},
			{"bench handoff", "the time to the first token taken apart: prefill, transfer, decode", handoff.Run},
			{"bench multi-turn", "conversations; a drop-in for vLLM's multi-turn script", multiturn.Run},
			{"bench sweep", "vLLM's sweeps: serve, serve_workload, plot, plot_pareto", sweep.Run},
		}},
		{"Look closer", []entry{
			{"explain", "say what limited a run, and where the time went", explain.Run},
			{"serve-report", "show a folder of runs in a browser, with their history", report.Serve},
			{"trace stats", "summarize recorded traffic: arrivals, lengths, jobs, cache hits", trace.Stats},
			{"trace convert", "write recorded jobs of any format as trees, one a line", trace.Convert},
			{"tokenize", "show what a text becomes: tokens, ids, bytes", tokenize.Run},
			{"upload", "put the files of a run into an S3-compatible bucket", upload.Run},
		}},
		{"Check the measurement", []entry{
			{"doctor", "look for what would spoil a measurement, and how to fix it", check.Doctor},
			{"selftest", "measure our own error on this machine", check.Selftest},
		}},
		{"Serve", []entry{
			{"sim", "a simulated inference server whose true times are known", check.Sim},
			{"record", "a proxy that captures a server's traffic as a trace", record.Run},
		}},
		{"Many machines", []entry{
			{"agent", "take part in runs that many machines send together", fleet.Agent},
			{"fleet init", "write what the nats-server of a fleet needs", fleet.Init},
			{"fleet status", "list the agents of a fleet, and the progress of its runs", fleet.Status},
			{"fleet attach", "take over a run whose leader has died", fleet.Attach},
		}},
		{"Shell", []entry{
			{"completion", "print a script that completes commands, flags and values", shell.Completion},
			{"man", "print the man page of a command, or write all of them", shell.Man(described)},
			{"version", "print the version", version},
		}},
	}
}

// commands lists all commands in the order of the help.
func commands() (all []command.Entry) {
	for _, h := range headings() {
		for _, c := range h.commands {
			all = append(all, command.Entry(c))
		}
	}
	return all
}

// overview is the help of the program.
func overview(w io.Writer) {
	fmt.Fprint(w, "Inferometer measures LLM inference servers, and says whether the numbers can be\ntrusted.\n\n",
		"usage: inferometer URL [flags]      measure the server at URL\n",
		"       inferometer COMMAND [flags]\n\n",
		"  inferometer http://localhost:8000\n",
		"  inferometer :11434 --model llama3.2 --max-concurrency 4\n")
	for _, h := range headings() {
		fmt.Fprintf(w, "\n%s:\n", h.title)
		for _, c := range h.commands {
			fmt.Fprintf(w, "  %-16s %s\n", c.Name, c.Summary)
		}
	}
	fmt.Fprint(w, "\nNo server at hand? inferometer sim --listen 127.0.0.1:8000 simulates one.\n",
		"inferometer COMMAND --help lists the flags of a command. inferometer help WORD\n",
		"says what a flag, a metric, an outcome, a verdict or an exit code means.\n")
}
