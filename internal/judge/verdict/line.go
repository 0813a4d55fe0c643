package verdict

import (
	"fmt"
	"math"
)

// fewRequests are so few that most checks could hardly have found anything: the line says so.
const fewRequests = 20

// Line is the verdict in one line, for who knows none of the checks: of a valid run how many of them were made and
// how good its numbers are, of another one what is wrong first of all.
func (v *Verdict) Line() string {
	if len(v.Checks) == 0 {
		return string(v.Level)
	}
	if k := v.first(); k != nil {
		line := fmt.Sprintf("%s: %s", v.Level, k.Brief)
		if more := len(v.Reasons) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more)", more)
		}
		return line
	}
	if v.Level != TrustValid {
		return string(v.Level)
	}
	line := fmt.Sprintf("%s: ", v.Level)
	if v.Requests < fewRequests {
		line += counted(int(v.Requests), "request") + ", "
	}
	line += fmt.Sprintf("%d of %d checks made", v.Made, len(v.Checks))
	for _, name := range []string{"bounds", "lag"} { // whichever knows how good the times are
		if k := v.Check(name); k != nil && k.Brief != "" {
			return line + ", " + k.Brief
		}
	}
	return line
}

// first is the reason that the line names: requests that failed before all that is no worse, as nobody reads the numbers
// of a run without knowing of them.
func (v *Verdict) first() *Check {
	var first *Check
	for _, name := range v.Reasons {
		switch k := v.Check(name); {
		case k == nil || k.Brief == "":
		case first == nil, k.Name == "outcomes" && k.Level == first.Level:
			first = k
		}
	}
	return first
}

// upTo is a share, rounded up to whole per cent: what is said to be within it is.
func upTo(share float64) string { return fmt.Sprintf("%.0f %%", upToPercent(share)) }

func upToPercent(share float64) float64 { return max(math.Ceil(share*100-1e-9), 1) }

// within says how good the shown numbers are, all or all but the tails.
func within(list []off, smallest float64) string {
	all, body, tail := 0.0, 0.0, off{}
	for _, o := range list {
		all = max(all, o.share)
		if !o.tail {
			body = max(body, o.share)
		} else if o.share > tail.share {
			tail = o
		}
	}
	share := all
	if all > mostOff {
		share = body
	}
	words := "within " + upTo(share)
	if smallest*upToPercent(share)/100 < leastOff { // less than that is not looked at
		words += fmt.Sprintf(" or %g ms", leastOff)
	}
	if all > mostOff {
		return fmt.Sprintf("all %s but tails (%s: %s)", words, tail.name, upTo(tail.share))
	}
	return "every number " + words
}

// briefly is by how much a number can be off, which way, and why.
func (o *off) briefly() string {
	below, above := o.value-o.ends[0], o.ends[1]-o.value
	text := fmt.Sprintf("%s may be off by up to %s", o.name, upTo(o.share))
	switch {
	case below > 3*above:
		text = fmt.Sprintf("%s may be up to %s too high", o.name, upTo(o.share))
	case above > 3*below:
		text = fmt.Sprintf("%s may be up to %s too low", o.name, upTo(o.share))
	}
	if len(o.causes) > 0 {
		text += ", " + partNames[o.causes[0]].brief
	}
	return text
}
