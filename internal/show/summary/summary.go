// Package summary is a run in a few lines: whether its numbers can be trusted, what they are, what limited it and what to
// do next. The console, the result file and whoever else wants the answer before the tables show these lines.
package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Width is how many columns a line has at most, and MaxLines how many there are; the console adds one, which says
// where the rest is.
const (
	Width    = 80
	MaxLines = 11
)

// labelWidth is the column of labels: that of the longest, and a gap.
const labelWidth = len("Inter-token") + 2

// item is a line or two about one thing.
type item struct {
	lines []string
	spare int // where there are too many lines, those with the highest go first; 0: it stays
}

// Of are the lines of a run. judged is the SLO that it was held against; nil: none.
func Of(run *section.Run, judged *slo.Judgement) []string {
	var items []item
	add := func(spare int, lines ...string) {
		if len(lines) > 0 {
			items = append(items, item{lines, spare})
		}
	}
	add(0, score(run)...)
	add(0, verdictLine(run.Verdict)...)
	add(2, beneath(run.Verdict)...)
	add(0, warning(run)...)
	add(0, labelled("Requests", requests(run.Result), 2)...)
	if c := run.Result.Jobs; c != nil {
		add(0, labelled("Jobs", fmt.Sprintf("%d of %d complete, %s per hour", c.Complete, c.Begun, section.JobRate(c)), 1)...)
		add(2, labelled("Job time", section.JobSplit(c), 2)...)
	}
	if r := run.Result.Recovery; r != nil {
		add(0, labelled("Faults", section.FaultsWords(r), 2)...)
	}
	add(2, labelled("Replicas", replicas(run.Result.Replicas), 2)...)
	rows, intervals := figures(run.Result)
	add(0, rows...)
	if intervals {
		add(3, labelled("", fmt.Sprintf("in brackets: %g %% confidence intervals", 100*run.Result.Confidence.Level), 1)...)
	}
	add(0, objective(judged)...)
	add(0, byRules(run.Result.Rules)...)
	add(1, goal(run)...)
	add(1, limit(run)...)
	add(1, next(run)...)
	return fit(items)
}

// unevenBy is what the busiest of several replicas may have more than the mean before anybody wants to know.
const unevenBy = 1.2

// replicas is who answered behind a router, or that the load was uneven; empty: there is nothing to tell.
func replicas(p *measure.Replicas) string {
	if p == nil || len(p.Each) < 2 {
		return ""
	}
	words := section.ReplicasTitle(p)
	l := &p.Load
	uneven := l.BusiestOverMean != nil && *l.BusiestOverMean > unevenBy && !l.Luck
	switch {
	case uneven:
		words += fmt.Sprintf("; the busiest has %s times the mean of the requests", number.Fixed(*l.BusiestOverMean, 2))
	case p.Balance != "":
		return ""
	case p.LoadBy == measure.ByNobody:
		words += "; which one answered is not known"
	}
	if kept := p.Affinity.Share(); kept != nil {
		words += fmt.Sprintf("; %s of later turns on their replica", number.Share(*kept))
	}
	return words
}

