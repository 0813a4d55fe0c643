package serve

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// checkFormat lets --result-filename - mean the result as JSON on standard output.
func (o *Options) checkFormat() error {
	if o.ResultFilename != "-" {
		return nil
	}
	switch {
	case o.AppendResult:
		return argv.Errorf("result-filename", "- is standard output, to which nothing can be appended")
	case o.Format == formatVLLM:
		return argv.Errorf("result-filename", "- prints JSON to standard output, and --format %s another form", o.Format)
	}
	o.Format, o.SaveResult, o.ResultFilename = formatJSON, false, ""
	return nil
}

// SLOEnding says by its error that an SLO is not kept.
func SLOEnding(name string, j *slo.Judgement) error {
	if j == nil {
		return nil
	}
	for _, c := range j.Checks {
		if c.Status == slo.Broken {
			return command.Exit(command.ExitSLO, fmt.Errorf("%sthe SLO is broken: %s", name, c))
		}
	}
	for _, c := range j.Checks {
		if c.Status == slo.Unknown {
			return command.Exit(command.ExitUndecided, fmt.Errorf("%swhether the SLO holds is not known: %s", name, c))
		}
	}
	return nil
}

// WorstEnding is the first broken SLO, or else the first that is not known.
func WorstEnding(endings []error) (worst error) {
	for _, err := range endings {
		var c command.Coded
		if errors.As(err, &c) && c.Code == command.ExitSLO {
			return err
		}
		if worst == nil {
			worst = err
		}
	}
	return worst
}
