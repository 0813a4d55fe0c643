package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// flushEvery bounds what a crash can lose. Each flush ends a zstd frame, so the
// file is readable up to the last flush whatever happens after it.
const flushEvery = time.Second

// flushAt bounds the memory of lines that wait for a flush.
const flushAt = 1 << 20

// Writer appends lines to a journal file. Its methods may be called by several goroutines.
type Writer struct {
	mu      sync.Mutex // guards pending, full and closed
	pending []byte
	closed  bool
	full    chan struct{} // asks the flusher to come early

	file  *os.File
	zstd  *zstd.Encoder
	err   error // the first failure of the flusher; read after done
	done  chan struct{}
	stop  chan struct{}
	spare []byte // the flusher's buffer, swapped with pending
}

// Create makes a new journal file; it must not exist.
func Create(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create the journal: %w", err)
	}
	// One thread and a small window: the journal must not compete with the load.
	enc, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("create the journal's compressor: %w", err)
	}
	w := &Writer{
		file: f, zstd: enc,
		full: make(chan struct{}, 1), done: make(chan struct{}), stop: make(chan struct{}),
	}
	go w.flusher()
	return w, nil
}

// Run writes the first line.
func (w *Writer) Run(r *Run) error { return w.line(Line{Run: r}) }

// Sample writes the state of the client.
func (w *Writer) Sample(s *Sample) error { return w.line(Line{Sample: s}) }

// Scrape writes the server's counters.
func (w *Writer) Scrape(s *Scrape) error { return w.line(Line{Scrape: s}) }

// End writes the last line.
func (w *Writer) End(e *End) error { return w.line(Line{End: e}) }

func (w *Writer) line(l Line) error {
	b, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a journal line: %w", err)
	}
	w.Append(append(b, '\n'))
	return nil
}

// Append adds whole lines, made with AppendRequest. It never waits for the disk;
// a failure to write is returned by Close.
func (w *Writer) Append(lines []byte) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.pending = append(w.pending, lines...)
	full := len(w.pending) >= flushAt
	w.mu.Unlock()
	if full {
		select {
		case w.full <- struct{}{}:
		default: // the flusher has been asked already
		}
	}
}

// Close writes what is pending and closes the file. It returns the first error
// of any write, and is safe to call twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	<-w.done
	return w.err
}

func (w *Writer) flusher() {
	defer close(w.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.flush()
		case <-w.full:
			w.flush()
		case <-w.stop:
			w.flush()
			w.keep(w.file.Close())
			return
		}
	}
}

func (w *Writer) flush() {
	w.mu.Lock()
	lines := w.pending
	w.pending = w.spare[:0]
	w.mu.Unlock()
	w.spare = lines
	if len(lines) == 0 || w.err != nil {
		return
	}
	w.zstd.Reset(w.file)
	_, err := w.zstd.Write(lines)
	w.keep(err)
	w.keep(w.zstd.Close())
}

func (w *Writer) keep(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write the journal: %w", err)
	}
}
