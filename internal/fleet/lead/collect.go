package lead

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// collector writes the agents' journals into the run's folder as they come. A piece that can't
// be written, or that comes after one that is missing, is passed over: what a journal lacks is
// got again, from its agent or from NATS, for as long as the leader waits; see settle.go.
type collector struct {
	mu    sync.Mutex
	files map[string]*piled
	end   func()
	// trouble is told that this machine's disk takes no more, once, and with nil when it does again.
	trouble func(error)
	failing bool
}

// piled is an agent's journal, as much as has come.
type piled struct {
	path  string
	file  *os.File
	size  int64
	moved time.Time // when it grew last
	gap   bool      // more has come than could be written
	err   error     // of this machine's disk; nil: it takes what comes
	held  string    // the digest of what is here for good; empty: not known, or not whole
	anew  bool      // it was begun anew: what was here was not what the agent has
}

// collect begins to collect from the first piece. What lies in the folder already, of a
// leader before, is passed over.
func (l *leader) collect(ctx context.Context) error {
	c := &collector{files: map[string]*piled{}, trouble: func(err error) {
		if err != nil {
			l.host.Warn("\nwarning: the agents' journals can't be written here: %v; they are kept by the agents and by NATS, and tried again", err)
		} else {
			l.host.Warn("\nnote: the agents' journals can be written again")
		}
	}}
	for _, a := range l.agents {
		p, err := newPiled(l.folder.of(a))
		if err != nil {
			return errors.Join(err, c.Close())
		}
		c.files[a.ID] = p
	}
	l.pieces = c
	return l.listen(ctx)
}

// listen begins to take pieces from the first one that NATS has.
func (l *leader) listen(ctx context.Context) error {
	end, err := l.bus.Journals(ctx, l.kept.Run, l.pieces.add)
	if err != nil {
		return err
	}
	c := l.pieces
	c.mu.Lock()
	before := c.end
	c.end = end
	c.mu.Unlock()
	if before != nil {
		before()
	}
	return nil
}

func newPiled(folder string) (*piled, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	p := &piled{path: filepath.Join(folder, journal.FileName)}
	var err error
	if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	info, err := p.file.Stat()
	if err == nil {
		p.size = info.Size()
	}
	return p, err
}

// add writes a piece where it belongs. One that is there already, or in part, comes from
// an agent that was not sure, or from the beginning. What is written is always the journal's
// beginning, without a hole, however far a full disk lets it come.
func (c *collector) add(agent string, offset int64, piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.files[agent]
	switch {
	case p == nil || p.file == nil || offset+int64(len(piece)) <= p.size:
		return
	case offset > p.size:
		p.gap = true
		return
	}
	n, err := p.file.WriteAt(piece[p.size-offset:], p.size)
	if n > 0 {
		p.size += int64(n)
		p.moved = time.Now()
	}
	p.err = err
	if err != nil {
		p.gap = true
	}
	c.tell()
}

// tell tells of the disk, when that has changed.
func (c *collector) tell() {
	var failing error
	for _, p := range c.files {
		if p.err != nil {
			failing = p.err
		}
	}
	if (failing != nil) == c.failing {
		return
	}
	c.failing = failing != nil
	if c.trouble != nil {
		c.trouble(failing)
	}
}

// has is an agent's journal at this moment.
func (c *collector) has(agent string) piled {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.files[agent]
}

// filled says that a journal has all that there was to get, unless the disk had no room.
func (c *collector) filled(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.files[agent]; p.err == nil {
		p.gap = false
	}
}

// hold makes sure that a journal is the one whose digest its agent told, and that it is on the
// disk for good. If it is another one, it is got again from its first byte, once.
func (c *collector) hold(agent, digest string) {
	c.mu.Lock()
	p := c.files[agent]
	path := p.path
	c.mu.Unlock()
	err := syncFile(path)
	sum := ""
	if err == nil {
		sum, err = journal.Digest(path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil && sum == digest:
		p.held, p.err, p.gap = digest, nil, false
	case err == nil && p.anew:
		p.err = fmt.Errorf("what came of it has not the digest that the agent told")
		return // that is not the disk's
	case p.file == nil:
	default: // a disk that could not keep it may have kept something else
		p.anew, p.gap = true, true
		if err = errors.Join(err, p.file.Truncate(0)); err == nil {
			p.size = 0
		}
		p.err = err
	}
	c.tell()
}

// stop ends it. It may be called twice.
func (c *collector) stop() {
	c.mu.Lock()
	end := c.end
	c.end = nil
	c.mu.Unlock()
	if end != nil {
		end()
	}
	_ = c.Close() // who needs a journal has it synced before
}

func (c *collector) Close() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.files {
		if p.file != nil {
			err = errors.Join(err, p.file.Close())
			p.file = nil
		}
	}
	return err
}
