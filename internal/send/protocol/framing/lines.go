package framing

import (
	"bytes"
	"fmt"
)

// Lines reads a stream of which each line is an event. Blank lines are none.
type Lines struct {
	rest []byte // the beginning of a line whose end has not arrived
}

// Reset makes the reader new, keeping its memory.
func (l *Lines) Reset() { l.rest = shrink(l.rest) }

// Feed takes a piece of the stream and calls emit for each line that it completes. data
// is valid only during the call.
func (l *Lines) Feed(piece []byte, emit func(name, data []byte)) error {
	for {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			break
		}
		line := piece[:end]
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		piece = piece[end+1:]
		if line = bytes.TrimSpace(line); len(line) > 0 {
			emit(nil, line)
		}
		l.rest = l.rest[:0]
	}
	if len(l.rest)+len(piece) > maxLine {
		return fmt.Errorf("a line of the stream is longer than %d MiB", maxLine>>20)
	}
	l.rest = append(l.rest, piece...)
	return nil
}

// Inside says whether a line has begun that has not ended.
func (l *Lines) Inside() bool { return len(l.rest) > 0 }

// Pending returns the beginning of such a line.
func (l *Lines) Pending() []byte { return bytes.TrimSpace(l.rest) }
