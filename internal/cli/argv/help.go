package argv

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/show/table"
)

// helpColumn is where the explanations begin; on a narrow terminal they begin below, at narrowColumn.
const (
	helpColumn   = 32
	narrowColumn = 6
	narrow       = helpColumn + 28
)

// HelpAll asks for every flag.
const HelpAll = "--help-all"

const (
	// MostCommon is how many flags the short help shows, beside --help itself.
	MostCommon = 25
	// mostExamples is how many examples it shows.
	mostExamples = 4
	// mostChoices is how long a list of choices may be there.
	mostChoices = 40
)

// Long says that the command has more flags than the short help shows.
func (s *Set) Long() bool {
	listed, common := 0, 0
	for _, f := range s.flags {
		if f.Listed() {
			listed++
		}
		if f.Listed() && f.Common {
			common++
		}
	}
	return listed > MostCommon+1 && common > 0
}

// Seldom takes flags out of the short help that another command declares as common, where
// they mean less here, or are refused.
func (s *Set) Seldom(names ...string) {
	for _, name := range names {
		if f := s.Lookup(name); f != nil {
			f.Common = false
		}
	}
}

// Help writes the help of the command, wrapped to width columns: of one with many flags only
// those that people use.
func (s *Set) Help(w io.Writer, width int) { s.help(w, width, s.Long()) }

// HelpAll writes the help with all flags.
func (s *Set) HelpAll(w io.Writer, width int) { s.help(w, width, false) }

func (s *Set) help(w io.Writer, width int, short bool) {
	width = max(width, narrowColumn+24)
	operands := ""
	if s.operandsN > 0 {
		operands = " " + s.operandName
	}
	for range s.bare {
		operands += " [URL]"
	}
	fmt.Fprintf(w, "Usage: %s [flags]%s\n\n%s\n", s.name, operands, table.Wrap(s.summary, width, ""))
	examples := s.examples
	if short {
		examples = examples[:min(len(examples), mostExamples)]
	}
	helpExamples(w, width, examples)
	left := 0
	for _, group := range s.Groups() {
		left += s.helpGroup(w, group, width, short)
	}
	if short {
		text := fmt.Sprintf("These are the most used flags. There are %d more: %s %s lists them all, with %d examples; inferometer help --NAME explains one.", left, s.name, HelpAll, len(s.examples))
		fmt.Fprintf(w, "\n%s\n", table.Wrap(text, width, ""))
		return
	}
	s.helpUnsupported(w, width)
}

func helpExamples(w io.Writer, width int, examples []Example) {
	if len(examples) > 0 {
		fmt.Fprintln(w, "\nExamples:")
	}
	for i, e := range examples {
		if i > 0 {
			fmt.Fprintln(w)
		}
		// A command is wrapped with the shell's own sign, so that it can be pasted.
		fmt.Fprintf(w, "  # %s\n", table.Wrap(e.Text, width-4, "  # "))
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(table.Wrap(e.Command, width-8, "      "), "\n", " \\\n"))
	}
}

// helpGroup writes the flags of a group, and counts those that are left out.
func (s *Set) helpGroup(w io.Writer, group string, width int, short bool) (left int) {
	heading := false
	for _, f := range s.flags {
		if f.Group != group || !f.Listed() {
			continue
		}
		if short && !f.Common && f.Name != "help" {
			left++
			continue
		}
		if !heading {
			fmt.Fprintf(w, "\n%s:\n", group)
			heading = true
		}
		if short {
			f = f.brief()
		}
		f.help(w, width)
	}
	return left
}

// brief is the flag for the short help: its first sentence, and a long list of choices by its first ones.
func (f *Flag) brief() *Flag {
	b := *f
	if end := strings.Index(b.Help, ". "); end >= 0 {
		b.Help = b.Help[:end+1]
	}
	if len(b.Metavar) > mostChoices && strings.HasPrefix(b.Metavar, "{") {
		b.Metavar = b.Metavar[:strings.LastIndex(b.Metavar[:mostChoices], "|")+1] + "…}"
	}
	return &b
}

// help writes one flag.
func (f *Flag) help(w io.Writer, width int) {
	column := helpColumn
	if width < narrow {
		column = narrowColumn
	}
	indent := strings.Repeat(" ", column)
	text := table.Wrap(f.describe(), width-column, indent)
	head := "  " + f.head()
	if n := utf8.RuneCountInString(head); n <= column-2 {
		fmt.Fprintf(w, "%s%s%s\n", head, strings.Repeat(" ", column-n), text)
	} else {
		fmt.Fprintf(w, "  %s\n%s%s\n", wrapHead(f.head(), width-6), indent, text)
	}
}

// wrapHead breaks a flag with its value, also between the choices of a long list.
func wrapHead(head string, width int) string {
	const here = "\x00" // after a bar, where a line may end
	text := table.Wrap(strings.ReplaceAll(head, "|", "|"+here+" "), width, "      ")
	return strings.NewReplacer(here+" ", "", here+"\n", "\n").Replace(text)
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
		fmt.Fprintf(w, "\nKnown, but refused for now:\n  %s\n", table.Wrap(strings.Join(names, ", "), width-2, "  "))
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
