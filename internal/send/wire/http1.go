package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// http1 reads one HTTP/1.1 response at a time from whatever pieces arrive:
// status, headers, and a body by chunks, by length or up to the close of the
// connection. It keeps only what a piece has left unfinished.
type http1 struct {
	state   http1State
	line    []byte // a line whose end has not arrived
	head    []byte // the header lines, each ended by \n, those that were folded in one
	status  int
	left    int64 // bytes left of the body or of the current chunk
	close   bool  // the connection can't be used again after this response
	read    int   // bytes of lines seen since the last data, against endless headers
	size    bool  // a Content-Length was given
	chunks  bool  // Transfer-Encoding: chunked
	old     bool  // HTTP/1.0, which knows no chunks
	bareLF  bool  // the line at hand ends without \r
	interim int   // responses with a status of 1xx so far
}

type http1State uint8

const (
	atStatus http1State = iota
	atHeader
	atLength
	atClose
	atChunkSize
	atChunkData
	atChunkEnd
	atTrailer
	atDone
)

// maxHead bounds status line and headers, and each run of trailers. The net/http
// transport is told the same.
const maxHead = 1 << 20

// maxInterim is how many 1xx responses may come before the real one.
const maxInterim = 5

var errInterim = errors.New("too many 1xx responses before the real one")

func (h *http1) reset() {
	*h = http1{line: h.line[:0], head: h.head[:0]}
}

// started says whether a byte of the response has come.
func (h *http1) started() bool { return h.state != atStatus || len(h.line) > 0 }

// feed reads a piece. It returns how many bytes it took (less than all only when
// the response has ended inside the piece), and whether the response is whole.
func (h *http1) feed(piece []byte, at Stamp, sink Sink) (taken int, done bool, err error) {
	rest, behind := piece, false
	for len(rest) > 0 && h.state != atDone {
		switch h.state {
		case atLength, atChunkData, atClose:
			behind = false
			n := h.data(rest)
			if sink.Body(rest[:n], at) {
				return len(piece) - len(rest) + n, false, errEnough
			}
			rest = rest[n:]
		default:
			behind = behind || h.state != atChunkEnd // the end of a chunk comes with its data
			line, after, ok := h.cutLine(rest)
			if h.read += len(rest) - len(after); h.read > maxHead {
				return 0, false, errors.New("the response's headers are endless")
			}
			rest = after
			if !ok {
				continue
			}
			if err := h.takeLine(line, at, sink); err != nil {
				return 0, false, err
			}
			h.line = h.line[:0]
		}
	}
	if behind || len(rest) > 0 {
		sink.Body(nil, at)
	}
	return len(piece) - len(rest), h.state == atDone, nil
}

// errEnough: the sink wants no more, and the connection is given up.
var errEnough = errors.New("enough")

// data is how much of rest belongs to the body here.
func (h *http1) data(rest []byte) int {
	if h.state == atClose {
		return len(rest)
	}
	n := int(min(int64(len(rest)), h.left))
	h.left -= int64(n)
	h.read = 0
	if h.left == 0 {
		if h.state == atChunkData {
			h.state = atChunkEnd
		} else {
			h.state = atDone
		}
	}
	return n
}

// cutLine takes a line off rest, without its end. ok is false when it goes on in the next piece.
func (h *http1) cutLine(rest []byte) (line, after []byte, ok bool) {
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		h.line = append(h.line, rest...)
		return nil, nil, false
	}
	line = rest[:end]
	if len(h.line) > 0 {
		h.line = append(h.line, line...)
		line = h.line
	}
	whole := len(line)
	line = bytes.TrimSuffix(line, []byte("\r"))
	h.bareLF = len(line) == whole
	return line, rest[end+1:], true
}

func (h *http1) takeLine(line []byte, at Stamp, sink Sink) error {
	switch h.state {
	case atStatus:
		return h.takeStatus(line)
	case atHeader:
		if len(line) > 0 {
			return h.keepHeader(line)
		}
		return h.endHead(at, sink)
	}
	// Between chunks a bare \n is how one response is hidden in another; net/http refuses it too.
	if h.bareLF {
		return errors.New("a line between chunks ends without a carriage return")
	}
	switch h.state {
	case atChunkSize:
		return h.takeChunkSize(line)
	case atChunkEnd:
		if len(line) > 0 {
			return errors.New("a chunk is longer than its size")
		}
		h.state = atChunkSize
	case atTrailer:
		if len(line) == 0 {
			h.state = atDone
		}
	}
	return nil
}

func (h *http1) takeStatus(line []byte) error {
	// HTTP/1.1 200 OK
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[7] < '0' || line[7] > '1' || line[8] != ' ' || (len(line) > 12 && line[12] != ' ') {
		return fmt.Errorf("not the start of an HTTP/1 response: %.60q", line)
	}
	status := 0
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return fmt.Errorf("no HTTP status: %.60q", line)
		}
		status = status*10 + int(c-'0')
	}
	if status < 100 {
		return fmt.Errorf("no HTTP status: %.60q", line)
	}
	h.old = line[7] == '0'
	h.status, h.close = status, h.old
	h.state = atHeader
	return nil
}

