package cli

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/shell"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/table"
)

// help tells what words mean: a command, whose own help it is (then asked is what to run), a
// flag, or a word of the results.
func help(s command.Streams, words []string) (asked []string, code int) {
	name := strings.Join(words, " ")
	for _, c := range described() {
		if name == c.Name || strings.HasPrefix(c.Name, name+" ") || strings.HasPrefix(name, c.Name+" -") {
			if also := shell.Find(described(), "--"+name); len(words) == 1 && len(also) > 0 {
				fmt.Fprintf(s.Err, "note: %s is also a %s: inferometer help --%s\n", name, also[0].Sense, name)
			}
			return append(words[:len(words):len(words)], "--help"), command.ExitDone
		}
	}
	found := shell.Find(described(), name)
	if len(found) > 0 {
		shell.Write(s.Out, found, command.TerminalWidth(s.Out))
		return nil, command.ExitDone
	}
	set, _ := serve.Flags()
	if advice := set.Advice(name); advice != "" {
		fmt.Fprintf(s.Out, "%s\n", table.Wrap(name+" "+advice, command.TerminalWidth(s.Out), "  "))
		return nil, command.ExitDone
	}
	fmt.Fprintf(s.Err, "inferometer help: nothing here is called %q", outside.Word(name))
	switch near := shell.Near(described(), name); {
	case meant(name) != "":
		fmt.Fprintf(s.Err, ": did you mean inferometer %s?\n", meant(name))
	case near != "":
		fmt.Fprintf(s.Err, ": did you mean %s?\n", near)
	default:
		fmt.Fprint(s.Err, "\n(inferometer --help lists the commands)\n")
	}
	return nil, command.ExitUsage
}
