package protocol

import "bytes"

// lines reads a stream of which each line is an event. Blank lines are none.
type lines struct {
	rest []byte // the beginning of a line whose end has not arrived
}

func (l *lines) reset() { l.rest = shrink(l.rest) }

// feed takes a piece of the stream and calls emit for each line that it completes. data
// is valid only during the call.
func (l *lines) feed(piece []byte, emit func(name, data []byte)) error {
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
		return tooMuch("a line of the stream is longer than %d MiB", maxLine>>20)
	}
	l.rest = append(l.rest, piece...)
	return nil
}
