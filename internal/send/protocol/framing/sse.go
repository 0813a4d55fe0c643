// Package framing tells the events of a stream apart, in whatever pieces it arrives.
package framing

import (
	"bytes"
	"fmt"
)

const (
	// maxLine bounds a line of a stream, and so an event of one line: vLLM's first
	// event may list the ids of a prompt of a million tokens, some 7 MB.
	maxLine = 16 << 20
	// maxEvent bounds the data lines of an event together.
	maxEvent = maxLine
	// maxName bounds the name of an event.
	maxName = 200
	// keepBuffer is how much memory a reader keeps for the next stream.
	keepBuffer = 1 << 20
)

// shrink gives up a buffer that one odd stream has made large.
func shrink(b []byte) []byte {
	if cap(b) > keepBuffer {
		return nil
	}
	return b[:0]
}

// SSE reads server-sent events by the HTML standard: lines end with \r\n, \n or
// \r; a line is a field with an optional space after the colon; a blank line
// ends an event; lines that begin with a colon are comments; several data lines
// are joined by newlines.
//
// It works on whatever pieces arrive. An event that lies whole inside one piece
// is handed on without a copy.
type SSE struct {
	line  []byte // the beginning of a line whose end has not arrived
	data  []byte // the data lines of an event that goes on in the next piece
	event []byte // the event's name
	parts int    // data lines seen in the current event
	cr    bool   // the last byte was \r: a \n that follows belongs to it
	begun bool   // the first bytes have been looked at for a byte order mark
	bom   int    // bytes of a byte order mark seen so far

	Comment bool // one came; whoever looks at it may take it back
}

// Reset makes the reader new, keeping its memory.
func (s *SSE) Reset() {
	*s = SSE{line: shrink(s.line), data: shrink(s.data), event: shrink(s.event)}
}

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// Feed takes a piece of the stream and calls emit for each event that it
// completes. name and data are valid only during the call. The error says that a
// line or an event is longer than any may be: there is no going on after it.
func (s *SSE) Feed(piece []byte, emit func(name, data []byte)) error {
	if !s.begun {
		piece = s.skipMark(piece)
	}
	if s.cr && len(piece) > 0 {
		if piece[0] == '\n' {
			piece = piece[1:]
		}
		s.cr = false
	}
	for len(piece) > 0 {
		end := lineEnd(piece)
		if end < 0 {
			if len(s.line)+len(piece) > maxLine {
				return fmt.Errorf("a line of the stream is longer than %d MiB", maxLine>>20)
			}
			s.line = append(s.line, piece...)
			return nil
		}
		line := piece[:end]
		if len(s.line) > 0 {
			s.line = append(s.line, line...)
			line = s.line
		}
		if piece[end] == '\r' {
			if end+1 == len(piece) {
				s.cr = true
			} else if piece[end+1] == '\n' {
				end++
			}
		}
		piece = piece[end+1:]
		s.take(line, piece, emit)
		s.line = s.line[:0]
		if len(s.data) > maxEvent {
			return fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)
		}
	}
	return nil
}

// skipMark passes over a byte order mark at the very start, which may itself
// arrive in pieces.
func (s *SSE) skipMark(piece []byte) []byte {
	for s.bom < len(byteOrderMark) {
		if len(piece) == 0 {
			return nil
		}
		if piece[0] != byteOrderMark[s.bom] {
			s.line = append(s.line, byteOrderMark[:s.bom]...) // it was none
			break
		}
		s.bom++
		piece = piece[1:]
	}
	s.begun = true
	return piece
}

func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if r := bytes.IndexByte(b[:n], '\r'); r >= 0 {
		return r
	}
	return n
}

// take handles one whole line. rest is what follows it in the piece: when the
// event ends right there, its data need not be copied.
func (s *SSE) take(line, rest []byte, emit func(name, data []byte)) {
	if len(line) == 0 {
		if s.parts > 0 {
			emit(s.event, s.data)
		}
		s.data, s.event, s.parts = s.data[:0], s.event[:0], 0
		return
	}
	field, value := line, []byte(nil)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		field, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(field) {
	case "data":
		if s.parts == 0 && len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
			emit(s.event, value)
			s.event = s.event[:0] // the blank line finds no data, and ends nothing
			return
		}
		if s.parts > 0 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		s.parts++
	case "":
		s.Comment = true
	case "event":
		s.event = append(s.event[:0], value[:min(len(value), maxName)]...)
	}
}

// Inside says whether an event has begun that has not ended.
func (s *SSE) Inside() bool { return len(s.line) > 0 || s.parts > 0 || len(s.event) > 0 }

// Pending returns data that no blank line has ended. The standard drops it; a
// stream that stops right after `data: [DONE]` is told apart by it.
func (s *SSE) Pending() []byte {
	if s.parts > 0 {
		return s.data
	}
	if rest, ok := bytes.CutPrefix(s.line, []byte("data:")); ok {
		return bytes.TrimPrefix(rest, []byte(" "))
	}
	return nil
}
