package journal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// maxWaiting bounds the frames that wait in memory for room on the disk, in bytes.
// Compressed, that is some 100,000 requests of 128 events.
const maxWaiting = 64 << 20

// file is the part of an os.File that a disk needs.
type file interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
}

// frame is one zstd frame: whole lines, readable by itself.
type frame struct {
	b        []byte
	requests int // lines of requests in it
}

// disk is the file of a journal, and what it has no room for. A run goes on when the
// disk is full: what can't be written waits in memory, is tried again, and can be read
// at the end in any case. What goes beyond maxWaiting is lost, and counted.
type disk struct {
	file    file
	good    int64 // where the last whole frame ends
	last    frame // which that is
	waiting []frame
	held    int // bytes of waiting
	limit   int // bytes that may wait
	lost    int // requests
}

// add writes what waits and then f. An error says that something waits; it is
// not lost yet.
func (d *disk) add(f frame) error {
	if len(f.b) > 0 {
		d.hold(f)
	}
	for len(d.waiting) > 0 {
		if err := d.write(d.waiting[0]); err != nil {
			return err
		}
		d.held -= len(d.waiting[0].b)
		d.waiting = d.waiting[1:]
	}
	d.waiting = nil // and its memory
	return nil
}

// hold keeps a frame if there is room. The first one is no question of room: else
// nothing could be written at all. Nor are samples and the end: they are small.
func (d *disk) hold(f frame) {
	if f.requests > 0 && len(d.waiting) > 0 && d.held+len(f.b) > d.limit {
		d.lost += f.requests
		return
	}
	d.held += len(f.b)
	d.waiting = append(d.waiting, f)
}

// write appends a frame to the file, or leaves the file as it was.
func (d *disk) write(f frame) error {
	n, err := d.file.Write(f.b)
	if err == nil && n < len(f.b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		d.cut(d.good)
		return err
	}
	d.good += int64(len(f.b))
	d.last = f
	return nil
}

// cut takes from the file what lies behind a whole frame. Where that fails, half a
// frame ends the file, as after a kill: the next one makes it no worse.
func (d *disk) cut(to int64) {
	if d.file.Truncate(to) == nil {
		_, _ = d.file.Seek(to, io.SeekStart)
	}
}

// finish closes the file of a run that could not be written whole: with an end line,
// so that it is not taken for one that was killed. end makes that line's frame, for
// so many requests that are not in the file. The last frame gives way to it if need be,
// but not the first: a journal without its first line is none.
func (d *disk) finish(end func(unwritten int) (frame, error)) error {
	if d.good == 0 {
		return nil
	}
	unwritten := d.lost
	for _, f := range d.waiting {
		unwritten += f.requests
	}
	f, err := end(unwritten)
	last := d.last
	if err != nil || d.write(f) == nil || int64(len(last.b)) == d.good {
		return err
	}
	d.good -= int64(len(last.b))
	d.cut(d.good)
	d.waiting = slices.Insert(d.waiting, 0, last)
	if f, err = end(unwritten + last.requests); err != nil {
		return err
	}
	if err := d.write(f); err != nil {
		return fmt.Errorf("end the journal: %w", err)
	}
	return nil
}

// rest is what the file does not hold, as the bytes that would follow.
func (d *disk) rest() io.Reader {
	var parts []io.Reader
	for _, f := range d.waiting {
		parts = append(parts, bytes.NewReader(f.b))
	}
	return io.MultiReader(parts...)
}
