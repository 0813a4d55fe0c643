package compare

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/comparison"
)

// comparePoints holds scenarios against each other, point by point.
func (o *options) comparePoints(s command.Streams, p *compare.Points) error {
	if o.format == "html" {
		return argv.Errorf("format", "html holds one table: name a point on each side, as in results/NAME/POINT, or give markdown, csv or json")
	}
	for i := range p.Pairs {
		if err := compare.CheckMetrics(o.metrics, p.Pairs[i].Sides); err != nil {
			return argv.Errorf("metrics", "%v", err)
		}
	}
	outcome, err := p.Compare(compare.Options{Metrics: o.shown()}, o.gate)
	if err != nil {
		return err
	}
	if err := comparison.WritePoints(s.Out, p, o.shownAs(s)); err != nil {
		return err
	}
	if len(p.Pairs) == 0 {
		return command.Exit(command.ExitUndecided, errors.New("no point has a partner: nothing can be compared"))
	}
	if n := p.NotComparable(); n > 0 && o.gate == nil {
		return command.Exit(command.ExitUndecided, fmt.Errorf("points that are not comparable: %d of %d; the lines NOT COMPARABLE say why", n, len(p.Pairs)))
	}
	return ending(outcome, false)
}
