package journal

import (
	"bytes"
	"errors"
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
	cfg  Config
	path string
	zstd *zstd.Encoder

	mu      sync.Mutex // guards pending, end, closed and swapped
	pending []byte
	end     *End // the last line, once it is known
	closed  bool
	swapped chan struct{} // closed when pending was taken; nil: nobody waits

	asks    asks
	disk    disk   // the flusher's until done is closed
	spare   []byte // so are these: its buffer, swapped with pending,
	failing bool   // whether the last flush could not be written,
	err     error  // and what Close returns
	done    chan struct{}
}

// asks are what the flusher is asked for.
type asks struct {
	full chan struct{}      // to come early
	now  chan chan struct{} // to flush, and to close it then
	stop chan struct{}
}

// Config is how a journal is written.
type Config struct {
	Private bool // the file is for the user alone: it holds texts
	// Eager lines are written as soon as the disk is free: where each has cost much, a process
	// that is killed shall lose none.
	Eager bool
	// Trouble is told when the file can't be written, and with nil when it can again and
	// nothing is lost. It is called by the flusher, and must not call the Writer. May be nil.
	Trouble func(error)
}

// Create makes a new journal file; it must not exist.
func Create(path string) (*Writer, error) { return Config{}.Create(path) }

// Create makes a new journal file; it must not exist.
func (c Config) Create(path string) (*Writer, error) {
	mode := os.FileMode(0o666)
	if c.Private {
		mode = 0o600
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, fmt.Errorf("create the journal: %w", err)
	}
	w, err := c.writer(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

func (c Config) writer(f file, path string) (*Writer, error) {
	// One thread and a small window: the journal must not compete with the load.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("create the journal's compressor: %w", err)
	}
	w := &Writer{
		cfg: c, path: path, zstd: enc, disk: disk{file: f, limit: maxWaiting},
		asks: asks{make(chan struct{}, 1), make(chan chan struct{}), make(chan struct{})}, done: make(chan struct{}),
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

// Hardware writes what devices said of themselves.
func (w *Writer) Hardware(h *Hardware) error { return w.line(Line{Hardware: h}) }

// End writes the last line, when the journal is closed.
func (w *Writer) End(e *End) error {
	if _, err := encode(Line{End: e}); err != nil {
		return err
	}
	w.mu.Lock()
	w.end = e
	w.mu.Unlock()
	return nil
}

func (w *Writer) line(l Line) error {
	b, err := encode(l)
	if err != nil {
		return err
	}
	w.Append(b)
	return nil
}

func encode(l Line) ([]byte, error) {
	b, err := marshal(l)
	if err != nil {
		return nil, fmt.Errorf("encode a journal line: %w", err)
	}
	return append(b, '\n'), nil
}

// Append adds whole lines, made with AppendRequest. It never waits for the disk;
// a failure to write is told to Config.Trouble at once, and returned by Close.
func (w *Writer) Append(lines []byte) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.pending = append(w.pending, lines...)
	full := w.cfg.Eager || len(w.pending) >= flushAt
	w.mu.Unlock()
	if full {
		select {
		case w.asks.full <- struct{}{}:
		default: // the flusher has been asked already
		}
	}
}

// AppendWaiting is Append for who can wait for the disk: it returns when little is pending.
func (w *Writer) AppendWaiting(lines []byte) {
	w.Append(lines)
	for {
		w.mu.Lock()
		if len(w.pending) < 2*flushAt || w.closed {
			w.mu.Unlock()
			return
		}
		if w.swapped == nil {
			w.swapped = make(chan struct{})
		}
		swapped := w.swapped
		w.mu.Unlock()
		<-swapped
	}
}

// Close writes what is pending and closes the file. It returns an error if the file
// is not whole, which Reopen reads all the same, and is safe to call twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.asks.stop)
	}
	w.mu.Unlock()
	<-w.done
	return w.err
}

// Reopen reads the journal after Close: the file, and what it had no room for.
func (w *Writer) Reopen() (*Reader, error) { return open(w.path, w.disk.rest()) }

// Lost is how many requests can't be read from the journal, after Close: the file
// had no room for them, and memory neither.
func (w *Writer) Lost() int { return w.disk.lost }

func (w *Writer) flusher() {
	defer close(w.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.flush()
		case <-w.asks.full:
			w.flush()
		case flushed := <-w.asks.now:
			w.flush()
			close(flushed)
		case <-w.asks.stop:
			w.flush()
			w.err = w.finish()
			return
		}
	}
}

// flush writes what is pending, and what could not be written before.
func (w *Writer) flush() {
	w.mu.Lock()
	lines := w.pending
	w.pending = w.spare[:0]
	if w.swapped != nil {
		close(w.swapped)
		w.swapped = nil
	}
	w.mu.Unlock()
	w.spare = lines
	f, err := w.compress(lines)
	if err == nil {
		err = w.disk.add(f)
	}
	if failing := err != nil; failing != w.failing {
		w.failing = failing
		if w.cfg.Trouble != nil && (failing || w.disk.lost == 0) {
			w.cfg.Trouble(err)
		}
	}
}

// finish writes the end line and closes the file.
func (w *Writer) finish() error {
	var f frame
	var err error
	if w.end != nil {
		f, err = w.endFrame(w.disk.lost)
	}
	if err == nil {
		err = w.disk.add(f)
	}
	if err != nil && w.end != nil {
		err = errors.Join(err, w.disk.finish(w.endFrame))
	}
	if err = errors.Join(err, w.disk.file.Close()); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

func (w *Writer) endFrame(unwritten int) (frame, error) {
	end := *w.end
	end.Unwritten = unwritten
	b, err := encode(Line{End: &end})
	if err != nil {
		return frame{}, err
	}
	return w.compress(b)
}

// compress makes a frame of lines, an empty one of none.
func (w *Writer) compress(lines []byte) (frame, error) {
	if len(lines) == 0 {
		return frame{}, nil
	}
	var b bytes.Buffer
	w.zstd.Reset(&b)
	if _, err := w.zstd.Write(lines); err != nil {
		return frame{}, err
	}
	err := w.zstd.Close()
	return frame{b.Bytes(), bytes.Count(lines, []byte(requestLine))}, err
}
