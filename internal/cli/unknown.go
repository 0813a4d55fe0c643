package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/peers"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/shell"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// unknown answers a command line that begins with no command of ours: with what to type.
func unknown(s command.Streams, args []string) int {
	if strings.HasPrefix(args[0], "-") {
		return flagFirst(s, args)
	}
	if owners, theirs, n := peers.Find(args); n > 0 {
		foreignCommand(s, owners, theirs, args[:n], args[n:])
		return command.ExitUsage
	}
	name := args[0]
	if isGroup(name) && len(args) > 1 {
		name += " " + args[1]
	}
	fmt.Fprintf(s.Err, "inferometer: there is no command %q", outside.Word(name))
	switch meant := meant(name); {
	case meant != "":
		fmt.Fprintf(s.Err, ": did you mean inferometer %s?\n", meant)
	case isGroup(args[0]):
		fmt.Fprintf(s.Err, "\n(inferometer %s --help lists those that there are)\n", args[0])
	default:
		fmt.Fprint(s.Err, "\n(inferometer --help lists the commands)\n")
	}
	return command.ExitUsage
}

// flagFirst answers a command line that has no command at all.
func flagFirst(s command.Streams, args []string) int {
	set, _ := serve.Flags()
	name, _, _ := strings.Cut(args[0], "=")
	if mended, ok := set.Mend(args); ok && (set.Resolve(name) != nil || len(mended) > 0) {
		fmt.Fprintf(s.Err, "inferometer: the command is missing before %s\nType:\n  inferometer bench serve %s\n", outside.Word(name), shlex.Join(mended))
	} else {
		fmt.Fprintf(s.Err, "inferometer: the command is missing before %s\n(inferometer --help lists the commands)\n", outside.Word(name))
	}
	return command.ExitUsage
}

// foreignCommand says how a command of other tools is called here, with its flags where they
// can be told in our words too.
func foreignCommand(s command.Streams, owners []*peers.Tool, theirs peers.Command, words, rest []string) {
	said := fmt.Sprintf("%s is a command of %s", strings.Join(words, " "), peers.Names(owners))
	if strings.EqualFold(words[0], peers.Names(owners)) && len(words) == 1 {
		said = words[0] + " is another tool"
	}
	if theirs.Here == "" {
		fmt.Fprintf(s.Err, "inferometer: %s: it %s\n", said, theirs.Plain())
		return
	}
	said += ": here it is called " + theirs.Here
	if theirs.Remark != "" {
		said += ", which " + theirs.Plain()
	}
	line := "inferometer " + theirs.Here
	if theirs.Here != "bench serve" {
		fmt.Fprintf(s.Err, "inferometer: %s\nType:\n  %s --help\n", said, line)
		return
	}
	set, _ := serve.Flags()
	peers.DeclareOnly(set, owners)
	rest = slices.DeleteFunc(slices.Clone(rest), isScript)
	if mended, ok := set.Mend(rest); ok {
		if len(mended) == 0 {
			mended = []string{"--base-url", "http://localhost:8000"}
		}
		fmt.Fprintf(s.Err, "inferometer: %s\nType:\n  %s %s\n", said, line, shlex.Join(mended))
	} else if err := set.Parse(rest); err != nil {
		fmt.Fprintf(s.Err, "inferometer: %s\n%v\n", said, err)
	}
}

// isScript says that an argument is the program of a load generator that runs one.
func isScript(arg string) bool {
	return slices.Contains([]string{".js", ".ts", ".py"}, filepath.Ext(arg)) && !strings.HasPrefix(arg, "-")
}

// meant is the command that a wrong name is close to: whole, without the group that it belongs
// to, or the group; empty: none.
func meant(wrong string) string {
	byWord := map[string]string{}
	var words []string
	for _, c := range commands() {
		whole := strings.Fields(c.Name)
		for _, w := range [][2]string{{c.Name, c.Name}, {whole[len(whole)-1], c.Name}, {whole[0], whole[0]}} {
			if word, means := w[0], w[1]; byWord[word] == "" {
				byWord[word] = means
				words = append(words, word)
			}
		}
	}
	return byWord[usage.Nearest(strings.ToLower(wrong), words)]
}

// elsewhere says which commands have a flag.
func elsewhere(flag string) string {
	const most = 3
	var names []string
	for _, m := range shell.Find(described(), flag) {
		in, ok := strings.CutPrefix(m.Sense, "flag of ")
		if ok {
			names = append(names, strings.Split(in, ", ")...)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return ""
	}
	if len(names) > most {
		names = append(names[:most:most], "others")
	}
	return flag + " is a flag of " + peers.Enumerate(names)
}
