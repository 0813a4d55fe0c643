package view

import "github.com/inferometer/inferometer/internal/cli/command"

// New is nil: the view reads keys and moves about the screen as terminals of Unix have it.
func New(*command.Streams, string, string) (screen *Screen, why string) {
	return nil, "there is no live view on Windows"
}
