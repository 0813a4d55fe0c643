package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// moodyFile writes what it is let, and says what it is told to.
type moodyFile struct {
	*os.File
	most int   // bytes of a write; -1: all
	err  error // of writes
}

func (f *moodyFile) Write(b []byte) (int, error) {
	if f.most >= 0 {
		b = b[:min(f.most, len(b))]
	}
	n, err := f.File.Write(b)
	return n, errors.Join(err, f.err)
}

func moodyDisk(t *testing.T, most int) (*disk, *moodyFile) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	file := &moodyFile{File: f, most: -1}
	return &disk{file: file, limit: most}, file
}

// A write that took less than all, and says nothing of it, is none: the frame waits, and the file has no half of it.
func TestAShortWriteIsTriedAgain(t *testing.T) {
	d, file := moodyDisk(t, 1000)
	if err := d.add(frame{[]byte("first "), 1}); err != nil {
		t.Fatal(err)
	}
	file.most = 3
	if err := d.add(frame{[]byte("second "), 1}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("half a frame was written, and the error is %v", err)
	}
	file.most = -1
	if err := d.add(frame{[]byte("third"), 1}); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(file.Name()); string(b) != "first second third" || err != nil || d.good != int64(len(b)) {
		t.Errorf("the file has %q, of which %d are good (%v)", b, d.good, err)
	}
}

// What was written takes none of the room of what waits.
func TestWhatWasWrittenDoesNotWait(t *testing.T) {
	const frames = 4
	d, file := moodyDisk(t, frames*10)
	one := frame{make([]byte, 10), 1}
	for range 10 * frames {
		if err := d.add(one); err != nil {
			t.Fatal(err)
		}
	}
	file.err = syscall.ENOSPC
	for range frames {
		if err := d.add(one); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the disk is full, and the error is %v", err)
		}
	}
	if d.lost != 0 || len(d.waiting) != frames || d.held != frames*10 {
		t.Errorf("there is room for %d frames: %d wait with %d bytes, %d requests are lost", frames, len(d.waiting), d.held, d.lost)
	}
	if d.add(one); d.lost != 1 {
		t.Errorf("one frame more than there is room for: %d requests are lost", d.lost)
	}
}

// Where requests are lost all is not well again, whatever can be written then.
func TestTroubleIsNotOverWhereRequestsAreLost(t *testing.T) {
	_, sizes := write(t, 4, false)
	frame := int(sizes[3] - sizes[2])
	var told []error
	w, disk, _ := onFullDisk(t, sizes[0], 2*frame+frame/2, func(err error) { told = append(told, err) })
	for i := range 9 {
		if i == 7 {
			disk.room.Store(1 << 20) // the flusher is idle: appendOne has waited for it
		}
		appendOne(w, i)
	}
	_ = w.End(&End{Sent: 9})
	if err := w.Close(); err != nil || w.Lost() == 0 {
		t.Errorf("%v, %d lost", err, w.Lost())
	}
	if len(told) != 1 || !errors.Is(told[0], syscall.ENOSPC) {
		t.Errorf("told %v", told)
	}
}
