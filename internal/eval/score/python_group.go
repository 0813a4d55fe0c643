package score

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// enter begins a group. The scope outside it comes back at its end.
func (d *dialect) enter(begin string, inside scope) {
	d.open = append(d.open, d.scope)
	d.scope = inside
	d.out.WriteString(begin)
}

// capture begins a group that captures. Named ones are numbered as the others are.
func (d *dialect) capturing() {
	d.groups++
	inside := d.scope
	inside.capture = d.groups
	d.enter("(", inside)
}

// group reads what follows a (.
func (d *dialect) group() error {
	inside := d.scope
	inside.capture = 0
	if !d.take("?") {
		d.capturing()
		return nil
	}
	for _, begin := range []string{":", "=", "!", "<=", "<!", ">"} {
		if d.take(begin) {
			d.enter("(?"+begin, inside)
			return nil
		}
	}
	switch {
	case d.take("#"):
		if _, ok := d.until(')'); !ok {
			return errors.New("a comment is not closed")
		}
		return nil
	case d.take("P<"):
		name, ok := d.until('>')
		if !ok || !groupName.MatchString(name) {
			return fmt.Errorf("%q is no name of a group", clip(name, 40))
		}
		if d.names[name] > 0 {
			return fmt.Errorf("two groups are called %q", clip(name, 40))
		}
		d.capturing()
		d.names[name] = d.groups
		return nil
	case d.take("P="):
		name, _ := d.until(')')
		return d.reference(d.names[name])
	case d.take("("):
		return d.condition(inside)
	}
	return d.flags(inside)
}

var groupName = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// reference is the text of an earlier group once more.
func (d *dialect) reference(number int) error {
	if number < 1 || number > d.groups {
		return errors.New("it refers to a group that does not exist")
	}
	if number == d.capture {
		return errors.New("it refers to a group that is not closed")
	}
	for _, s := range d.open {
		if s.capture == number {
			return errors.New("it refers to a group that is not closed")
		}
	}
	fmt.Fprintf(d.out, `(?:\%d)`, number)
	return nil
}

// condition is (?(1)yes|no).
func (d *dialect) condition(inside scope) error {
	name, ok := d.until(')')
	number, known := d.names[name]
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= maxPattern {
		number, known = n, true
	}
	if !ok || !known {
		return fmt.Errorf("a condition asks for an unknown group %q", clip(name, 40))
	}
	d.wanted = max(d.wanted, number)
	d.enter(fmt.Sprintf("(?(%d)", number), inside)
	return nil
}

// flags reads (?i) at the pattern's start, and (?i:…) and (?i-s:…) anywhere.
func (d *dialect) flags(inside scope) error {
	from := d.at
	for d.at < len(d.in) && strings.ContainsRune("aiLmsux-", d.in[d.at]) {
		d.at++
	}
	flags := string(d.in[from:d.at])
	on, off, minus := strings.Cut(flags, "-")
	if flags == "" || strings.ContainsAny(flags, "L") || strings.ContainsAny(off, "au-") || minus && off == "" {
		return errors.New("it has a group of a kind that Python's re does not know, or a flag that is not for text")
	}
	atStart := d.out.Len() == 0 && len(d.open) == 0
	whole := d.take(")")
	switch {
	case whole && (!atStart || minus):
		return errors.New("flags for the whole pattern stand at its start")
	case !whole && !d.take(":"):
		return errors.New("a group of a kind that Python's re does not know")
	}
	to := &inside
	if whole {
		to = &d.scope
	}
	to.verbose = (to.verbose || strings.Contains(on, "x")) && !strings.Contains(off, "x")
	to.fold = (to.fold || strings.Contains(on, "i")) && !strings.Contains(off, "i")
	to.ascii = (to.ascii || strings.Contains(on, "a")) && !strings.Contains(on, "u")
	if to.ascii && to.fold {
		return errors.New("the flags a and i together are not supported")
	}
	if whole {
		d.global += shared(on)
		return nil
	}
	begin := "(?" + shared(on)
	if rest := shared(off); rest != "" {
		begin += "-" + rest
	}
	d.enter(begin+":", inside)
	return nil
}

// shared are the flags that the engine has too, with the same meaning.
func shared(flags string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("ims", c) {
			return c
		}
		return -1
	}, flags)
}
