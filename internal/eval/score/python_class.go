package score

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The insides of character classes, as Python's str methods have them: \s is isspace,
// \w is isalnum and the low line, \d is isdecimal.
const (
	spaces      = `\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
	notSpaces   = `\x00-\x08\x0e-\x1b\x21-\x84\x86-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\x{10ffff}`
	asciiSpaces = `\t-\r\x20`
	notASpaces  = `\x00-\x08\x0e-\x1f\x21-\x{10ffff}`
	words       = `\p{L}\p{N}_`
	notWords    = "\x00" // the engine can't write it inside a class: see dialect.class
	asciiWords  = `A-Za-z0-9_`
	notAWords   = "\\x00-/:-@\\[-\\^`{-\\x{10ffff}"
	notADigits  = `\x00-/:-\x{10ffff}`
)

// shorthand is the inside of a class for \d, \w, \s and their opposites.
func (d *dialect) shorthand(c rune) (inside string, ok bool) {
	pick := func(unicode, ascii string) (string, bool) {
		if d.ascii {
			return ascii, true
		}
		return unicode, true
	}
	switch c {
	case 'd':
		return pick(`\p{Nd}`, `0-9`)
	case 'D':
		return pick(`\P{Nd}`, notADigits)
	case 's':
		return pick(spaces, asciiSpaces)
	case 'S':
		return pick(notSpaces, notASpaces)
	case 'w':
		return pick(words, asciiWords)
	case 'W':
		return pick(notWords, notAWords)
	}
	return "", false
}

// escape reads what follows a \ outside of classes.
func (d *dialect) escape() error {
	if d.at >= len(d.in) {
		return errors.New("it ends with a \\")
	}
	c := d.in[d.at]
	if lower := unicode.ToLower(c); c < unicode.MaxASCII && c != lower && strings.ContainsRune("dsw", lower) {
		d.at++
		inside, _ := d.shorthand(lower)
		d.out.WriteString("[^" + inside + "]")
		return nil
	}
	if inside, ok := d.shorthand(c); ok {
		d.at++
		d.out.WriteString("[" + inside + "]")
		return nil
	}
	d.place = strings.ContainsRune("AZbB", c)
	switch c {
	case 'A':
		d.at++
		d.out.WriteString(`\A`)
		return nil
	case 'Z':
		d.at++
		d.out.WriteString(`\z`)
		return nil
	case 'b', 'B':
		d.at++
		d.boundary(c == 'B')
		return nil
	}
	if c >= '1' && c <= '9' {
		return d.number()
	}
	r, err := d.character()
	if err == nil {
		d.literal(r)
	}
	return err
}

// boundary is where a word begins or ends. In an empty text Python finds neither a
// boundary nor its opposite.
func (d *dialect) boundary(not bool) {
	w, _ := d.shorthand('w')
	if not {
		fmt.Fprintf(d.out, `(?:(?<=[%[1]s])(?=[%[1]s])|(?<![%[1]s])(?![%[1]s])(?!\A\z))`, w)
		return
	}
	fmt.Fprintf(d.out, `(?:(?<=[%[1]s])(?![%[1]s])|(?<![%[1]s])(?=[%[1]s]))`, w)
}

// number reads \1 to \99, or the three octal digits of a character.
func (d *dialect) number() error {
	rest := d.in[d.at:]
	if len(rest) >= 3 && isOctal(rest[0]) && isOctal(rest[1]) && isOctal(rest[2]) {
		r, err := d.octal(3)
		if err == nil {
			d.literal(r)
		}
		return err
	}
	n := 1
	if len(rest) >= 2 && isDigit(rest[1]) {
		n = 2
	}
	number, _ := strconv.Atoi(string(rest[:n]))
	d.at += n
	return d.reference(number)
}

// octal reads up to so many digits.
func (d *dialect) octal(most int) (rune, error) {
	var r rune
	for range most {
		if d.at >= len(d.in) || !isOctal(d.in[d.at]) {
			break
		}
		r = r*8 + d.in[d.at] - '0'
		d.at++
	}
	if r > 0o377 {
		return 0, errors.New("an octal character is above \\377")
	}
	return r, nil
}

// character reads the escape of one character.
func (d *dialect) character() (rune, error) {
	c := d.in[d.at]
	d.at++
	if i := strings.IndexRune("afnrtv", c); i >= 0 {
		return rune("\a\f\n\r\t\v"[i]), nil
	}
	if n := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c]; n > 0 {
		if d.at+n > len(d.in) {
			return 0, fmt.Errorf("\\%c has %d digits", c, n)
		}
		v, err := strconv.ParseUint(string(d.in[d.at:d.at+n]), 16, 32)
		if err != nil || v > unicode.MaxRune {
			return 0, fmt.Errorf("\\%c has %d digits of a character", c, n)
		}
		d.at += n
		return rune(v), nil
	}
	switch {
	case c == '0':
		return d.octal(2)
	case c < unicode.MaxASCII && (unicode.IsLetter(c) || isDigit(c)):
		return 0, fmt.Errorf("\\%c means nothing in Python's re", c)
	}
	return c, nil
}

