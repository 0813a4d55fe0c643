package protocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// decoder is where an event is read. It holds memory that is used again for each one.
type decoder struct {
	scan  jsonscan.Scanner
	words jsonscan.Scanner // inside a value of an event
	field *field           // the one that is being taken
	facts facts
	noted bool     // the event has some
	found findings // of a protocol that a file describes
	// Parts of tool calls, and JSON inside a string, of protocols that write them otherwise.
	tools, quoted []byte
	// echo is where the log-probabilities of a prompt go; nil: they were not asked for.
	echo *stream.Echoed
}

// Reset implements stream.EventReader.
func (d *decoder) Reset(echo *stream.Echoed) {
	d.scan.Release(stream.KeepBuffer)
	d.words.Release(stream.KeepBuffer)
	d.tools, d.quoted = stream.Shrink(d.tools), stream.Shrink(d.quoted)
	d.echo = echo
}

// facts are what an event says that has no meaning by itself, whatever the order of its fields. Texts of
// tool calls are as they stand in JSON.
type facts struct {
	kind     []byte // what the event is
	itemKind []byte // what the part is that it is of
	delta    []byte // its text, as it stands in JSON
	thinking []byte // so too
	input    []byte // of a tool
	stop     []byte // why the answer ended
	status   []byte
	message  []byte
	tokens   int // of a list
	tool     toolFacts
	flag     bool // one that only its protocol knows
}

// note is where facts of the event are written down.
func (d *decoder) note() *facts {
	if !d.noted {
		d.facts, d.noted = facts{}, true
	}
	return &d.facts
}

func takeText(d *decoder, c *stream.Chunk) {
	if c.Text = d.scan.Text(); len(c.Text) > 0 {
		c.Kind |= stream.EventText
	}
}

func takeReasoning(d *decoder, c *stream.Chunk) {
	if words := d.scan.Text(); len(words) > 0 {
		c.Reasoning = words
		c.Kind |= stream.EventReasoning
	}
}

func takeFinish(d *decoder, c *stream.Chunk) {
	if c.Finish = d.scan.Text(); len(c.Finish) > 0 {
		c.Kind |= stream.EventFinish
	}
}

func takeID(d *decoder, c *stream.Chunk)    { c.ID = d.scan.Text() }
func takeError(d *decoder, c *stream.Chunk) { c.Error = d.errorWords() }
func takeDone(d *decoder, c *stream.Chunk)  { c.Done = d.scan.True() }

// takeIDs counts the tokens of an event by their ids.
func takeIDs(d *decoder, c *stream.Chunk) {
	if n := d.scan.Count(); n >= 0 {
		c.Tokens, c.TokensBy = n, stream.TokensByIDs
	}
}

func takePrompt(d *decoder, c *stream.Chunk) { c.Usage.Prompt = d.count() }

func takeOutput(d *decoder, c *stream.Chunk) {
	c.Usage.Output = d.count()
	c.Kind |= stream.EventUsage
}

// takeWholePrompt is takePrompt where a server counts the prompt before the answer.
func takeWholePrompt(d *decoder, c *stream.Chunk) {
	c.Usage.Prompt = d.count()
	c.Kind |= stream.EventUsage
}

// takeThought takes the number of output tokens that are thinking. A server that does not tell may
// write null.
func takeThought(d *decoder, c *stream.Chunk) {
	if n, known := d.knownCount(); known {
		c.Usage.Reasoning, c.Usage.ReasoningKnown = max(c.Usage.Reasoning, n), true
	}
}

// takeCached takes the number of prompt tokens that came from the server's cache.
func takeCached(d *decoder, c *stream.Chunk) {
	if n, known := d.knownCount(); known {
		c.Usage.Cached, c.Usage.CachedKnown = max(c.Usage.Cached, n), true
	}
}

// takeUsage takes the object of an event's counts.
func takeUsage(sh shape) take {
	r := sh.reader()
	return func(d *decoder, c *stream.Chunk) {
		if d.scan.Next() == '{' {
			c.Kind |= stream.EventUsage
		}
		d.read(r, c)
	}
}

// errBadCount: usage holds something else than a number of tokens. To take it for
// 0 would blame the answer for it.
var errBadCount = errors.New("usage can't be read")

func (d *decoder) knownCount() (n int, known bool) {
	kind := d.scan.Next()
	n = d.count()
	return n, kind >= '0' && kind <= '9'
}

// count takes a number of tokens: whole, also as 5.0, and not absurd. null is 0, as
// where the field is missing.
func (d *decoder) count() int {
	s := &d.scan
	n, raw, ok := s.Number(stream.MaxTokenCount)
	if ok || s.Err != nil || string(raw) == "null" {
		return n
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case raw[0] == '"':
		s.Fail(fmt.Errorf("%w: %s is the string %.40s, not a number", errBadCount, d.field.name, raw))
	case errors.Is(err, strconv.ErrRange) || err == nil && v > stream.MaxTokenCount:
		s.Fail(fmt.Errorf("%w: %s is %.40s, more than any model has", errBadCount, d.field.name, raw))
	case err != nil || v < 0 || v != math.Trunc(v):
		s.Fail(fmt.Errorf("%w: %s is %.40s, not a number of tokens", errBadCount, d.field.name, raw))
	default:
		return int(v)
	}
	return 0
}

// errorWords are the message of an error object, or all of it; nil for null.
func (d *decoder) errorWords() []byte {
	if d.scan.Next() == '"' {
		return d.scan.Text()
	}
	value := d.scan.Value()
	if string(value) == "null" {
		return nil
	}
	if len(value) > 0 && value[0] == '{' {
		w := &d.words
		w.Reset(value)
		var message []byte
		w.Fields(func(name []byte) {
			if string(name) == "message" {
				message = w.Text()
			} else {
				w.Skip()
			}
		})
		if len(message) > 0 {
			return message
		}
	}
	return value
}

// ErrorWords implements stream.EventReader.
func (d *decoder) ErrorWords(data []byte) []byte {
	d.scan.Reset(data)
	if words := d.errorWords(); d.scan.Err == nil && len(words) > 0 {
		return words
	}
	return data
}

// longest is a week: no request is worked on for longer.
const longest = 7 * 24 * 3600 * 1e9

// nanoseconds takes a time in units of so many of them; 0 for what is none.
func (d *decoder) nanoseconds(unit float64) int64 {
	t, err := strconv.ParseFloat(string(d.scan.Value()), 64)
	if t *= unit; err != nil || !(t > 0 && t < longest) {
		return 0
	}
	return int64(math.Round(t))
}
