package lead

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
)

// collector writes the agents' journals into the run's folder as they come.
type collector struct {
	mu    sync.Mutex
	files map[string]*piled
	end   func()
}

// piled is an agent's journal, as much as has come.
type piled struct {
	path string
	file *os.File
	size int64
	err  error // of this machine's disk
}

// collect begins to collect from the first piece. What lies in the folder already, of a
// leader before, is passed over.
func (l *leader) collect(ctx context.Context) error {
	c := &collector{files: map[string]*piled{}}
	for _, a := range l.agents {
		p, err := newPiled(l.folder.of(a))
		if err != nil {
			return err
		}
		c.files[a.ID] = p
	}
	end, err := l.bus.Journals(ctx, l.kept.Run, c.add)
	if err != nil {
		return err
	}
	c.end = end
	l.pieces = c
	return nil
}

func newPiled(folder string) (*piled, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	p := &piled{path: filepath.Join(folder, journal.FileName)}
	var err error
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	info, err := p.file.Stat()
	if err == nil {
		p.size = info.Size()
	}
	return p, err
}

// add appends a piece where it belongs. One that is there already, or in part, comes from
// an agent that was not sure, or from the beginning.
func (c *collector) add(agent string, offset int64, piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.files[agent]
	if p == nil || p.err != nil || offset > p.size || offset+int64(len(piece)) <= p.size {
		return
	}
	n, err := p.file.Write(piece[p.size-offset:])
	p.size += int64(n)
	p.err = err
}

// has says how much of an agent's journal is here.
func (c *collector) has(agent string) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[agent].size, c.files[agent].err
}

// whole says whether a journal is the one whose digest its agent told.
func (c *collector) whole(agent, digest string) bool {
	c.mu.Lock()
	p := c.files[agent]
	c.mu.Unlock()
	f, err := os.Open(p.path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == digest
}

// stop ends it. It may be called twice.
func (c *collector) stop() {
	if c.end != nil {
		c.end()
		c.end = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.files {
		p.err = errors.Join(p.err, p.file.Close())
		if p.err == nil {
			p.err = os.ErrClosed
		}
	}
}
