package outside

import "strings"

const (
	esc = 0x1b
	bel = 0x07
)

// sequence is the length of the terminal's control sequence that s begins with, as
// ECMA-48 has them; 0 where there is none. One that has no end is none: its first
// character is then dropped as a control character, and the rest stays to be read.
func sequence(s string) int {
	kind, at := introducer(s)
	switch kind {
	case 0:
		return 0
	case '[':
		return control(s, at)
	case ']', 'P', 'X', '^', '_':
		return text(s, at)
	}
	// ESC, intermediate bytes and a final one, such as ESC ( B.
	i := at - 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// introducer tells the kind of sequence, and where it goes on. The kinds have two
// forms: ESC and a character, or one character of U+0080 to U+009F.
func introducer(s string) (kind byte, at int) {
	switch {
	case len(s) >= 2 && s[0] == esc:
		return s[1], 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f:
		if c := s[1] - 0x40; strings.IndexByte("[]PX^_", c) >= 0 {
			return c, 2
		}
	}
	return 0, 0
}

// control is a control sequence: parameters, intermediate bytes, a final one.
func control(s string, at int) int {
	i := at
	for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
		i++
	}
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// maxText bounds the search for the end of a text, so that many beginnings without
// an end take no more than linear time.
const maxText = 4096

// text is a sequence that holds a text: a window's title, a link, the clipboard. It
// ends with BEL or ST.
func text(s string, at int) int {
	s = s[:min(len(s), at+maxText)]
	for i := at; i < len(s); i++ {
		switch {
		case s[i] == bel:
			return i + 1
		case s[i] == esc && i+1 < len(s) && s[i+1] == '\\', s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == '\n' || s[i] == esc:
			return 0
		}
	}
	return 0
}
