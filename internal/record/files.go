package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
)

// Files say where rows go.
type Files struct {
	Out     string        // traffic.jsonl; where files are rotated, traffic-0001.jsonl and so on
	MaxSize int64         // of a file, in bytes; 0: no limit
	MaxTime time.Duration // that a file is written to; 0: no limit
}

func (f *Files) rotate() bool { return f.MaxSize > 0 || f.MaxTime > 0 }

// First is the name of the first file.
func (f *Files) First() string { return f.name(1) }

// name is that of the n-th file.
func (f *Files) name(n int) string {
	if !f.rotate() {
		return f.Out
	}
	ext := filepath.Ext(f.Out)
	return fmt.Sprintf("%s-%04d%s", strings.TrimSuffix(f.Out, ext), n, ext)
}

// files is the file that is being written.
type files struct {
	Files
	n      int
	f      file
	create func(name string) (file, error)
	size   int64
	since  time.Time
}

// file is the part of an os.File that is needed.
type file interface {
	io.Writer
	io.Seeker
	io.Closer
	Truncate(size int64) error
}

// openFiles makes the first file. One that is there is never written to: its rows are of
// another recording, with other hashes and another zero.
func openFiles(f Files) (*files, error) {
	w := &files{Files: f, create: createNew}
	if err := f.refuseOld(); err != nil {
		return nil, err
	}
	return w, w.next()
}

// refuseOld looks for rotated files of an earlier recording: a folder of both would be
// replayed as one.
func (f *Files) refuseOld() error {
	if !f.rotate() {
		return nil
	}
	ext := filepath.Ext(f.Out)
	entries, err := os.ReadDir(filepath.Dir(f.Out))
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(filepath.Base(f.Out), ext) + "-"
	for _, e := range entries {
		number, ours := strings.CutPrefix(strings.TrimSuffix(e.Name(), ext), stem)
		if ours && strings.HasSuffix(e.Name(), ext) && number != "" && strings.Trim(number, "0123456789") == "" {
			return fmt.Errorf("%s is of an earlier recording: give --output another name, or move its files away", filepath.Join(filepath.Dir(f.Out), e.Name()))
		}
	}
	return nil
}

func createNew(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s is there already: give --output another name, or move it away", name)
	}
	return f, err
}

func (w *files) next() error {
	if err := w.Close(); err != nil {
		return err
	}
	f, err := w.create(w.name(w.n + 1))
	if err != nil {
		return err
	}
	w.n++
	w.f, w.size, w.since = f, 0, clock.Now()
	return nil
}

// write appends a row, or leaves the file as it was.
func (w *files) write(line []byte) error {
	full := w.MaxSize > 0 && w.size+int64(len(line)) > w.MaxSize || w.MaxTime > 0 && clock.Since(w.since) >= w.MaxTime
	if full && w.size > 0 {
		if err := w.next(); err != nil {
			return err
		}
	}
	n, err := w.f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		if w.f.Truncate(w.size) == nil { // no half row
			_, _ = w.f.Seek(w.size, io.SeekStart)
		}
		return err
	}
	w.size += int64(n)
	return nil
}

func (w *files) Close() error {
	if w.f == nil {
		return nil
	}
	err := w.f.Close()
	w.f = nil
	return err
}
