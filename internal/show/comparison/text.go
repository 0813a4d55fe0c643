package comparison

import (
	"fmt"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/front"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// text is what people read: a terminal's, or Markdown to be pasted.
type text struct {
	strings.Builder
	markdown bool
	bold     func(string) string // nil: the best values carry a star
}

func (t *text) to(w io.Writer) error {
	_, err := io.WriteString(w, strings.TrimLeft(t.String(), "\n"))
	return err
}

// line writes a sentence; in Markdown it is an item of a list.
func (t *text) line(lead, words string) {
	if t.markdown {
		lead, words = "- ", outside.Markdown(words)
	}
	t.WriteString(lead + words + "\n")
}

// lines writes sentences below an empty line.
func (t *text) lines(lead string, list []string) {
	for i, words := range list {
		if i == 0 {
			t.WriteString("\n")
		}
		t.line(lead, words)
	}
}

// table writes a table without its title and its notes.
func (t *text) table(of *table.Table) {
	plain := *of
	plain.Title, plain.Notes = "", nil
	if t.markdown {
		table.Markdown(&t.Builder, &plain)
		return
	}
	if t.bold == nil {
		star(&plain)
	}
	(&table.Console{Bold: t.bold}).Write(&t.Builder, &plain)
}

// star marks the best values where nothing else can.
func star(t *table.Table) {
	for _, row := range t.Rows {
		for i := range row {
			if c := &row[i]; c.Class == table.Best && t.Columns[i].Format != nil {
				if c.Text == "" {
					c.Text = number.Text(*c.Value)
				}
				c.Text += "*"
			}
		}
	}
}

func (t *text) comparison(c *compare.Comparison) {
	for _, d := range c.Doubts {
		if t.markdown {
			mark := "Note:"
			if d.Severe {
				mark = "**Not comparable:**"
			}
			fmt.Fprintf(t, "- %s %s: %s\n", mark, outside.Markdown(d.Side), outside.Markdown(d.Sentence))
			continue
		}
		word := "note:"
		if d.Severe {
			word = "NOT COMPARABLE:"
		}
		fmt.Fprintf(t, "%s %s: %s\n", word, d.Side, d.Sentence)
	}
	if len(c.Doubts) > 0 {
		t.WriteString("\n")
	}
	t.table(Table(c))
	if of := Replicas(c); of != nil {
		title := replicasTitle + ":\n"
		if t.markdown {
			title += "\n"
		}
		t.WriteString("\n" + title)
		t.table(of)
		t.lines("- ", of.Notes)
	}
	if c.Accuracy != nil {
		t.front(c.Accuracy.Front)
	}
	t.lines("- ", c.Footnotes)
}

func (t *text) front(f *compare.Front) {
	if f == nil {
		return
	}
	title := front.Title
	if t.markdown {
		title += ":\n"
	}
	t.WriteString("\n" + title + "\n")
	t.table(front.Table(f))
	if t.markdown {
		t.lines("- ", f.Notes)
		return
	}
	for _, n := range f.Notes {
		t.line("- ", n)
	}
}

func (t *text) findings(list []compare.Finding) {
	var words []string
	for _, f := range list {
		words = append(words, "gate "+finding(&f))
	}
	t.lines("", words)
}

// finding is what a limit came to.
func finding(f *compare.Finding) string {
	return fmt.Sprintf("%s, %s: %s: %s", f.Limit, f.Side, f.Outcome, f.Sentence)
}

func (t *text) list(l *compare.List) {
	t.table(listTable(l))
	t.front(l.Front)
	if t.markdown {
		t.lines("- ", l.Notes)
		return
	}
	if l.Front != nil {
		t.WriteString("\n")
	}
	for _, note := range l.Notes {
		t.line("", note)
	}
}

func (t *text) points(p *compare.Points) {
	for _, note := range p.Notes {
		t.line("note: ", note)
	}
	for i := range p.Only {
		t.line("no partner: ", p.Only[i].Sentence())
	}
	for i := range p.Pairs {
		title := p.Pairs[i].Point
		if t.markdown {
			title = outside.Markdown(title)
		}
		fmt.Fprintf(t, "\n## %s\n\n", title)
		t.comparison(p.Pairs[i].Comparison)
	}
	if n := len(p.Pairs); n > 1 {
		t.lines("", []string{fmt.Sprintf("The calls allow for all numbers of the %d tables: one is called real by chance at most once in twenty times.", n)})
	}
	t.findings(p.Findings)
}
