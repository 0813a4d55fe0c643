package jsonscan

import "errors"

// maxNesting bounds how deeply a value that is skimmed may be nested.
const maxNesting = 64

// Skimmer reads a JSON value piece by piece and keeps nothing of its lists but how many items the longest
// has: the value may be far larger than what can be held. What is left is small JSON.
type Skimmer struct {
	Kept     []byte // all but its lists, of which each is []
	Overflow bool   // there was more than may be kept
	Longest  int    // items of the longest list; -1: there was none
	Over     bool   // the value has ended

	limit int    // bytes that are kept
	stack []byte // open brackets
	// Inside a list of the top level, or a list that is the top level itself.
	list        bool
	items       int // of this list
	begun       bool
	inString    bool
	escaped     bool
	err         error
	listNesting int
}

// Reset begins with a new value, of which at most limit bytes are kept.
func (k *Skimmer) Reset(limit int) {
	*k = Skimmer{Kept: k.Kept[:0], stack: k.stack[:0], Longest: -1, limit: limit}
}

// Feed reads the next piece.
func (k *Skimmer) Feed(data []byte) error {
	for _, c := range data {
		if k.err != nil {
			return k.err
		}
		k.next(c)
	}
	return k.err
}

func (k *Skimmer) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

func (k *Skimmer) keep(c byte) {
	switch {
	case k.Overflow:
	case len(k.Kept) == k.limit:
		k.Overflow = true
	default:
		k.Kept = append(k.Kept, c)
	}
}

func (k *Skimmer) next(c byte) {
	if k.inString {
		k.text(c)
		return
	}
	switch c {
	case ' ', '\n', '\r', '\t':
		return
	case '{', '[':
		k.open(c)
		return
	}
	if len(k.stack) == 0 {
		k.fail(ErrNotJSON)
		return
	}
	switch c {
	case '}', ']':
		k.closeNesting(c)
		return
	case '"':
		k.inString = true
	case ',':
		if k.list && len(k.stack) == k.listNesting {
			k.items++
		}
	}
	k.take(c)
}

// take keeps a byte that is part of no list, and notes that a list has an item.
func (k *Skimmer) take(c byte) {
	if k.list {
		k.begun = true
		return
	}
	k.keep(c)
}

func (k *Skimmer) text(c byte) {
	switch {
	case k.escaped:
		k.escaped = false
	case c == '\\':
		k.escaped = true
	case c == '"':
		k.inString = false
	}
	if !k.list {
		k.keep(c)
	}
}

func (k *Skimmer) open(c byte) {
	switch {
	case k.Over:
		k.fail(errors.New("something follows the answer's end"))
		return
	case len(k.stack) == maxNesting:
		k.fail(ErrTooDeep)
		return
	}
	k.take(c)
	k.stack = append(k.stack, c)
	if c == '[' && !k.list && len(k.stack) <= 2 {
		k.list, k.items, k.begun, k.listNesting = true, 0, false, len(k.stack)
	}
}

func (k *Skimmer) closeNesting(c byte) {
	opened := k.stack[len(k.stack)-1]
	if opened == '{' && c != '}' || opened == '[' && c != ']' {
		k.fail(ErrNotJSON)
		return
	}
	if k.list && len(k.stack) == k.listNesting {
		k.list = false
		if k.begun {
			k.items++
		}
		k.Longest = max(k.Longest, k.items)
	}
	k.stack = k.stack[:len(k.stack)-1]
	k.take(c)
	k.Over = len(k.stack) == 0
}
