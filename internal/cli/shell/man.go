package shell

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/usage"
)

// Man is the command that prints or writes man pages. commands are those that have one.
func Man(commands func() []command.Entry) func(context.Context, command.Streams, []string) error {
	return func(_ context.Context, s command.Streams, args []string) error {
		set := argv.New("inferometer man",
			"Print the man page of a command, or write those of all commands. They are made of the same declarations as --help.")
		set.Example("Read one", "inferometer man bench serve | man -l -")
		set.Example("Install all of them for this user", "inferometer man -o ~/.local/share/man/man1")
		set.Operands("COMMAND", 0, 3)
		var dir string
		set.String(&dir, "output", "", "Write the pages of all commands into this folder: inferometer.1, inferometer-bench-serve.1 and so on.", argv.Output(), argv.Metavar("DIR"))
		if done, err := command.Parse(s, set, args); done || err != nil {
			return err
		}
		pages := manual{commands: commands(), version: command.Release()}
		name := strings.Join(set.Args(), " ")
		switch {
		case set.Seen("output") && name != "":
			return argv.Errorf("output", "writes all pages, and %q names one", name)
		case set.Seen("output") && dir == "":
			return argv.Errorf("output", "needs a folder")
		case set.Seen("output"):
			return pages.write(dir)
		case name == "":
			_, err := s.Out.Write(pages.program())
			return err
		}
		for _, e := range pages.commands {
			if e.Name == name {
				_, err := s.Out.Write(pages.page(e))
				return err
			}
		}
		err := argv.Errorf("", "there is no man page for %q", name)
		if near := near(pages.commands, name); near != "" {
			return err.WithHint("did you mean inferometer man %s?", near)
		}
		return err.WithHint("inferometer help lists the commands")
	}
}

// manual makes pages. They hold no date: the same version gives the same bytes.
type manual struct {
	commands []command.Entry
	version  string
}

func (m *manual) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the man pages: %w", err)
	}
	pages := map[string][]byte{"inferometer": m.program()}
	for _, e := range m.commands {
		pages[pageName(e)] = m.page(e)
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), page, 0o644); err != nil {
			return fmt.Errorf("write a man page: %w", err)
		}
	}
	return nil
}

func pageName(e command.Entry) string { return "inferometer-" + strings.ReplaceAll(e.Name, " ", "-") }

// heading begins a page. Lines keep their right edge ragged: commands and flags are long words, which can't be spread.
func (m *manual) heading(b *bytes.Buffer, name, summary string) {
	fmt.Fprintf(b, ".TH %s 1 \"\" %s %s\n.ad l\n.nh\n", roffArgument(strings.ToUpper(name)), roffArgument("inferometer "+m.version), roffArgument("Inferometer"))
	fmt.Fprintf(b, ".SH NAME\n%s \\- %s\n", roffText(name), roffText(summary))
}

// program is the page of the program itself.
func (m *manual) program() []byte {
	var b bytes.Buffer
	m.heading(&b, "inferometer", "measure LLM inference servers, and prove that the measurement can be trusted")
	b.WriteString(".SH SYNOPSIS\n.B inferometer\n.I COMMAND\n[flags]\n.SH COMMANDS\n")
	for _, e := range m.commands {
		fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roffArgument(pageName(e)), roffText(sentence(e.Summary)))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, x := range bench.Exits() {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", x.Code, roffText(sentence(x.Meaning)))
	}
	return b.Bytes()
}

// page is the page of a command.
func (m *manual) page(e command.Entry) []byte {
	var b bytes.Buffer
	m.heading(&b, pageName(e), e.Summary)
	set := e.Describe()
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[flags]\n", roffText(set.Name()))
	if name := set.OperandName(); name != "" {
		fmt.Fprintf(&b, ".I %s\n", roffText(name))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roffText(set.Summary()))
	if examples := set.Examples(); len(examples) > 0 {
		b.WriteString(".SH EXAMPLES\n")
		for _, x := range examples {
			fmt.Fprintf(&b, ".TP\n%s:\n%s\n", roffText(strings.TrimSuffix(x.Text, ":")), roffText(x.Command))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, group := range set.Groups() {
		manGroup(&b, set, group)
	}
	manRefused(&b, set)
	b.WriteString(".SH SEE ALSO\n.BR inferometer (1)\n")
	return b.Bytes()
}

func manGroup(b *bytes.Buffer, set *argv.Set, group string) {
	heading := false
	for _, f := range set.Flags() {
		if f.Group != group || !f.Listed() {
			continue
		}
		if !heading {
			fmt.Fprintf(b, ".SS %s\n", roffArgument(group))
			heading = true
		}
		var names []string
		for _, name := range f.Spellings() {
			names = append(names, `\fB`+roffText(name)+`\fR`)
		}
		head := strings.Join(names, ", ")
		if value := f.Value(); value != "" {
			head += ` \fI` + roffText(value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roffText(f.Help))
		if f.Default != "" {
			fmt.Fprintf(b, "Default: %s.\n", roffText(f.Default))
		}
	}
}

// manRefused names the flags that are known and refused, with the reason of each.
func manRefused(b *bytes.Buffer, set *argv.Set) {
	heading := false
	for _, f := range set.Flags() {
		if f.Unsupported == "" || f.Hidden {
			continue
		}
		if !heading {
			b.WriteString(".SH REFUSED\nThese flags are known, and refused for now:\n")
			heading = true
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roffArgument("--"+f.Name), roffText(sentence(f.Unsupported)))
	}
}

func near(commands []command.Entry, wrong string) string {
	var names []string
	for _, e := range commands {
		names = append(names, e.Name)
	}
	return usage.Nearest(strings.ToLower(wrong), names)
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
