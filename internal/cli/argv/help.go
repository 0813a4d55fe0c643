package argv

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/show/mdtable"
)

// helpColumn is where the explanations begin.
const helpColumn = 32

// Help writes the help of the command, wrapped to width columns.
func (s *Set) Help(w io.Writer, width int) {
	width = max(width, helpColumn+20)
	operands := ""
	if s.operandsN > 0 {
		operands = " " + s.operandName
	}
	fmt.Fprintf(w, "Usage: %s [flags]%s\n\n%s\n", s.name, operands, mdtable.Wrap(s.summary, width, ""))
	s.helpExamples(w, width)
	for _, group := range s.groups {
		if group != generalGroup {
			s.helpGroup(w, group, width)
		}
	}
	s.helpGroup(w, generalGroup, width)
	s.helpUnsupported(w, width)
}

func (s *Set) helpExamples(w io.Writer, width int) {
	if len(s.examples) > 0 {
		fmt.Fprintln(w, "\nExamples:")
	}
	for i, e := range s.examples {
		if i > 0 {
			fmt.Fprintln(w)
		}
		// A command is wrapped with the shell's own sign, so that it can be pasted.
		fmt.Fprintf(w, "  # %s\n", mdtable.Wrap(e.Text, width-4, "  # "))
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(mdtable.Wrap(e.Command, width-8, "      "), "\n", " \\\n"))
	}
}

func (s *Set) helpGroup(w io.Writer, group string, width int) {
	heading := false
	for _, f := range s.flags {
		if f.Group != group || !f.Listed() {
			continue
		}
		if !heading {
			fmt.Fprintf(w, "\n%s:\n", group)
			heading = true
		}
		indent := strings.Repeat(" ", helpColumn)
		text := mdtable.Wrap(f.describe(), width-helpColumn, indent)
		head := "  " + f.head()
		if n := utf8.RuneCountInString(head); n <= helpColumn-2 {
			fmt.Fprintf(w, "%s%s%s\n", head, strings.Repeat(" ", helpColumn-n), text)
		} else {
			fmt.Fprintf(w, "  %s\n%s%s\n", mdtable.Wrap(f.head(), width-6, "      "), indent, text)
		}
	}
}

// helpUnsupported names what is refused in one paragraph; the reasons come with the refusal.
func (s *Set) helpUnsupported(w io.Writer, width int) {
	var names []string
	for _, f := range s.flags {
		if f.Unsupported != "" && !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "\nKnown, but refused for now:\n  %s\n", mdtable.Wrap(strings.Join(names, ", "), width-2, "  "))
	}
}

// head is the flag with its other names and its value.
func (f *Flag) head() string {
	head := strings.Join(f.Spellings(), ", ")
	if value := f.Value(); value != "" {
		head += " " + value
	}
	return head
}

func (f *Flag) describe() string {
	if f.Default == "" {
		return f.Help
	}
	return fmt.Sprintf("%s (default: %s)", f.Help, f.Default)
}
