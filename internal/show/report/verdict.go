package report

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// verdict prints the word, and for each reason what was found, what it does to
// the numbers and what to do. A check that another one explains is not a reason.
func (c *console) verdict(v *verdict.Verdict) {
	if v == nil {
		return
	}
	c.line("%-40s %s", "Verdict:", c.paint(levelColor(v.Level), string(v.Level)))
	for _, name := range v.Reasons {
		check := v.Check(name)
		if check == nil {
			continue
		}
		c.indented(fmt.Sprintf("%s, %s: %s", check.Level, check.Name, check.Sentence))
		if check.Effect != "" {
			c.indented("  effect: " + check.Effect)
		}
		if check.Hint != "" {
			c.indented("  to do: " + check.Hint)
		}
	}
	if names := notChecked(v); len(names) > 0 {
		c.indented("not checked: " + strings.Join(names, ", "))
	}
}

func notChecked(v *verdict.Verdict) []string {
	var names []string
	for i := range v.Checks {
		if v.Checks[i].Level == verdict.NotChecked {
			names = append(names, v.Checks[i].Name)
		}
	}
	return names
}

// reasonWidth is where the sentences of a verdict are broken: they are pasted
// into pull requests and read in narrow windows.
const reasonWidth = 76

// indented prints words that may be long, broken at spaces.
func (c *console) indented(words string) {
	lead := strings.Repeat(" ", len(words)-len(strings.TrimLeft(words, " "))+2)
	limit := reasonWidth
	if c.width > 0 {
		limit = min(limit, c.width)
	}
	c.broken(lead, lead+"  ", words, limit)
}
