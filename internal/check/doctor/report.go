package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Report is what was found, and what was not looked for.
type Report struct {
	Findings []Finding `json:"findings"`
	Skipped  []string  `json:"skipped,omitempty"`
}

// levels are the levels in the order of a report: what must be mended first.
var levels = []Level{Bad, Warn, Unknown, Note, OK}

// Count is how many findings have a level.
func (d *Report) Count(l Level) int {
	n := 0
	for i := range d.Findings {
		if d.Findings[i].Level == l {
			n++
		}
	}
	return n
}

// JSON writes the report for a program.
func (d *Report) JSON(w io.Writer) error {
	counts := map[Level]int{}
	for _, l := range levels {
		counts[l] = d.Count(l)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*Report
		Levels map[Level]int `json:"levels"`
	}{d, counts})
}

// Table writes the report for a reader, within a width.
func (d *Report) Table(w io.Writer, width int, colour bool) error {
	var b strings.Builder
	for _, g := range []struct {
		group Group
		title string
	}{{Machine, "This machine"}, {Network, "The way to the server"}, {Server, "The server"}} {
		of := slices.DeleteFunc(slices.Clone(d.Findings), func(f Finding) bool { return f.Group != g.group })
		if len(of) == 0 {
			continue
		}
		slices.SortStableFunc(of, func(x, y Finding) int {
			return cmp.Compare(slices.Index(levels, x.Level), slices.Index(levels, y.Level))
		})
		fmt.Fprintf(&b, "%s\n", g.title)
		of = together(of)
		for i := range of {
			writeFinding(&b, &of[i], width, colour)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, table.Wrap(d.summary(), width, ""))
	_, err := io.WriteString(w, b.String())
	return err
}

// together makes one line of the findings that are unknown for one reason: of a
// server that is not there nothing is known, and once is enough.
func together(all []Finding) []Finding {
	names := map[string][]string{}
	for i := range all {
		if all[i].Level == Unknown {
			names[all[i].Figure] = append(names[all[i].Figure], all[i].Name)
		}
	}
	var out []Finding
	for _, f := range all {
		if same := names[f.Figure]; f.Level == Unknown && len(same) > 1 {
			if same[0] != f.Name {
				continue
			}
			f.Name, f.Figure = fmt.Sprintf("%d findings", len(same)), strings.Join(same, ", ")+": "+f.Figure
		}
		out = append(out, f)
	}
	return out
}

// wordsColumn is where a finding's words begin: behind its level and its name.
const wordsColumn = 2 + 8 + 14

func writeFinding(b *strings.Builder, f *Finding, width int, colour bool) {
	indent := strings.Repeat(" ", wordsColumn)
	lines := func(mark, text string) string {
		return mark + table.Wrap(outside.Line(text, math.MaxInt), max(width-wordsColumn-len([]rune(mark)), 20), indent+strings.Repeat(" ", len([]rune(mark))))
	}
	fmt.Fprintf(b, "  %s%-13s %s\n", coloured(f.Level, colour), f.Name, lines("", f.Figure))
	if f.Level == OK || f.Level == Unknown {
		return
	}
	fmt.Fprintf(b, "%s%s\n", indent, lines("", f.Why+"."))
	fmt.Fprintf(b, "%s%s\n", indent, lines("→ ", f.Mend))
}

// coloured writes a level in its column.
func coloured(l Level, colour bool) string {
	word := fmt.Sprintf("%-8s", l)
	codes := map[Level]string{Bad: "31", Warn: "33", Unknown: "35", Note: "36", OK: "32"}
	if !colour {
		return word
	}
	return "\x1b[" + codes[l] + "m" + word + "\x1b[0m"
}

// summary is the report in a sentence.
func (d *Report) summary() string {
	var names []string
	for i := range d.Findings {
		if d.Findings[i].Level == Bad {
			names = append(names, d.Findings[i].Name)
		}
	}
	verdict := "Nothing found that would spoil a measurement"
	switch {
	case len(names) > 0:
		verdict = "A measurement here would be spoilt by: " + strings.Join(names, ", ")
	case d.Count(Warn) > 0:
		verdict = "A measurement is possible; the warnings may affect it"
	}
	var counts []string
	for _, l := range levels {
		counts = append(counts, fmt.Sprintf("%s %d", l, d.Count(l)))
	}
	s := fmt.Sprintf("%s. (%s", verdict, strings.Join(counts, ", "))
	if len(d.Skipped) > 0 {
		s += "; skipped: " + strings.Join(d.Skipped, ", ")
	}
	return s + ")"
}
