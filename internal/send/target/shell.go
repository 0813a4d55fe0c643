package target

import "slices"

// Shell is the command by which the system's shell runs a text.
func Shell(text string) []string { return append(slices.Clone(shell), text) }

// ShellText is the text of a command that Shell has made; false: it is another one.
func ShellText(args []string) (string, bool) {
	if len(args) != len(shell)+1 || !slices.Equal(args[:len(shell)], shell) {
		return "", false
	}
	return args[len(shell)], true
}
