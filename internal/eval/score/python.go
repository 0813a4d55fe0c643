package score

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The patterns of tasks are written for Python's re. The engine here is of .NET's dialect,
// which reads some of them otherwise: \w, \s and \b know other characters, \Z is another
// place, named groups are counted after the others, {,3} is no repetition. So a pattern is
// read as Python 3.11 reads it and written anew; what Python would refuse is refused.

// maxPattern bounds a pattern, in characters; maxRepeat what a repetition may ask for.
const (
	maxPattern = 4096
	maxRepeat  = 1 << 20
)

// dialect translates one pattern.
type dialect struct {
	in     []rune
	at     int
	out    *strings.Builder
	groups int            // opened so far
	names  map[string]int // of groups
	open   []scope        // of groups that are not closed yet
	scope
	global  string // flags for the whole pattern, of those that the engine has too
	wanted  int    // the highest group that a condition asks for
	notWord bool   // the class that is read has a \W
	folded  int    // characters of classes whose case does not count
	place   bool   // the last was a place between characters, which can't be repeated
}

// scope is what flags say inside a group.
type scope struct {
	verbose, ascii, fold bool
	capture              int // the group's number; 0: it captures nothing
}

// translate gives the pattern for the engine, and how many groups it has.
func translate(pattern string, most int) (string, int, error) {
	d := &dialect{in: []rune(pattern), out: &strings.Builder{}, names: map[string]int{}}
	if len(d.in) > most {
		return "", 0, fmt.Errorf("the pattern has more than %d characters", most)
	}
	for d.at < len(d.in) {
		if err := d.next(); err != nil {
			return "", 0, fmt.Errorf("the pattern %q: %w", clip(pattern, 80), err)
		}
	}
	switch {
	case len(d.open) > 0:
		return "", 0, fmt.Errorf("the pattern %q: a group is not closed", clip(pattern, 80))
	case d.wanted > d.groups:
		return "", 0, fmt.Errorf("the pattern %q: there is no group %d", clip(pattern, 80), d.wanted)
	}
	if d.global != "" {
		return "(?" + d.global + ":" + d.out.String() + ")", d.groups, nil
	}
	return d.out.String(), d.groups, nil
}

func (d *dialect) next() error {
	c := d.in[d.at]
	d.at++
	after := d.place
	d.place = c == '^' || c == '$'
	switch c {
	case '\\':
		return d.escape()
	case '[':
		return d.class()
	case '(':
		return d.group()
	case ')':
		if len(d.open) == 0 {
			return fmt.Errorf("a ) has no (")
		}
		d.scope, d.open = d.open[len(d.open)-1], d.open[:len(d.open)-1]
		d.out.WriteByte(')')
	case '{':
		return d.repeat(after)
	case '*', '+', '?':
		if after {
			return errPlace
		}
		d.out.WriteRune(c)
	case '|', '^', '$', '.':
		d.out.WriteRune(c)
	default:
		switch {
		case d.verbose && c == '#':
			for d.at < len(d.in) && d.in[d.at] != '\n' {
				d.at++
			}
		case d.verbose && strings.ContainsRune(" \t\n\r\v\f", c):
		default:
			d.literal(c)
		}
	}
	return nil
}

var errPlace = errors.New("a repetition follows what is no character")

// literal writes a character that stands for itself.
func (d *dialect) literal(c rune) {
	if c < unicode.MaxASCII && strings.ContainsRune(`\[](){}*+?|^$.#-`, c) {
		d.out.WriteByte('\\')
	}
	d.out.WriteRune(c)
}

// repeat reads {2}, {2,}, {,3} or {2,3}; any other { stands for itself.
func (d *dialect) repeat(place bool) error {
	at := d.at
	low, high := d.digits(), ""
	if comma := d.take(","); comma {
		high = d.digits()
	} else if high = low; low == "" {
		d.at = at
	}
	if d.at == at || !d.take("}") {
		d.at = at
		d.literal('{')
		return nil
	}
	if place {
		return errPlace
	}
	least, most := 0, -1
	for _, n := range []struct {
		text string
		to   *int
	}{{low, &least}, {high, &most}} {
		if n.text == "" {
			continue
		}
		v, err := strconv.Atoi(n.text)
		if err != nil || v > maxRepeat {
			return fmt.Errorf("a repetition asks for more than %d", maxRepeat)
		}
		*n.to = v
	}
	switch {
	case most < 0:
		fmt.Fprintf(d.out, "{%d,}", least)
	case most < least:
		return fmt.Errorf("a repetition asks for at least %d and at most %d", least, most)
	default:
		fmt.Fprintf(d.out, "{%d,%d}", least, most)
	}
	return nil
}

func (d *dialect) digits() string {
	from := d.at
	for d.at < len(d.in) && isDigit(d.in[d.at]) {
		d.at++
	}
	return string(d.in[from:d.at])
}

// take passes over a text if it is next.
func (d *dialect) take(text string) bool {
	n := len(text)
	if d.at+n > len(d.in) || string(d.in[d.at:d.at+n]) != text {
		return false
	}
	d.at += n
	return true
}

// until reads up to a character and passes over it.
func (d *dialect) until(end rune) (string, bool) {
	for i := d.at; i < len(d.in); i++ {
		if d.in[i] == end {
			text := string(d.in[d.at:i])
			d.at = i + 1
			return text, true
		}
	}
	return "", false
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func isOctal(c rune) bool { return c >= '0' && c <= '7' }