// fit leaves out what can best be spared, from the end, until the lines are few enough.
func fit(items []item) (lines []string) {
	count := func() (n int) {
		for _, i := range items {
			n += len(i.lines)
		}
		return n
	}
	for count() > MaxLines {
		worst := -1
		for i := range items {
			if items[i].spare > 0 && (worst < 0 || items[i].spare >= items[worst].spare) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		items = slices.Delete(items, worst, worst+1)
	}
	for _, i := range items {
		lines = append(lines, i.lines...)
	}
	return lines
}

// Label is one more line, behind its label as the others have theirs: a path or a command, which stays whole.
func Label(label, words string) string { return fmt.Sprintf("%-*s%s", labelWidth, label, words) }

// labelled are words behind their label, on so many lines at most.
func labelled(label, words string, most int) []string {
	if words == "" {
		return nil
	}
	return indented(Label(label, ""), Label("", ""), words, most)
}

// indented breaks words at spaces into lines; the last one says by its end where something is left out.
func indented(first, next, words string, most int) (lines []string) {
	line, empty := first, true
	for _, word := range strings.Fields(words) {
		word = outside.Line(word, Width-utf8.RuneCountInString(next)) // a path of any length
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width {
			if len(lines)+1 == most {
				return append(lines, shortened(line))
			}
			lines, line, empty = append(lines, line), next, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}

// shortened makes room for the sign that something is left out.
func shortened(line string) string {
	for utf8.RuneCountInString(line)+2 > Width {
		line = line[:strings.LastIndex(line, " ")]
	}
	return strings.TrimRight(line, " ,;:") + " …"
}

// score is what the answers are worth, of a run that asked questions.
func score(run *section.Run) []string {
	e := run.Result.Eval
	if e == nil || len(e.Scores) == 0 {
		return nil
	}
	s := &e.Scores[0]
	words := fmt.Sprintf("%s: %s, %s", section.Shown(e.Task), section.Title(s), section.AccuracyText(&s.Accuracy))
	if s.Value != nil {
		words += fmt.Sprintf(", %d of %d right", s.Right, s.Of)
	}
	return labelled("Score", words, 2)
}

func verdictLine(v *verdict.Verdict) []string {
	if v == nil {
		return nil
	}
	return indented("", "  ", v.Line(), 2)
}

// beneath is what stands under the verdict: the other reasons, or what the one did to the numbers; of a valid run what is
// worth knowing of the client's machine.
func beneath(v *verdict.Verdict) (lines []string) {
	if v == nil {
		return nil
	}
	note := func(words string, most int) {
		lines = append(lines, indented("  ", "  ", outside.Sentence(words), most)...)
	}
	const shown = 2
	if others := otherReasons(v); len(others) > 0 {
		for _, k := range others[:min(len(others), shown)] {
			note("also: "+k.Brief, 1)
		}
		return lines
	}
	if len(v.Reasons) > 0 {
		if k := v.Check(v.Reasons[0]); k != nil && k.Effect != "" {
			note(k.Effect, 2)
		}
		return lines
	}
	for i := range v.Checks {
		if k := &v.Checks[i]; k.Level == verdict.Noted && k.Name != "bounds" { // bounds are in the line
			note("note: "+k.Sentence, 1)
			break
		}
	}
	return lines
}

// otherReasons are those that the verdict's line does not name.
func otherReasons(v *verdict.Verdict) (list []*verdict.Check) {
	for _, name := range v.Reasons {
		if k := v.Check(name); k != nil && k.Brief != "" && !strings.Contains(v.Line(), k.Brief) {
			list = append(list, k)
		}
	}
	return list
}

// warning is the first of the result's.
func warning(run *section.Run) []string {
	list := run.Result.Warnings
	if s := run.Result.SteadyState; s != nil && s.Window.Warning != nil { // which is among the details
		list = slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == *s.Window.Warning })
	}
	if len(list) == 0 {
		return nil
	}
	words := outside.Sentence(list[0])
	if more := len(list) - 1; more > 0 {
		words = fmt.Sprintf("(1 of %d) %s", more+1, words)
	}
	return labelled("Warning", words, 2)
}

// objective is how the SLO stands, by the clause that decides.
func objective(j *slo.Judgement) []string {
	if j == nil {
		return nil
	}
	status := j.Status()
	for _, c := range j.Checks {
		if c.Status == status && status != slo.Met {
			return labelled("SLO", c.String(), 2)
		}
	}
	words := string(status)
	if c := j.Binding(); c != nil {
		words = c.String()
		if len(j.Checks) > 1 {
			words = fmt.Sprintf("all %d limits are met; closest: %s", len(j.Checks), words)
		}
	}
	return labelled("SLO", words, 2)
}

// byRules is whether the run keeps the rules of others, by the one that decides.
func byRules(j *rules.Judgement) []string {
	if j == nil {
		return nil
	}
	if j.Valid {
		return labelled("Rules", fmt.Sprintf("%s: all %d are met", j.Rules, len(j.Findings)), 2)
	}
	worst := j.Worst()
	words := fmt.Sprintf("%s: not valid, %d of %d are not met; %s is %s: %s", j.Rules, len(j.Reasons), len(j.Findings), worst.Rule, worst.State, outside.Line(worst.Figure, 120))
	return labelled("Rules", words, 2)
}

// goal is whether the run got what --until asked for.
func goal(run *section.Run) []string {
	u := run.Result.Until
	if u == nil {
		return nil
	}
	word := "not reached"
	if u.Reached {
		word = "reached"
	}
	var parts []string
	for _, g := range u.Goals {
		now := "has no interval"
		if g.HalfWidth != nil {
			now = "is known to ±" + number.Share(*g.HalfWidth)
		}
		parts = append(parts, fmt.Sprintf("%s %s", g.Goal, now))
	}
	return labelled("Until", word+": "+strings.Join(parts, ", "), 2)
}

// limit is what kept the run from being faster. Of an invalid run nobody can tell.
func limit(run *section.Run) []string {
	if run.Explain == nil || run.Invalid() {
		return nil
	}
	return labelled("Limited by", run.Explain.Title, 2)
}

// next is what to do: about what spoils the numbers, else about what limited the run.
func next(run *section.Run) []string {
	if v := run.Verdict; v != nil && len(v.Reasons) > 0 {
		if k := v.Check(v.Reasons[0]); k != nil {
			if cause := v.Check(k.Because); cause != nil && cause.Hint != "" { // what it comes from can be mended
				k = cause
			}
			return labelled("Next", sentence(k.Hint), 2)
		}
	}
	if run.Explain == nil {
		return nil
	}
	return labelled("Next", sentence(run.Explain.Next), 2)
}

// sentence begins with a capital and ends without a point, as the other lines do.
func sentence(words string) string {
	words = strings.TrimSuffix(words, ".")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
