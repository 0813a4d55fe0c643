package serve

import "github.com/inferometer/inferometer/internal/cli/argv"

// For tests of the whole program.
var (
	ParseLine = parseServe
	FlagsDoc  = flagsDoc

	Either       = either
	FileDatasets = fileDatasets
)

// Notes are those of bench serve.
func Notes(o *Options, set *argv.Set) []string { return o.notes(set) }
