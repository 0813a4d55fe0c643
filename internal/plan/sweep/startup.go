package sweep

import (
	"slices"

	"github.com/inferometer/inferometer/internal/compat/shlex"
)

// benchWord is what stands before a benchmark's setting in the name of a folder.
func (p *Plan) benchWord() string {
	if p.Startup {
		return "STARTUP-"
	}
	return "BENCH-"
}

// startupCommand puts both settings into a command that measures starts. vLLM's takes the engine's flags itself; ours has
// the server's command in --command, and the server's settings go there.
func startupCommand(command []string, serve, startup Item) []string {
	at, joined := findFlag(command, "command")
	if at < 0 || joined || at+1 == len(command) {
		return startup.Apply(serve.Apply(command))
	}
	words, err := shlex.Split(command[at+1])
	if err != nil {
		return startup.Apply(command) // it says itself what is wrong
	}
	command = slices.Clone(command)
	command[at+1] = shlex.Join(serve.Apply(words))
	return startup.Apply(command)
}
