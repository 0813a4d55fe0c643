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
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/door"
	"github.com/inferometer/inferometer/internal/cli/shell"
	"github.com/inferometer/inferometer/internal/cli/sweep"
	"github.com/inferometer/inferometer/internal/eval/sandbox"
)

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
		return command.Finish(s.Err, "", door.Run(ctx, s, args))
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
	fmt.Fprintf(w, "\ninferometer %s COMMAND --help lists the flags of a command.\n", word)
}

// isGroup says whether a word begins a command of several words, as bench does.
func isGroup(word string) bool {
	return slices.ContainsFunc(commands(), func(c command.Entry) bool { return strings.HasPrefix(c.Name, word+" ") })
}