// keepHeader puts a line to the others. A folded one goes on where the last has ended.
func (h *http1) keepHeader(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		if len(h.head) == 0 {
			return fmt.Errorf("not an HTTP header: %.60q", line)
		}
		h.head[len(h.head)-1] = ' '
		line = bytes.TrimLeft(line, " \t")
	}
	h.head = append(append(h.head, line...), '\n')
	return nil
}

// takeHeader reads one header. What it refuses, net/http refuses.
func (h *http1) takeHeader(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !validName(line[:colon]) || !validValue(line[colon+1:]) {
		return fmt.Errorf("not an HTTP header: %.60q", line)
	}
	value := bytes.Trim(line[colon+1:], " \t")
	switch {
	case foldEqual(line[:colon], "content-length"):
		n, err := parseLength(value)
		if err != nil || h.size && n != h.left {
			return fmt.Errorf("not a Content-Length: %.60q", line)
		}
		h.left, h.size = n, true
	case foldEqual(line[:colon], "transfer-encoding"):
		if h.old {
			break // HTTP/1.0 knows no chunks: up to the close
		}
		if h.chunks || !foldEqual(value, "chunked") {
			return fmt.Errorf("a Transfer-Encoding that we can't read: %.60q", line)
		}
		h.chunks = true
	case foldEqual(line[:colon], "connection"):
		for token := range bytes.SplitSeq(value, []byte(",")) {
			switch token = bytes.TrimSpace(token); {
			case foldEqual(token, "close"):
				h.close = true
			case foldEqual(token, "keep-alive"):
				h.close = false
			}
		}
	}
	return nil
}

// endHead chooses how the body is delimited, and tells the sink of status and headers.
func (h *http1) endHead(at Stamp, sink Sink) error {
	for line := range bytes.Lines(h.head) {
		if err := h.takeHeader(line[:len(line)-1]); err != nil {
			return err
		}
	}
	if h.status >= 100 && h.status < 200 && h.status != 101 { // the real response follows
		n := h.interim + 1
		if n > maxInterim {
			return errInterim
		}
		h.reset()
		h.interim = n
		return nil
	}
	if ClosesAfterStream(rawHeader(h.head)) {
		h.close = true
	}
	sink.Head(h.status, rawHeader(h.head), at)
	switch {
	case h.status == 101 || h.status == 204 || h.status == 304:
		h.state = atDone
	case h.chunks:
		h.state, h.left = atChunkSize, 0
	case h.size && h.left == 0:
		h.state = atDone
	case h.size:
		h.state = atLength
	default:
		h.state, h.close = atClose, true
	}
	return nil
}

func (h *http1) takeChunkSize(line []byte) error {
	line, _, _ = bytes.Cut(line, []byte(";")) // extensions mean nothing to us
	line = bytes.TrimRight(line, " \t")
	if len(line) == 0 || len(line) > 16 {
		return fmt.Errorf("not the size of a chunk: %.60q", line)
	}
	var n uint64
	for _, c := range line {
		digit := unhex(c)
		if digit < 0 {
			return fmt.Errorf("not the size of a chunk: %.60q", line)
		}
		n = n<<4 | uint64(digit)
	}
	h.left, h.state = int64(min(n, math.MaxInt64)), atChunkData // so much never comes
	if n == 0 {
		h.state = atTrailer
	}
	return nil
}

// closed is called when the connection has ended. nil: the response is whole.
func (h *http1) closed() error {
	if h.state == atClose || h.state == atDone {
		return nil
	}
	return h.brokenBy(errEarlyEnd)
}

// brokenBy is what ended the response: the connection, unless it had begun with
// something else than HTTP. Part of a status line is judged as net/http does it.
func (h *http1) brokenBy(err error) error {
	if h.state == atStatus && len(h.line) > 0 {
		if bad := h.takeStatus(h.line); bad != nil {
			return bad
		}
	}
	return err
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func parseLength(v []byte) (int64, error) {
	if len(v) == 0 || len(v) > 18 {
		return 0, errors.New("not a length")
	}
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, errors.New("not a length")
		}
		n = n*10 + int64(c-'0')
	}
	return n, nil
}

// foldEqual compares with a lower-case ASCII word.
func foldEqual(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// sameFold compares two ASCII words of the same length, whatever their case.
func sameFold(b []byte, word string) bool {
	for i, c := range b {
		if c != word[i] && (c|0x20 != word[i]|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// rawHeader finds headers in their lines: few are ever asked for.
type rawHeader []byte

func (r rawHeader) Get(name string) string {
	rest := []byte(r)
	for len(rest) > 0 {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			rest = nil
		}
		if len(line) > len(name) && line[len(name)] == ':' && sameFold(line[:len(name)], name) {
			return string(bytes.Trim(line[len(name)+1:], " \t"))
		}
	}
	return ""
}
