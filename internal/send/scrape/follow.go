package scrape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// maxLogLine is beyond every line that is meant for people; of a longer one nothing is kept.
	maxLogLine = 8 << 10
	// maxLogRead bounds what is read at once: a server that floods its log must not keep us busy.
	maxLogRead = 1 << 20
)

// Log follows a file that a server writes to, from its end. It may be used by one goroutine at
// a time.
type Log struct {
	path string
	file *os.File
	at   int64  // where the next byte is read
	half []byte // a line without its end so far
	skip bool   // the line is too long: up to its end nothing is kept
}

// Follow opens a file and goes to its end: what stands there is of before.
func Follow(path string) (*Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would be taken away from whoever reads it, and waiting for it has no end
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	l := &Log{path: path}
	if err := l.open(); err != nil {
		return nil, err
	}
	if l.at, err = l.file.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	// The end may be in the middle of a line: what follows up to its end is passed over.
	var last [1]byte
	if n, _ := l.file.ReadAt(last[:], l.at-1); l.at > 0 && n == 1 && last[0] != '\n' {
		l.skip = true
	}
	return l, nil
}

func (l *Log) open() (err error) {
	l.file, err = os.Open(l.path)
	l.at, l.half, l.skip = 0, nil, false
	return err
}

// Close closes the file.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Read gives each whole line that was written since to see, without its end. A file that was
// made shorter is read from its start, and one that was replaced by another, as when logs are
// rotated, is read to its end and then the other one.
func (l *Log) Read(see func(line string)) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < l.at {
		l.at, l.half, l.skip = 0, nil, false
	}
	if err := l.rest(see); err != nil {
		return err
	}
	now, err := os.Stat(l.path)
	if err != nil || !now.Mode().IsRegular() || os.SameFile(info, now) {
		return nil // moved away, and the new one is not there yet: the next time
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	if err := l.open(); err != nil {
		l.file = nil
		return err
	}
	return l.rest(see)
}

// rest reads on, up to maxLogRead. What is beyond is passed over: it is the newest that counts.
func (l *Log) rest(see func(line string)) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if behind := info.Size() - l.at; behind > maxLogRead {
		l.at, l.half, l.skip = info.Size()-maxLogRead, nil, true
	}
	b := make([]byte, min(info.Size()-l.at, maxLogRead))
	n, err := l.file.ReadAt(b, l.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l.at += int64(n)
	l.lines(b[:n], see)
	return nil
}

func (l *Log) lines(b []byte, see func(line string)) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			if len(l.half)+len(b) > maxLogLine {
				l.skip, b = true, nil
			}
			if l.skip {
				l.half = nil
				return
			}
			l.half = append(l.half, b...)
			return
		}
		line := append(l.half, b[:end]...)
		if !l.skip && len(line) <= maxLogLine {
			see(string(bytes.TrimRight(line, "\r")))
		}
		l.half, l.skip, b = l.half[:0], false, b[end+1:]
	}
}
