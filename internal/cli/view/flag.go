package view

import "github.com/inferometer/inferometer/internal/cli/argv"

// Define declares --progress.
func Define(set *argv.Set, to *string, options ...argv.Option) {
	set.Choice(to, "progress", Auto, Modes,
		"How progress is shown. live is a view of the run with its keys (docs/live.md); auto is live on a terminal that can show it, else a bar, and plain lines elsewhere.", options...)
}

// The values of --progress.
const (
	Auto  = "auto" // live on a terminal that can show it, else a bar; plain elsewhere
	Live  = "live"
	Plain = "plain"
	Bar   = "bar"
	None  = "none"
)

// Modes are all of them.
var Modes = []string{Auto, Live, Plain, Bar, None}
