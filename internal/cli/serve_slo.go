package cli

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

const sloHelp = `Limits that the run must keep, as in "p99_ttft<=500ms and failed<0.1%". Exit code 7 if one is broken, 6 if one is not known; docs/conditions.md has the grammar.`

// checkFormat lets --result-filename - mean the result as JSON on standard output.
func (o *serveOptions) checkFormat() error {
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

// sloEnding says by its error that an SLO is not kept.
func sloEnding(name string, j *slo.Judgement) error {
	if j == nil {
		return nil
	}
	for _, c := range j.Checks {
		if c.Status == slo.Broken {
			return coded{fmt.Errorf("%sthe SLO is broken: %s", name, c), exitSLO}
		}
	}
	for _, c := range j.Checks {
		if c.Status == slo.Unknown {
			return coded{fmt.Errorf("%swhether the SLO holds is not known: %s", name, c), exitUndecided}
		}
	}
	return nil
}

// worstEnding is the first broken SLO, or else the first that is not known.
func worstEnding(endings []error) (worst error) {
	for _, err := range endings {
		var c coded
		if errors.As(err, &c) && c.code == exitSLO {
			return err
		}
		if worst == nil {
			worst = err
		}
	}
	return worst
}
