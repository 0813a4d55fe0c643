package serve

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/spec"
)

// For tests of the whole program.
var (
	ParseLine = parseServe
	FlagsDoc  = flagsDoc

	Either       = spec.Either
	FileDatasets = fileDatasets
)

// Notes are those of bench serve.
func Notes(o *Options, set *argv.Set) []string { return o.notes(set) }
