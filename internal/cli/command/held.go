package command

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// Held is a stream that a view can take over: while it is held, what is written is told to the
// view line by line and kept for the stream, which gets it when it is let go.
type Held struct {
	w io.Writer

	mu   sync.Mutex
	see  func(line string) // nil: not held
	kept bytes.Buffer
	part []byte // of a line that has no end yet
}

// NewHeld is a stream that is not held yet.
func NewHeld(w io.Writer) *Held { return &Held{w: w} }

// Hold tells each line to see from now on. It must not write to the stream.
func (h *Held) Hold(see func(line string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.see = see
}

// Release writes what was kept, and from now on all at once.
func (h *Held) Release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.see, h.part = nil, nil
	_, err := h.w.Write(h.kept.Bytes())
	h.kept.Reset()
	return err
}

func (h *Held) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.see == nil {
		return h.w.Write(b)
	}
	h.kept.Write(b)
	h.part = append(h.part, b...)
	for {
		line, rest, whole := bytes.Cut(h.part, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		h.see(string(line))
		h.part = rest
	}
}

// File is the file behind a stream, held or not; nil: there is none.
func File(w io.Writer) *os.File {
	if h, ok := w.(*Held); ok {
		w = h.w
	}
	f, _ := w.(*os.File)
	return f
}
