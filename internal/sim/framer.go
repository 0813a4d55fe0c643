package sim

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/socket"
)

// framer lays events out as SSE in the chosen style and as HTTP chunks, one
// chunk a write. It holds the writes that are still to be done.
type framer struct {
	style   dialect.Framing
	lines   bool // a JSON object a line
	chunked bool // HTTP/1.1; else the body ends with the connection
	gap     time.Duration

	buf    []byte  // bytes of all pending writes
	writes []write // what is pending, in order
	next   int     // the first that has not been written
	part   int     // bytes of it that have been

	start  int // where the write being built begins; −1 if none
	events int // events in it
	count  int // events so far, to place pings
}

// write is a piece of buf that goes out in one system call.
type write struct {
	from, to int
	events   int // events that are complete with it
	wait     bool
}

// headRoom is space for a chunk's length line before its bytes.
const headRoom = 10

const pingEvery = 4

// begin starts a new round of writes, after all earlier ones are out.
func (f *framer) begin() {
	f.buf, f.writes = f.buf[:0], f.writes[:0]
	f.next, f.part, f.start, f.events = 0, 0, -1, 0
}

func (f *framer) pending() bool { return f.next < len(f.writes) }

// comment adds a line that readers must skip.
func (f *framer) comment() {
	f.openWrite()
	f.buf = append(append(append(f.buf, ": ping"...), f.eol()...), f.eol()...)
}

// event adds one message.
func (f *framer) event(name string, data []byte) {
	f.openWrite()
	if f.style.Has(dialect.FramePings) && f.count%pingEvery == 0 && !f.lines {
		f.comment()
	}
	f.count++
	eol := f.eol()
	begin := len(f.buf)
	if f.lines {
		f.buf = append(append(f.buf, data...), eol...)
	} else {
		if name == "" && f.style.Has(dialect.FrameEventLines) {
			name = "message"
		}
		if name != "" {
			f.buf = append(append(append(f.buf, "event: "...), name...), eol...)
		}
		f.buf = append(append(f.dataField(), data...), eol...)
		f.buf = append(f.buf, eol...)
	}
	f.events++
	switch {
	case f.style.Has(dialect.FrameSplit):
		f.split(begin)
	case !f.style.Has(dialect.FrameMerge):
		f.closeWrite(false)
	}
}

// done adds [DONE], which is no event in the truth.
func (f *framer) done() {
	f.openWrite()
	f.buf = append(append(append(f.dataField(), "[DONE]"...), f.eol()...), f.eol()...)
}

// lastChunk ends the HTTP body in the same write as what came before it.
func (f *framer) lastChunk() {
	if f.start < 0 {
		f.start = len(f.buf)
		if f.chunked {
			f.buf = append(f.buf, "0\r\n\r\n"...)
		}
		f.push(write{from: f.start, to: len(f.buf)})
		return
	}
	f.closeWrite(false)
	if f.chunked {
		f.buf = append(f.buf, "0\r\n\r\n"...)
		f.writes[len(f.writes)-1].to = len(f.buf)
	}
}

// close ends a round: what has been merged goes out as one write.
func (f *framer) shut() {
	if f.start >= 0 {
		f.closeWrite(false)
	}
}

func (f *framer) eol() string {
	if f.style.Has(dialect.FrameCRLF) {
		return "\r\n"
	}
	return "\n"
}

func (f *framer) dataField() []byte {
	if f.style.Has(dialect.FrameNoSpace) {
		return append(f.buf, "data:"...)
	}
	return append(f.buf, "data: "...)
}

func (f *framer) openWrite() {
	if f.start >= 0 {
		return
	}
	if f.chunked {
		f.buf = append(f.buf, "          "[:headRoom]...)
	}
	f.start = len(f.buf)
}

// closeWrite puts the chunk's length before the bytes and its end after them.
func (f *framer) closeWrite(wait bool) {
	from := f.start
	if f.chunked {
		var room [headRoom]byte
		line := append(strconv.AppendUint(room[:0], uint64(len(f.buf)-f.start), 16), "\r\n"...)
		from -= len(line)
		copy(f.buf[from:], line)
		f.buf = append(f.buf, "\r\n"...)
	}
	f.push(write{from: from, to: len(f.buf), events: f.events, wait: wait})
}

func (f *framer) push(w write) {
	if w.to > w.from {
		f.writes = append(f.writes, w)
	}
	f.start, f.events = -1, 0
}

// split cuts the event that begins at begin into several writes. The time that
// counts is that of the last one.
func (f *framer) split(begin int) {
	event := bytes.Clone(f.buf[begin:])
	before := bytes.Clone(f.buf[f.start:begin]) // a ping
	f.buf = f.buf[:f.start]
	last := 0
	f.events = 0
	for _, cut := range awkward(event) {
		f.openWrite()
		f.buf = append(append(f.buf, before...), event[last:cut]...)
		before = nil
		f.closeWrite(last > 0)
		last = cut
	}
	f.openWrite()
	f.buf = append(f.buf, event[last:]...)
	f.events = 1
	f.closeWrite(true)
}

// awkward finds places to cut an event: inside the field's name, inside a
// letter, and inside the line ends.
func awkward(event []byte) []int {
	cuts := []int{bytes.Index(event, []byte("data")) + 2}
	for i := cuts[0]; i < len(event); i++ {
		if event[i] >= utf8.RuneSelf {
			cuts = append(cuts, i+1)
			break
		}
	}
	return append(cuts, len(event)-1)
}

// drop forgets what is pending, and says how many events that were.
func (f *framer) drop() (events int) {
	for _, w := range f.writes[f.next:] {
		events += w.events
	}
	f.next, f.part = len(f.writes), 0
	return events
}

// write does the next pending write. stamp is told when the system call began
// that handed over its last bytes, and how long it took.
func (f *framer) write(c *socket.Conn, onPump bool, stamp func(at time.Time, took time.Duration, events int)) error {
	w := f.writes[f.next]
	if w.wait && f.gap > 0 && f.part == 0 {
		time.Sleep(f.gap)
	}
	b := f.buf[w.from+f.part : w.to]
	now := clock.Now()
	var n int
	var err error
	if onPump {
		n, err = c.TryWrite(b)
	} else {
		n, err = c.Write(b)
	}
	f.part += n
	if f.part == w.to-w.from {
		stamp(now, clock.Since(now), w.events)
		f.next, f.part = f.next+1, 0
		return nil
	}
	return err
}
