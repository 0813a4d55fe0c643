package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/check/doctor"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/outside"
)

// doctorReport is what doctor prints.
type doctorReport struct {
	Findings []doctor.Finding `json:"findings"`
	Skipped  []string         `json:"skipped,omitempty"`
}

// doctorLevels are the levels in the order of a report: what must be mended first.
var doctorLevels = []doctor.Level{doctor.Bad, doctor.Warn, doctor.Unknown, doctor.Note, doctor.OK}

func (d *doctorReport) count(l doctor.Level) int {
	n := 0
	for i := range d.Findings {
		if d.Findings[i].Level == l {
			n++
		}
	}
	return n
}

func (d *doctorReport) json(w io.Writer) error {
	levels := map[doctor.Level]int{}
	for _, l := range doctorLevels {
		levels[l] = d.count(l)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*doctorReport
		Levels map[doctor.Level]int `json:"levels"`
	}{d, levels})
}

func (d *doctorReport) table(w io.Writer, width int, colour bool) error {
	var b strings.Builder
	for _, g := range []struct {
		group doctor.Group
		title string
	}{{doctor.Machine, "This machine"}, {doctor.Way, "The way to the server"}, {doctor.Server, "The server"}} {
		of := slices.DeleteFunc(slices.Clone(d.Findings), func(f doctor.Finding) bool { return f.Group != g.group })
		if len(of) == 0 {
			continue
		}
		slices.SortStableFunc(of, func(x, y doctor.Finding) int {
			return cmp.Compare(slices.Index(doctorLevels, x.Level), slices.Index(doctorLevels, y.Level))
		})
		fmt.Fprintf(&b, "%s\n", g.title)
		of = together(of)
		for i := range of {
			writeFinding(&b, &of[i], width, colour)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, argv.Wrap(d.summary(), width, ""))
	_, err := io.WriteString(w, b.String())
	return err
}

// together makes one line of the findings that are unknown for one reason: of a
// server that is not there nothing is known, and once is enough.
func together(all []doctor.Finding) []doctor.Finding {
	names := map[string][]string{}
	for i := range all {
		if all[i].Level == doctor.Unknown {
			names[all[i].Figure] = append(names[all[i].Figure], all[i].Name)
		}
	}
	var out []doctor.Finding
	for _, f := range all {
		if same := names[f.Figure]; f.Level == doctor.Unknown && len(same) > 1 {
			if same[0] != f.Name {
				continue
			}
			f.Name, f.Figure = fmt.Sprintf("%d findings", len(same)), strings.Join(same, ", ")+": "+f.Figure
		}
		out = append(out, f)
	}
	return out
}

// doctorIndent is where a finding's words begin: behind its level and its name.
const doctorIndent = 2 + 8 + 14

func writeFinding(b *strings.Builder, f *doctor.Finding, width int, colour bool) {
	indent := strings.Repeat(" ", doctorIndent)
	lines := func(mark, text string) string {
		return mark + argv.Wrap(outside.Line(text, math.MaxInt), max(width-doctorIndent-len([]rune(mark)), 20), indent+strings.Repeat(" ", len([]rune(mark))))
	}
	fmt.Fprintf(b, "  %s%-13s %s\n", coloured(f.Level, colour), f.Name, lines("", f.Figure))
	if f.Level == doctor.OK || f.Level == doctor.Unknown {
		return
	}
	fmt.Fprintf(b, "%s%s\n", indent, lines("", f.Why+"."))
	fmt.Fprintf(b, "%s%s\n", indent, lines("→ ", f.Mend))
}

// coloured writes a level in its column.
func coloured(l doctor.Level, colour bool) string {
	word := fmt.Sprintf("%-8s", l)
	codes := map[doctor.Level]string{doctor.Bad: "31", doctor.Warn: "33", doctor.Unknown: "35", doctor.Note: "36", doctor.OK: "32"}
	if !colour {
		return word
	}
	return "\x1b[" + codes[l] + "m" + word + "\x1b[0m"
}

// summary is the report in a sentence.
func (d *doctorReport) summary() string {
	var names []string
	for i := range d.Findings {
		if d.Findings[i].Level == doctor.Bad {
			names = append(names, d.Findings[i].Name)
		}
	}
	verdict := "Nothing found that would spoil a measurement"
	switch {
	case len(names) > 0:
		verdict = "A measurement here would be spoilt by: " + strings.Join(names, ", ")
	case d.count(doctor.Warn) > 0:
		verdict = "A measurement is possible; the warnings may touch it"
	}
	var counts []string
	for _, l := range doctorLevels {
		counts = append(counts, fmt.Sprintf("%s %d", l, d.count(l)))
	}
	s := fmt.Sprintf("%s. (%s", verdict, strings.Join(counts, ", "))
	if len(d.Skipped) > 0 {
		s += "; skipped: " + strings.Join(d.Skipped, ", ")
	}
	return s + ")"
}
