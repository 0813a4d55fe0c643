package protocol

import "errors"

const (
	// maxWhole bounds an answer that is one JSON value: 32 texts of 1,024 tokens with a
	// vector of 1,024 numbers for each token take some 400 MB.
	maxWhole = 1 << 30
	// maxSkimmed bounds what is kept of it: all but its lists.
	maxSkimmed = 64 << 10
	maxNesting = 64
)

// skim reads a JSON value piece by piece and keeps nothing of its lists but how many
// items the longest has: an answer of vectors may be far larger than all else that a
// run holds. What is left is small JSON.
type skim struct {
	kept  []byte
	stack []byte // open brackets
	size  int    // bytes read
	// Inside a list of the top level, or a list that is the top level itself.
	list        bool
	items       int // of this list; of the longest when it is over
	longest     int // -1: there was no list
	begun       bool
	inString    bool
	escaped     bool
	overflow    bool // too much to be kept
	over        bool // the value has ended
	err         error
	listNesting int
}

func (k *skim) reset() { *k = skim{kept: shrink(k.kept), stack: k.stack[:0], longest: -1} }

// feed reads the next piece.
func (k *skim) feed(data []byte) error {
	if k.size += len(data); k.size > maxWhole {
		k.fail(tooMuch("it is longer than %d MiB", maxWhole>>20))
	}
	for _, c := range data {
		if k.err != nil {
			return k.err
		}
		k.next(c)
	}
	return k.err
}

func (k *skim) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

func (k *skim) keep(c byte) {
	switch {
	case k.overflow:
	case len(k.kept) == maxSkimmed:
		k.overflow = true
	default:
		k.kept = append(k.kept, c)
	}
}

func (k *skim) next(c byte) {
	if k.inString {
		k.string(c)
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
		k.fail(errNotJSON)
		return
	}
	switch c {
	case '}', ']':
		k.close(c)
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
func (k *skim) take(c byte) {
	if k.list {
		k.begun = true
		return
	}
	k.keep(c)
}

func (k *skim) string(c byte) {
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

func (k *skim) open(c byte) {
	switch {
	case k.over:
		k.fail(errors.New("something follows the answer's end"))
		return
	case len(k.stack) == maxNesting:
		k.fail(errTooDeep)
		return
	}
	k.take(c)
	k.stack = append(k.stack, c)
	if c == '[' && !k.list && len(k.stack) <= 2 {
		k.list, k.items, k.begun, k.listNesting = true, 0, false, len(k.stack)
	}
}

func (k *skim) close(c byte) {
	opened := k.stack[len(k.stack)-1]
	if opened == '{' && c != '}' || opened == '[' && c != ']' {
		k.fail(errNotJSON)
		return
	}
	if k.list && len(k.stack) == k.listNesting {
		k.list = false
		if k.begun {
			k.items++
		}
		k.longest = max(k.longest, k.items)
	}
	k.stack = k.stack[:len(k.stack)-1]
	k.take(c)
	k.over = len(k.stack) == 0
}
