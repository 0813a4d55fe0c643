// Package jinja renders chat templates: the part of Jinja2 that Hugging Face's models use, as
// transformers sets it up (trim_blocks, lstrip_blocks, loopcontrols, the generation block, its own
// tojson, and a sandbox in which values can't be changed).
//
// [Parse] splits the source into tokens (lex*.go) and builds a tree of statements and expressions (parse*.go).
// [Template.Render] walks that tree (exec.go, eval.go). Values behave as in Python (value.go). Where Python and
// Go differ, Python wins, down to how a float is printed: a prompt that is one byte off is another prompt.
//
// Templates are untrusted input. A rendering has a budget of work and memory that grows with its input, so
// none can hang or fill the memory. Inside the package a failure is a panic with the type failure, as in
// text/template; it never leaves the package.
package jinja

import (
	"errors"
	"fmt"
	"strings"
)

// A Template is a parsed template. It may be rendered by several goroutines at once.
type Template struct {
	body  []statement
	setup Setup
}

// Setup is what an Environment of Jinja2 is set up with. The zero value is Jinja2's own.
type Setup struct {
	TrimBlocks   bool // the line break after a block goes
	LstripBlocks bool // the blanks before a block at the beginning of a line go
	// KeepTrailingNewline: the line break at the template's end stays.
	KeepTrailingNewline bool
	// StrictUndefined: what is undefined can only be asked whether it is.
	StrictUndefined bool
	// OwnJSON: tojson is Jinja2's own, with sorted keys and safe in HTML, not transformers'.
	OwnJSON bool
}

// Parse parses a chat template, set up as transformers does. The error names the line.
func Parse(source string) (*Template, error) {
	return ParseSetup(source, Setup{TrimBlocks: true, LstripBlocks: true})
}

// ParseSetup parses a template of another program than transformers. The error names the line.
func ParseSetup(source string, s Setup) (t *Template, err error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("it has %d bytes, and at most %d are read", len(source), maxSource)
	}
	p := &parser{}
	defer func() { err = caught(recover(), p.line(), err) }()
	p.tokens = lex(source, s)
	return &Template{body: p.body(), setup: s}, nil
}

// Render renders the template with variables. Their values may be nil, bool, int, int64, float64, string,
// *[Dict] and *[List]; [FromJSON] makes them from JSON. The error names the line of the template.
func (t *Template) Render(values map[string]any) (text string, err error) {
	r := &run{left: budget, setup: t.setup}
	for _, v := range values {
		r.left += costPerByte * size(v)
	}
	defer func() { err = caught(recover(), r.line, err) }()
	globals := &frame{run: r, vars: make(map[string]any, len(values))}
	for name, v := range values {
		globals.vars[name] = fromGo(v)
	}
	var out strings.Builder
	top := globals.inner()
	top.out = &out
	top.execAll(t.body)
	return out.String(), nil
}

// failure carries an error up to Parse or Render.
type failure struct {
	err  error
	line int // 0 where only the caller knows it
}

func fail(format string, args ...any) {
	panic(failure{err: fmt.Errorf(format, args...)})
}

// caught turns a failure into an error that names its line. Any other panic is a mistake of ours and goes on.
func caught(recovered any, line int, err error) error {
	if recovered == nil {
		return err
	}
	f, ours := recovered.(failure)
	if !ours {
		panic(recovered)
	}
	if f.line > 0 {
		line = f.line
	}
	return fmt.Errorf("line %d: %w", line, f.err)
}

// The bounds of one rendering.
const (
	// budget counts units of about a byte of memory or some nanoseconds of work. It grows by costPerByte with
	// the size of the variables. Real templates need about ten units per byte.
	budget      = 1 << 24
	costPerByte = 100
	// maxSource bounds a template's source. The largest that models ship have some 40,000 bytes.
	maxSource = 4 << 20
	// maxDepth bounds how deep macros call each other, and how deep values are nested.
	maxDepth = 200
	// maxNesting bounds how deep expressions are evaluated within each other, over all macros.
	maxNesting = 10_000
	// maxRange is what Jinja2's sandbox allows.
	maxRange = 100_000
	itemCost = 16 // of a list's item, a loop's turn
)

// run is one rendering: what is left of its budget, and where it is.
type run struct {
	left    int
	depth   int
	nesting int
	line    int
	setup   Setup
}

// used is called where something undefined is used in a way that only a strict setup forbids.
func (r *run) used(u undefined) {
	if r.setup.StrictUndefined && !u.lenient {
		fail("%s", u.why)
	}
}

// size is how many bytes the strings of a value have.
func size(v any) int {
	total := 0
	switch v := v.(type) {
	case string:
		total = len(v)
	case *List:
		for _, one := range v.items {
			total += size(one)
		}
	case *Dict:
		for _, one := range v.values {
			total += size(one)
		}
	}
	return total
}

var errBudget = errors.New("the template does too much: it was stopped")

// spend takes from the budget. Everything that loops or makes something larger calls it, before it does so.
func (r *run) spend(units int) {
	if units < 0 || units > r.left {
		panic(failure{err: errBudget})
	}
	r.left -= units
}

// enter and leave bound a recursion.
func (r *run) enter() {
	if r.depth++; r.depth > maxDepth {
		fail("nested too deep")
	}
}

func (r *run) leave() { r.depth-- }
