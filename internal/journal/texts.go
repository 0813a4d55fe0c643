package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// MetricsText is one scrape as it came: a line of the file MetricsName. At and Target are
// those of the journal's line that was made of it. Bytes that are no UTF-8 are replaced.
type MetricsText struct {
	At     int64  `json:"at"`
	Target int    `json:"target"`
	URL    string `json:"url"`
	Text   string `json:"text"`
}

// MetricsWriter keeps scrapes whole. They are long and change little: the file is one zstd
// stream whose window holds the scrapes before, and each line is flushed to the disk, so that
// a run that is killed has all up to its last.
type MetricsWriter struct {
	mu      sync.Mutex
	path    string
	file    *os.File // nil: nothing has been written yet
	zstd    *zstd.Encoder
	size    writtenBytes
	limit   int64
	dropped int
	err     error // why nothing is written any more
}

const (
	// maxMetricsFile bounds the file: hours of a server with hundreds of series.
	maxMetricsFile = 64 << 20
	// metricsWindow holds some scrapes of several servers.
	metricsWindow = 1 << 20
)

// NewMetricsWriter writes to a file that is made with the first line; it must not exist.
func NewMetricsWriter(path string) *MetricsWriter {
	return &MetricsWriter{path: path, limit: maxMetricsFile}
}

// Write adds a line. It says no once: with an error when nothing can be written any more.
func (w *MetricsWriter) Write(t *MetricsText) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		w.dropped++
		return nil
	}
	if w.err = w.write(t); w.err != nil {
		w.dropped++
		return w.err
	}
	return nil
}

func (w *MetricsWriter) write(t *MetricsText) error {
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if w.size.n+int64(len(t.Text)) > w.limit { // compressed it is never longer
		return fmt.Errorf("they have reached %d MiB", w.limit>>20)
	}
	e := json.NewEncoder(w.zstd)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return err
	}
	return w.zstd.Flush()
}

func (w *MetricsWriter) open() error {
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w.file, w.size = f, writtenBytes{to: f}
	w.zstd, err = zstd.NewWriter(&w.size, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(metricsWindow))
	return err
}

// writtenBytes counts what it passes on.
type writtenBytes struct {
	to io.Writer
	n  int64
}

func (c *writtenBytes) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// Close ends the file. It says how many lines were not written.
func (w *MetricsWriter) Close() (dropped int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		if w.zstd != nil {
			err = w.zstd.Close()
		}
		err = errors.Join(err, w.file.Close())
		w.file = nil
	}
	w.err = os.ErrClosed
	return w.dropped, err
}

// maxMetricsLine bounds a line of MetricsName: a scrape's text is far shorter.
const maxMetricsLine = 64 << 20

// ReadMetrics calls see for each scrape that was kept whole in a file MetricsName. Where there is no such file, it is
// never called; one that was cut off ends with its last whole line.
func ReadMetrics(path string, see func(*MetricsText) error) (err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	d, err := zstd.NewReader(f, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer d.Close()
	return readMetrics(d, see)
}

func readMetrics(r io.Reader, see func(*MetricsText) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxMetricsLine)
	for lines.Scan() {
		var t MetricsText
		if json.Unmarshal(lines.Bytes(), &t) != nil || t.At < -maxTime || t.At > maxTime || t.Target < 0 {
			return nil // the run was killed while it wrote
		}
		if err := see(&t); err != nil {
			return err
		}
	}
	return nil
}
