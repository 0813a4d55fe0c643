package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// trust writes the verdict of a run in one line, why it is so, and what else is to be known.
func (m *content) trust(run *section.Run) {
	v := run.Verdict
	if v == nil {
		m.verdict("none", "Not judged")
	} else {
		m.verdict(section.LevelClass(string(v.Level)), v.Line())
		m.reasons(v)
	}
	m.notes(run)
	m.WriteString("</div>\n")
}

// trustAll does so for several runs: each that is not valid has its line.
func (m *content) trustAll(runs []section.Run) {
	counts := map[verdict.Trust]int{}
	var doubtful []table.Cell
	for i := range runs {
		v := runs[i].Verdict
		if v == nil {
			continue
		}
		if counts[v.Level]++; v.Level != verdict.TrustValid {
			doubtful = append(doubtful, table.Cell{Text: clip(runs[i].Name) + ": " + v.Line(), Class: section.LevelClass(string(v.Level))})
		}
	}
	class, parts := "none", []string{}
	for _, level := range []verdict.Trust{verdict.TrustInvalid, verdict.TrustSuspect, verdict.TrustValid} {
		if counts[level] == 0 {
			continue
		}
		if len(parts) == 0 {
			class = section.LevelClass(string(level))
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[level], level))
	}
	if len(parts) == 0 {
		parts = []string{"Not judged"}
	}
	m.verdict(class, strings.Join(parts, ", "))
	const most = 5
	m.list(doubtful[:min(len(doubtful), most)])
	if more := len(doubtful) - most; more > 0 {
		m.muted(fmt.Sprintf("And %d more: see the table of all runs.", more))
	}
	m.WriteString("</div>\n")
}

// signs are what a verdict is seen by, beside its colour.
var signs = map[string]string{table.Good: "✓", table.Doubt: "!", table.Bad: "✕"}

// verdict opens the box of a verdict with its line, of which the first word is strong.
func (m *content) verdict(class, line string) {
	word, rest, found := strings.Cut(line, ":")
	if found {
		rest = ":" + rest
	}
	sign := signs[class]
	if sign == "" {
		sign = "?"
	}
	m.Put(`<div class="verdict %s"><p class="line"><span class="sign" aria-hidden="true">%s</span><span><b>%s</b>%s</span></p>`+"\n", class, sign, word, rest)
}

// reasons are why the verdict is what it is, and what to do.
func (m *content) reasons(v *verdict.Verdict) {
	if len(v.Reasons) == 0 {
		return
	}
	m.WriteString(`<ul class="reasons">`)
	for _, name := range v.Reasons {
		c := v.Check(name)
		if c == nil {
			continue
		}
		m.Put(`<li class="%s"><b>%s</b>: %s`, section.LevelClass(string(c.Level)), c.Name, c.Sentence)
		if c.Effect != "" {
			m.Put("<br>Effect: %s", c.Effect)
		}
		if c.Hint != "" {
			m.Put("<br>To do: %s", c.Hint)
		}
		m.WriteString("</li>")
	}
	m.WriteString("</ul>\n")
}

// notes are what limited a run, what to do next where nothing spoils it, and what else is worth knowing.
func (m *content) notes(run *section.Run) {
	var list []string
	if e := run.Explain; e != nil && e.Limit != explain.Unclear && !run.Invalid() {
		list = append(list, "Limited by: "+e.Title)
		if e.Next != "" && run.Verdict != nil && len(run.Verdict.Reasons) == 0 { // else the reasons say what to do
			list = append(list, "Next: "+e.Next)
		}
	}
	for _, w := range run.Result.Warnings {
		list = append(list, "Warning: "+w)
	}
	if v := run.Verdict; v != nil {
		const most = 3
		noted := slices.DeleteFunc(slices.Clone(v.Checks), func(c verdict.Check) bool { return c.Level != verdict.Noted || c.Name == "bounds" }) // bounds are in the line
		for _, c := range noted[:min(len(noted), most)] {
			list = append(list, "Note: "+c.Sentence)
		}
	}
	if len(list) > 0 {
		m.WriteString(`<ul class="notes">`)
		m.Each("<li>%s</li>", list)
		m.WriteString("</ul>\n")
	}
}

// list writes sentences, each as it is to be taken.
func (m *content) list(cells []table.Cell) {
	if len(cells) == 0 {
		return
	}
	m.WriteString(`<ul class="reasons">`)
	for i := range cells {
		m.Put(`<li class="%s">`, cells[i].Class)
		m.Link(cells[i].Text, cells[i].Link)
		m.WriteString("</li>")
	}
	m.WriteString("</ul>\n")
}
