package protocol

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// shape describes what is read of a JSON object: its fields by their names. All others are passed over.
type shape []field

// field is one of them. take takes its value; in is what is read of the object that it is.
type field struct {
	name string
	take take
	in   shape
	item int // of a list in place of an object: the how manieth, from 1

	inner *reader // of in
}

// take takes a value, and says in a chunk what it means.
type take func(d *decoder, c *stream.Chunk)

// reader is a shape made ready: its fields by the length of their names, so that one that nobody asked for
// costs next to nothing.
type reader struct {
	fields []field
	begin  [maxName + 2]uint8 // where the fields of each length begin
	items  bool               // some are those of a list
	// unescape: names may be escaped. No server does so, but nobody knows those that a file describes.
	unescape bool
}

// maxName is the longest name that a shape may have.
const maxName = 62

// reader makes a shape ready.
func (sh shape) reader() *reader { return sh.ready(false) }

func (sh shape) ready(unescape bool) *reader {
	r := &reader{fields: slices.Clone(sh), unescape: unescape}
	slices.SortStableFunc(r.fields, func(a, b field) int { return len(a.name) - len(b.name) })
	for i := range r.fields {
		f := &r.fields[i]
		r.items = r.items || f.item > 0
		if f.in != nil {
			f.inner = f.in.ready(unescape)
		}
		for n := len(f.name) + 1; n < len(r.begin); n++ {
			r.begin[n] = uint8(i + 1)
		}
	}
	return r
}

func (r *reader) find(name []byte) *field {
	n := len(name)
	if n > maxName {
		return nil
	}
	for i := r.begin[n]; i < r.begin[n+1]; i++ {
		if f := &r.fields[i]; f.name == string(name) {
			return f
		}
	}
	return nil
}

// read reads an object, or the items of a list that a shape names; anything else is passed over.
func (d *decoder) read(r *reader, c *stream.Chunk) {
	s := &d.scan
	if r.items && s.Next() == '[' {
		d.readItems(r, c)
		return
	}
	for open := s.Open('{'); open; open = s.More('}') {
		name := s.Name()
		if r.unescape {
			name = s.Unescape(name)
		}
		switch f := r.find(name); {
		case f == nil:
			s.Skip()
		case f.inner == nil:
			d.field = f
			f.take(d, c)
		default:
			d.readInner(f, c)
		}
	}
}

// readInner reads an object inside of an object, and takes it too if it is asked for as a whole.
func (d *decoder) readInner(f *field, c *stream.Chunk) {
	at := d.scan.Mark()
	d.read(f.inner, c)
	if f.take != nil {
		d.scan.Rewind(at)
		f.take(d, c)
	}
}

func (d *decoder) readItems(r *reader, c *stream.Chunk) {
	s, i := &d.scan, 0
	for open := s.Open('['); open; open = s.More(']') {
		i++
		at := slices.IndexFunc(r.fields, func(f field) bool { return f.item == i })
		switch {
		case at < 0:
			s.Skip()
		case r.fields[at].inner == nil:
			r.fields[at].take(d, c)
		default:
			d.readInner(&r.fields[at], c)
		}
	}
}

// event reads an object from its beginning to its end.
func (d *decoder) event(r *reader, data []byte, c *stream.Chunk) error {
	*c = stream.Chunk{Tokens: -1}
	d.noted, d.tools = false, d.tools[:0]
	s := &d.scan
	s.Reset(data)
	if s.Next() != '{' {
		s.Fail(jsonscan.ErrNotJSON)
	}
	d.read(r, c)
	s.End()
	if s.Err == nil || errors.Is(s.Err, errBadCount) || errors.Is(s.Err, errBadLogprob) {
		return s.Err
	}
	return fmt.Errorf("an event is no JSON object: %w", s.Err)
}

// described is a protocol as data: where it lies, what a request holds, and what is read of an event.
type described struct {
	path, suffix string
	// body makes the object of a request.
	body func(c *Call) (*body, error)
	// event is what is read of an event. meaning says what it is once all of its fields are known;
	// nil: they say it themselves.
	event   *reader
	meaning func(d *decoder, data []byte, c *stream.Chunk)
	// whole reads answers that are no streams; nil: there are none. What it leaves out is as above.
	whole *described
}

func (p *described) Path() string   { return p.path }
func (p *described) Suffix() string { return p.suffix }

// AppendBody implements Protocol.
func (p *described) AppendBody(dst []byte, c *Call) ([]byte, error) {
	b, err := p.body(c)
	if err != nil {
		return nil, err
	}
	return b.appendTo(dst)
}

// describedEvents reads its events.
type describedEvents struct {
	decoder
	protocol *described
}

// Events implements Protocol.
func (p *described) Events() stream.EventReader { return &describedEvents{protocol: p} }

// Decode implements stream.EventReader.
func (e *describedEvents) Decode(data []byte, c *stream.Chunk) error {
	p, d := e.protocol, &e.decoder
	if err := d.event(p.event, data, c); err != nil {
		return err
	}
	if p.meaning != nil {
		p.meaning(d, data, c)
	}
	return nil
}

// Unstreamed implements Unstreamer.
func (p *described) Unstreamed() Protocol {
	if p.whole == nil {
		return nil
	}
	whole := *p.whole
	whole.body = p.body
	if whole.path == "" {
		whole.path, whole.suffix = p.path, p.suffix
	}
	if whole.event == nil {
		whole.event, whole.meaning = p.event, p.meaning
	}
	return &whole
}
