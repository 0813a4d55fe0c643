package section

import (
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Run is a run to show.
type Run struct {
	Name    string // as Names gives it
	Folder  string
	Result  *measure.Result
	Verdict *verdict.Verdict
	Drawn   *chartdata.Run
	Explain *explain.Explanation // nil: it was not asked for
}

// invalid says that a run's numbers can't be trusted.
func (r *Run) Invalid() bool { return r.Verdict != nil && r.Verdict.Level == verdict.TrustInvalid }
