package cli

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/find"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the files that are made of the code")

// pythonCommand is a command that the Python package has as a function.
type pythonCommand struct {
	name, function string
	needed         string   // the flag that must be given; empty: none
	first          []string // flags that may be given by position, in this order
	operands       string   // the parameters of its operands, as Python
	about          []string // of those
	returns        string
	omitted        []string // flags that would print something other than the result
}

// pythonCommands are those functions. What is printed, and how progress is shown, is the module's.
var pythonCommands = []pythonCommand{
	{name: "bench serve", function: "bench", first: []string{"base-url"}, returns: "Run", omitted: []string{"print-spec", "dry-run"}},
	{name: "find", function: "find", needed: "slo", first: []string{"slo", "base-url"}, returns: "Found", omitted: slices.Collect(maps.Keys(find.Own()))},
	{
		name: "compare", function: "compare", operands: "*results: Side", returns: "Comparison", omitted: []string{"list"},
		about: []string{"*results: Runs, their folders, or files of results, ours and other tools'; a list is repeats of one side. The first is what the others are held against."},
	},
	{
		name: "run", function: "run", operands: "scenario: Path", returns: "Experiment", omitted: []string{"check", "plan"},
		about: []string{"scenario: The file of the experiment (docs/scenarios.md)."},
	},
}

var neverInPython = []string{"help", "format", "progress", "quiet", "disable-tqdm"}

// TestPythonCommands keeps the functions of the Python package those of the program: they are
// written from its declarations by go test ./internal/cli -run TestPythonCommands -update.
func TestPythonCommands(t *testing.T) {
	testfiles.Written(t, *update, "python/inferometer/_commands.py", pythonSource(t))
}

const pythonHead = `"""The program's commands as functions, each flag a keyword with its type.

Written from the program's own declarations by
    go test ./internal/cli -run TestPythonCommands -update
A keyword that is left out, or None, is not given to the program: its default is the program's.
"""

from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Union

from . import _compare, _experiment, _find, _run
from ._compare import Comparison, Side
from ._experiment import Experiment
from ._find import Found
from ._run import Run
from ._words import Path, Span

# How values become words, where it is not by their own type alone.
`

func pythonSource(t *testing.T) string {
	t.Helper()
	var b, functions strings.Builder
	b.WriteString(pythonHead)
	for _, c := range pythonCommands {
		i := slices.IndexFunc(commands(), func(e command.Entry) bool { return e.Name == c.name })
		if i < 0 {
			t.Fatalf("there is no command %s", c.name)
		}
		set := commands()[i].Describe()
		c.writeShapes(&b, set)
		c.writeFunction(t, &functions, set)
	}
	b.WriteString(functions.String())
	return b.String()
}

func (c *pythonCommand) has(f *argv.Flag) bool {
	return f.Listed() && !slices.Contains(neverInPython, f.Name) && !slices.Contains(c.omitted, f.Name)
}

func (c *pythonCommand) shapes() string { return "_" + strings.ToUpper(c.function) }

// writeShapes writes the table of flags whose values are not plain words.
func (c *pythonCommand) writeShapes(b *strings.Builder, set *argv.Set) {
	fmt.Fprintf(b, "%s: Dict[str, str] = {\n", c.shapes())
	for _, f := range set.Flags() {
		shape := map[argv.Type]string{
			argv.TypeTwoWay: "two-way", argv.TypeWords: "words", argv.TypePairs: "pairs" + f.Separator(),
			argv.TypeJSON: "json", argv.TypeOwn: "json", argv.TypeCSV: "commas", argv.TypeNumbers: "commas",
		}[f.Type()]
		if c.has(f) && shape != "" {
			fmt.Fprintf(b, "    %s: %s,\n", strconv.Quote(pythonName(f)), strconv.Quote(shape))
		}
	}
	b.WriteString("}\n")
}

