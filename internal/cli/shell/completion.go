package shell

import (
	"context"
	"embed"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

//go:embed scripts
var scripts embed.FS

// shells are those whose completion there is, by the names of their scripts.
var shells = []string{"bash", "zsh", "fish"}

// Completion is the command that prints the script of a shell.
func Completion(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer completion",
		"Print a script that completes commands, flags, their values, files and run folders in a shell. It asks the program itself, so that it stays right when the program is replaced.")
	set.Example("bash, for every new shell", "echo 'source <(inferometer completion bash)' >> ~/.bashrc")
	set.Example("zsh, into a folder of your fpath, before compinit", "mkdir -p ~/.zfunc && inferometer completion zsh > ~/.zfunc/_inferometer")
	set.Example("fish", "inferometer completion fish > ~/.config/fish/completions/inferometer.fish")
	set.Operands("bash|zsh|fish", 1, 1)
	set.OfferOperands(shells...)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	name := set.Args()[0]
	if !slices.Contains(shells, name) {
		return argv.Errorf("", "there is no completion for %q: the shells are %s", name, strings.Join(shells, ", "))
	}
	script, err := scripts.ReadFile("scripts/" + name)
	if err != nil {
		return err
	}
	_, err = s.Out.Write(script)
	return err
}

// Answer is the hidden command: it is given a shell's name and the words up to the cursor.
// Whatever is wrong, it says nothing: a message would land in the middle of a command line.
func (c *Completer) Answer(w io.Writer, args []string) {
	if len(args) < 1 {
		return
	}
	words := args[1:]
	switch n := len(words); {
	case args[0] == "bash":
		words = unquote(words)
	case args[0] == "fish" && n > 0: // the words before the cursor have lost their quotes already
		words = slices.Concat(words[:n-1], unquote(words[n-1:]))
	}
	_ = c.Complete(words).Write(w)
}
