package protocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

func (d *Decoder) usage(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	c.Kind |= EventUsage
	s.object(func(name []byte) {
		switch string(name) {
		case "prompt_tokens":
			c.Usage.Prompt = s.tokens("prompt_tokens")
		case "completion_tokens":
			c.Usage.Output = s.tokens("completion_tokens")
		case "prompt_tokens_details":
			s.detail("cached_tokens", c, s.cached)
		case "completion_tokens_details":
			s.detail("reasoning_tokens", c, s.reasoning)
		case "reasoning_tokens": // SGLang
			s.reasoning(c)
		default:
			s.skip()
		}
	})
}

// detail takes one field of an object that says more of a count.
func (s *scanner) detail(field string, c *Chunk, take func(*Chunk)) {
	if s.next() != '{' {
		s.skip()
		return
	}
	s.object(func(name []byte) {
		if string(name) == field {
			take(c)
		} else {
			s.skip()
		}
	})
}

// reasoning takes the number of output tokens that are thinking. A server that does not
// tell may write null.
func (s *scanner) reasoning(c *Chunk) {
	kind := s.next()
	n := s.tokens("reasoning_tokens")
	if kind >= '0' && kind <= '9' {
		c.Usage.Reasoning, c.Usage.ReasoningKnown = max(c.Usage.Reasoning, n), true
	}
}

// cached takes the number of prompt tokens that came from the server's cache. A
// server that does not tell may write null.
func (s *scanner) cached(c *Chunk) {
	kind := s.next()
	n := s.tokens("cached_tokens")
	if kind >= '0' && kind <= '9' {
		c.Usage.Cached, c.Usage.CachedKnown = max(c.Usage.Cached, n), true
	}
}

// errBadCount: usage holds something else than a number of tokens. To take it for
// 0 would blame the answer for it.
var errBadCount = errors.New("usage can't be read")

// tokens takes a number of tokens: whole, also as 5.0, and not absurd. null is 0, as
// where the field is missing.
func (s *scanner) tokens(name string) int {
	s.next()
	start, n := s.pos, 0
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' && n <= maxTokenCount {
		n = n*10 + int(s.data[s.pos]-'0')
		s.pos++
	}
	if s.pos > start && s.pos < len(s.data) && isEnd(s.data[s.pos]) && n <= maxTokenCount {
		return n
	}
	s.pos = start
	s.skip()
	if s.err != nil {
		return 0
	}
	word := string(s.data[start:s.pos])
	if word == "null" {
		return 0
	}
	v, err := strconv.ParseFloat(word, 64)
	switch {
	case word[0] == '"':
		s.failWith(fmt.Errorf("%w: %s is the string %.40s, not a number", errBadCount, name, word))
	case errors.Is(err, strconv.ErrRange) || err == nil && v > maxTokenCount:
		s.failWith(fmt.Errorf("%w: %s is %.40s, more than any model has", errBadCount, name, word))
	case err != nil || v < 0 || v != math.Trunc(v):
		s.failWith(fmt.Errorf("%w: %s is %.40s, not a number of tokens", errBadCount, name, word))
	default:
		return int(v)
	}
	return 0
}