func (c *pythonCommand) writeFunction(t *testing.T, b *strings.Builder, set *argv.Set) {
	var first, others []*argv.Flag
	for _, name := range c.first {
		f := set.Lookup(name)
		if f == nil {
			t.Fatalf("%s has no --%s", c.name, name)
		}
		first = append(first, f)
	}
	for _, f := range set.Flags() {
		if c.has(f) && !slices.Contains(c.first, f.Name) {
			others = append(others, f)
		}
	}
	fmt.Fprintf(b, "\n\ndef %s(\n", c.function)
	if c.operands != "" {
		fmt.Fprintf(b, "    %s,\n", c.operands)
	}
	for _, f := range first {
		c.writeParameter(b, f)
	}
	if !strings.HasPrefix(c.operands, "*") {
		b.WriteString("    *,\n")
	}
	b.WriteString("    show: Optional[bool] = None,\n")
	for _, f := range others {
		c.writeParameter(b, f)
	}
	fmt.Fprintf(b, ") -> %s:\n    \"\"\"%s\n\n    Args:\n", c.returns, pythonText(set.Summary()))
	for _, line := range c.about {
		fmt.Fprintf(b, "        %s\n", pythonText(line))
	}
	for _, f := range first {
		writeAbout(b, f)
	}
	b.WriteString("        show: True lets the program write all it says to standard error, False nothing. None shows its progress in a notebook and on a terminal.\n")
	for _, f := range others {
		writeAbout(b, f)
	}
	module := map[string]string{"Run": "_run", "Found": "_find", "Comparison": "_compare", "Experiment": "_experiment"}[c.returns]
	fmt.Fprintf(b, "    \"\"\"\n    return %s.%s(locals(), %s)\n", module, c.function, c.shapes())
}

func (c *pythonCommand) writeParameter(b *strings.Builder, f *argv.Flag) {
	if f.Name == c.needed {
		fmt.Fprintf(b, "    %s: %s,\n", pythonName(f), pythonType(f))
		return
	}
	fmt.Fprintf(b, "    %s: Optional[%s] = None,\n", pythonName(f), pythonType(f))
}

func writeAbout(b *strings.Builder, f *argv.Flag) {
	text := f.Help
	if f.Default != "" {
		text += " Default: " + f.Default + "."
	}
	fmt.Fprintf(b, "        %s: %s\n", pythonName(f), pythonText(text))
}

// pythonType is the type of a value in Python.
func pythonType(f *argv.Flag) string {
	switch f.Type() {
	case argv.TypeSwitch, argv.TypeTwoWay:
		return "bool"
	case argv.TypeInt:
		return "int"
	case argv.TypeFloat:
		return "float"
	case argv.TypeDuration:
		return "Span"
	case argv.TypeChoice:
		var words []string
		for _, word := range f.Choices {
			words = append(words, strconv.Quote(word))
		}
		return "Literal[" + strings.Join(words, ", ") + "]"
	case argv.TypeWords, argv.TypeCSV:
		return "Union[str, Sequence[str]]"
	case argv.TypeNumbers:
		return "Union[str, float, Sequence[float]]"
	case argv.TypePairs:
		return "Union[Mapping[str, Any], Sequence[str]]"
	case argv.TypeOwn:
		return "Union[str, float, Mapping[str, Any]]"
	case argv.TypeJSON:
		return "Union[str, Mapping[str, Any]]"
	}
	if f.Takes == argv.File || f.Takes == argv.Folder {
		return "Path"
	}
	return "str"
}

// pythonName is a flag's name as a keyword.
func pythonName(f *argv.Flag) string {
	name := strings.ReplaceAll(f.Name, "-", "_")
	if slices.Contains([]string{"from", "in", "is", "as", "class", "global", "import", "lambda", "pass", "return", "with", "yield"}, name) {
		return name + "_" // a word of the language
	}
	return name
}

// pythonText is a text in a docstring.
func pythonText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"""`, `'''`).Replace(strings.Join(strings.Fields(text), " "))
}
