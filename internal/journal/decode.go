package journal

import "encoding/json"

// decodeRequest reads a line that AppendRequest wrote into r, and says whether it
// could. It knows that one form: the keys in their order, no space between. Any
// other line, also one that is valid JSON, is left to encoding/json, so this
// function need not know all of JSON; but what it accepts it must read as
// encoding/json does, which FuzzDecodeRequest holds it to.
//
// r must be empty; columns are read into those of memory, which grow as needed. After a refusal r holds half a request.
func decodeRequest(line []byte, r *Request, memory *Events) bool {
	c := cursor{b: line}
	c.request(r, memory)
	return !c.bad && c.at == len(line)
}

// cursor walks over a line. Once something is not as expected it is bad for good,
// so that the caller asks once, at the end.
type cursor struct {
	b     []byte
	at    int
	bad   bool
	comma int // 1: the next key of the columns is the first, and has no comma before it
}

// optional steps over s if it is next.
func (c *cursor) optional(s string) bool {
	if end := c.at + len(s); end <= len(c.b) && string(c.b[c.at:end]) == s {
		c.at = end
		return true
	}
	return false
}

func (c *cursor) word(s string) {
	if !c.optional(s) {
		c.bad = true
	}
}

// int reads a number of up to 18 digits, which fits into an int64 whatever they are.
func (c *cursor) readInt() int64 {
	b, at, negative := c.b, c.at, false
	if at < len(b) && b[at] == '-' {
		negative = true
		at++
	}
	first, n := at, int64(0)
	for at < len(b) {
		digit := b[at] - '0'
		if digit > 9 {
			break
		}
		n = n*10 + int64(digit)
		at++
	}
	digits := at - first
	if digits == 0 || digits > 18 || (digits > 1 && b[first] == '0') {
		c.bad = true
		return 0
	}
	c.at = at
	if negative {
		n = -n
	}
	return n
}

func (c *cursor) optionalInt(key string) int64 {
	if !c.optional(key) {
		return 0
	}
	return c.readInt()
}

// raw steps over a string and returns it with its quotes, and whether it is what it
// says: ASCII without an escape.
func (c *cursor) raw() (quoted []byte, plain bool) {
	if c.at >= len(c.b) || c.b[c.at] != '"' {
		c.bad = true
		return nil, false
	}
	plain = true
	for i := c.at + 1; i < len(c.b); i++ {
		switch ch := c.b[i]; {
		case ch == '"':
			quoted = c.b[c.at : i+1]
			c.at = i + 1
			return quoted, plain
		case ch == '\\':
			plain = false
			i++ // whatever follows does not end the string
		case ch < ' ' || ch > '~':
			plain = false
		}
	}
	c.bad = true
	return nil, false
}

func (c *cursor) readString() string {
	quoted, plain := c.raw()
	if c.bad {
		return ""
	}
	if plain {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		c.bad = true
	}
	return s
}

func (c *cursor) optionalString(key string) string {
	if !c.optional(key) {
		return ""
	}
	return c.readString()
}

func (c *cursor) optionalText(key string) *string {
	if !c.optional(key) {
		return nil
	}
	s := c.readString()
	return &s
}

// outcome is a string too, but one of few: no memory for those that are known.
func (c *cursor) outcome() Outcome {
	before := c.at
	if quoted, plain := c.raw(); plain {
		for _, o := range Outcomes {
			if string(quoted[1:len(quoted)-1]) == string(o) {
				return o
			}
		}
	}
	if c.bad {
		return ""
	}
	c.at = before
	return Outcome(c.readString())
}

// optionalUsual is an optional string for which few values, here with their quotes, are usual.
func (c *cursor) optionalUsual(key string, usual ...string) string {
	if !c.optional(key) {
		return ""
	}
	for _, u := range usual {
		if c.optional(u) {
			return u[1 : len(u)-1]
		}
	}
	return c.readString()
}

// key steps over the key of a column, if it is next.
func (c *cursor) key(s string) bool {
	if !c.optional(s[c.comma:]) {
		return false
	}
	c.comma = 0
	return true
}

// column reads numbers up to the closing bracket into memory. A column that is not there is nil, as
// encoding/json has it; an empty one is nothing that we write.
func column[T int | int64 | EventKind](c *cursor, there bool, memory *[]T) []T {
	if !there {
		return nil
	}
	list := (*memory)[:0]
	for {
		n := c.readInt()
		if c.bad || int64(T(n)) != n || c.at == len(c.b) {
			break
		}
		list = append(list, T(n))
		next := c.b[c.at]
		c.at++
		if next == ']' {
			*memory = list
			return list
		}
		if next != ',' {
			break
		}
	}
	c.bad = true
	return list
}
