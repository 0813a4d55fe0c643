package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/target"
)

// argsVariable holds the arguments of a child of ours whose command line shows them
// redacted: all users of a machine may read a command line, but not an environment.
const argsVariable = "INFEROMETER_ARGS"

// ownCommand is our own program with arguments that may hold secrets.
func ownCommand(program string, args []string) target.Command {
	shown := redactOwn(args)
	c := target.Command{Args: append([]string{program}, shown...)}
	if !slices.Equal(shown, args) {
		b, _ := json.Marshal(args) // texts always marshal
		c.Env = []string{argsVariable + "=" + string(b)}
	}
	return c
}

// redactOwn hides what a command line of ours should not show.
func redactOwn(args []string) []string {
	for name, flags := range map[string]func() *argv.Set{
		"bench serve": func() *argv.Set { set, _ := serveFlags(); return set },
		"find":        func() *argv.Set { set, _ := findFlags(); return set },
	} {
		words := strings.Fields(name)
		if n := len(words); len(args) >= n && slices.Equal(args[:n], words) {
			return slices.Concat(words, flags().Redacted(args[n:]))
		}
	}
	return args
}

// childArgs are the arguments that a parent of ours meant. What it hid must fit
// what it showed, so that a variable left over from elsewhere changes no command.
func childArgs(args []string) []string {
	text, ok := os.LookupEnv(argsVariable)
	if !ok {
		return args
	}
	_ = os.Unsetenv(argsVariable) // it is not for our own children
	var meant []string
	if json.Unmarshal([]byte(text), &meant) != nil || !slices.Equal(redactOwn(meant), args) {
		return args
	}
	return meant
}

// serveSpec is the run that arguments of bench serve ask for. Secrets are beside it.
func serveSpec(args []string) (spec *bench.Spec, secrets map[string]string, err error) {
	set, o := serveFlags()
	if err := set.Parse(args); err != nil {
		return nil, nil, err
	}
	if err := o.validate(set); err != nil {
		return nil, nil, err
	}
	o.Command = append([]string{"inferometer", "bench", "serve"}, set.Redacted(args)...)
	return &o.Spec, o.secrets, nil
}
