// Package sweep is the commands of bench sweep: vLLM's flags, and what they print.
package sweep

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// Commands are what follows bench sweep, as vLLM names it. One without a summary is not listed.
func Commands() []command.Entry {
	type entry command.Entry
	var all []command.Entry
	for _, c := range []entry{
		{"serve", "run a benchmark under many settings of a server and of the benchmark", runServe},
		{"serve_workload", "find levels of load between one request at a time and all at once, and run them", runWorkload},
		{"plot", "draw curves of what a sweep has measured", runPlot},
		{"plot_pareto", "draw tokens/s for each user against tokens/s for each GPU, with the best of both", runPareto},
		{"startup", "measure the start of a server under many settings of it", runStartup},
	} {
		all = append(all, command.Entry(c))
	}
	return all
}

// Run hands over to one of its commands.
func Run(ctx context.Context, s command.Streams, args []string) error {
	if len(args) == 0 {
		overview(s.Err)
		return command.Exit(command.ExitUsage, nil)
	}
	if args[0] == "-h" || args[0] == "--help" || args[0] == argv.HelpAll {
		overview(s.Out)
		return nil
	}
	for _, c := range Commands() {
		if c.Name != args[0] {
			continue
		}
		if err := c.Run(ctx, s, args[1:]); err != nil {
			return command.Exit(command.Finish(s.Err, "bench sweep "+c.Name, err), nil)
		}
		return nil
	}
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	fmt.Fprintf(s.Err, "inferometer bench sweep: there is no command %q", outside.Word(args[0]))
	if near := usage.Nearest(strings.ToLower(args[0]), names); near != "" {
		fmt.Fprintf(s.Err, ": did you mean inferometer bench sweep %s?\n", near)
	} else {
		fmt.Fprint(s.Err, "\n(inferometer bench sweep --help lists those that there are)\n")
	}
	return command.Exit(command.ExitUsage, nil)
}

func overview(w io.Writer) {
	fmt.Fprint(w, "usage: inferometer bench sweep COMMAND [flags]\n\n")
	for _, c := range Commands() {
		if c.Summary != "" {
			fmt.Fprintf(w, "  %-14s  %s\n", c.Name, c.Summary)
		}
	}
	fmt.Fprint(w, "\nExamples:\n",
		"  inferometer bench sweep serve --serve-cmd 'vllm serve MODEL' --bench-cmd 'inferometer bench serve --model MODEL' \\\n",
		"    --serve-params serve.json --bench-params bench.json -e tuning\n",
		"  inferometer bench sweep plot results/tuning --curve-by max_num_seqs\n",
		"\ninferometer bench sweep COMMAND --help lists the flags of a command.\n")
}

// programs says which program a command of a sweep starts. inferometer is
// ourselves, wherever we lie. vllm bench serve is vLLM's own where it is installed,
// and ours where it isn't: its flags are ours too.
func programs() (func([]string) []string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own program: %w", err)
	}
	return func(words []string) []string {
		ours := words[0] == "inferometer"
		if len(words) > 2 && words[0] == "vllm" && words[1] == "bench" && words[2] == "serve" {
			_, err := exec.LookPath("vllm")
			ours = err != nil
		}
		if !ours {
			return words
		}
		return append([]string{self}, words[1:]...)
	}, nil
}