// class reads [...]. One with \W in it becomes two: what is in no other member and a word's
// character, or what is in another member or none of a word's.
func (d *dialect) class() error {
	not := d.take("^")
	outer := d.out
	d.out, d.notWord = &strings.Builder{}, false
	err := d.members()
	inside := d.out.String()
	d.out = outer
	switch {
	case err != nil:
		return err
	case !d.notWord && not:
		d.out.WriteString("[^" + inside + "]")
	case !d.notWord:
		d.out.WriteString("[" + inside + "]")
	case not && inside == "":
		d.out.WriteString("[" + words + "]")
	case not:
		d.out.WriteString("(?:(?![" + inside + "])[" + words + "])")
	case inside == "":
		d.out.WriteString("[^" + words + "]")
	default:
		d.out.WriteString("(?:[" + inside + "]|[^" + words + "])")
	}
	return nil
}

func (d *dialect) members() error {
	for first := true; ; first = false {
		if d.at >= len(d.in) {
			return errors.New("a [ is not closed")
		}
		if d.in[d.at] == ']' && !first {
			d.at++
			return nil
		}
		if err := d.member(); err != nil {
			return err
		}
	}
}

// member reads a character of a class, a range of them, or a shorthand.
func (d *dialect) member() error {
	low, set, err := d.element()
	if err != nil {
		return err
	}
	isRange := d.at+1 < len(d.in) && d.in[d.at] == '-' && d.in[d.at+1] != ']'
	if !isRange {
		switch set {
		case "":
			d.inClass(low)
		case notWords:
			d.notWord = true
		default:
			d.out.WriteString(set)
			return d.folds(len(set) * 1000) // about what it has
		}
		return nil
	}
	d.at++
	high, other, err := d.element()
	if err != nil {
		return err
	}
	if set != "" || other != "" || high < low {
		return errors.New("a range of a [ ] does not go from one character to a later one")
	}
	d.inClass(low)
	d.out.WriteByte('-')
	d.inClass(high)
	return d.folds(int(high - low))
}

// maxFolds bounds the characters of classes whose case does not count: the engine looks at
// each of them when it reads the pattern, in about a second for so many.
const maxFolds = 8 << 20

func (d *dialect) folds(characters int) error {
	if d.fold {
		d.folded += characters
	}
	if d.folded > maxFolds {
		return errors.New("it ignores the case of too many characters: name fewer in its [ ]")
	}
	return nil
}

func (d *dialect) element() (r rune, set string, err error) {
	if d.at >= len(d.in) {
		return 0, "", errors.New("a [ is not closed")
	}
	c := d.in[d.at]
	d.at++
	if c != '\\' {
		return c, "", nil
	}
	if d.at >= len(d.in) {
		return 0, "", errors.New("it ends with a \\")
	}
	c = d.in[d.at]
	if inside, ok := d.shorthand(c); ok {
		d.at++
		return 0, inside, nil
	}
	switch {
	case c == 'b':
		d.at++
		return '\b', "", nil
	case isOctal(c):
		r, err = d.octal(3)
		return r, "", err
	}
	r, err = d.character()
	return r, "", err
}

// inClass writes a character that stands for itself inside [ ].
func (d *dialect) inClass(c rune) { fmt.Fprintf(d.out, `\x{%x}`, c) }
