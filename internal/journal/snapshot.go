package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Snapshot reads what has been written so far, while more may be written: what was
// appended before is in it, unless the disk had no room. Reopen is for after Close.
func (w *Writer) Snapshot() (*Reader, error) {
	flushed := make(chan struct{})
	select {
	case w.asks.now <- flushed:
		<-flushed
	case <-w.done:
	}
	f, err := os.Open(w.path)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r, err := NewReader(io.LimitReader(f, info.Size())) // whole frames: the flusher rests
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", w.path, err), f.Close())
	}
	r.src = f
	return r, nil
}
