package report

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// verdict prints the line, and for each reason what was found, what it does to
// the numbers and what to do. A check that another one explains is not a reason.
func (c *console) verdict(v *verdict.Verdict) {
	if v == nil {
		return
	}
	c.center(" Verdict ", "-")
	c.line("%s", c.paint(levelColor(v.Level), v.Line()))
	for _, name := range v.Reasons {
		check := v.Check(name)
		if check == nil {
			continue
		}
		c.Note(&c.b, fmt.Sprintf("%s, %s: %s", check.Level, check.Name, check.Sentence))
		if check.Effect != "" {
			c.Note(&c.b, "  effect: "+check.Effect)
		}
		if check.Hint != "" {
			c.Note(&c.b, "  hint: "+check.Hint)
		}
	}
	var noted []string
	for _, k := range withLevel(v, verdict.Noted) {
		if k.Name == "bounds" { // what the others did to the numbers
			c.Note(&c.b, "note: "+k.Sentence)
			continue
		}
		noted = append(noted, k.Name+" "+k.Figure)
	}
	if len(noted) > 0 {
		c.Note(&c.b, "noted, no harm by itself: "+strings.Join(noted, ", "))
	}
	if left := withLevel(v, verdict.NotChecked); len(left) > 0 {
		var names []string
		for _, k := range left {
			names = append(names, k.Name)
		}
		c.Note(&c.b, "not checked: "+strings.Join(names, ", "))
	}
}

// verdictObject is the verdict for JSON, with its line; nil where the run was not judged.
func verdictObject(v *verdict.Verdict) any {
	if v == nil {
		return nil
	}
	o := object{{"level", string(v.Level)}, {"line", v.Line()}, {"reasons", v.Reasons}, {"checks", v.Checks}}
	if len(v.Unsupported) > 0 {
		o.Set("unsupported", v.Unsupported)
	}
	o.Set("requests", v.Requests)
	o.Set("checks_made", v.Made)
	return o
}

func withLevel(v *verdict.Verdict, level verdict.Level) (out []*verdict.Check) {
	for i := range v.Checks {
		if v.Checks[i].Level == level {
			out = append(out, &v.Checks[i])
		}
	}
	return out
}
