package lead

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

const (
	settleAfter = 500 * time.Millisecond // pieces that are on their way come within it
	settleEvery = time.Second
	lateEvery   = 5 * time.Second // where the agent does not answer
)

// settle gets what is missing of the agents' journals, and makes sure of those that are all
// here. It does not wait.
func (l *leader) settle(ctx context.Context) {
	for _, a := range l.agents {
		v := a.look()
		if !l.unsettled(a, &v) {
			continue
		}
		a.mu.Lock()
		busy := a.settling || time.Now().Before(a.settleAt)
		if !busy {
			a.settling = true
		}
		a.mu.Unlock()
		if busy {
			continue
		}
		l.background.Go(func() {
			next := l.settleOne(ctx, a, &v)
			a.mu.Lock()
			a.settling, a.settleAt = false, time.Now().Add(next)
			a.mu.Unlock()
		})
	}
}

// unsettled says that a journal needs more than to wait for its next piece.
func (l *leader) unsettled(a *agent, v *view) bool {
	p := l.pieces.has(a.ID)
	if v.over() && p.size >= v.status.Journal && !p.gap {
		return v.status.SHA256 != "" && p.held != v.status.SHA256
	}
	return (p.gap || v.over()) && time.Since(p.moved) > settleAfter
}

// settleOne does so for one agent, and says when to try again.
func (l *leader) settleOne(ctx context.Context, a *agent, v *view) (next time.Duration) {
	next = settleEvery
	if p := l.pieces.has(a.ID); p.gap || p.size < v.status.Journal {
		if err := l.pull(ctx, a); err != nil {
			next = lateEvery
			a.mu.Lock()
			a.absent = a.absent || errors.Is(err, bus.ErrGone)
			a.mu.Unlock()
			l.reread(ctx, a)
		}
	}
	if p := l.pieces.has(a.ID); v.over() && v.status.SHA256 != "" && p.size >= v.status.Journal {
		l.pieces.hold(a.ID, v.status.SHA256)
	}
	return next
}

// pull asks an agent for its journal from where it ends here.
func (l *leader) pull(ctx context.Context, a *agent) error {
	for ctx.Err() == nil {
		p := l.pieces.has(a.ID)
		one, cancel := context.WithTimeout(ctx, askTime)
		answer, err := l.bus.Ask(one, a.ID, &message.Ask{Kind: message.Piece, Run: l.kept.Run, From: p.size})
		cancel()
		switch {
		case err != nil:
			return err
		case answer.Error != "":
			return errors.New(answer.Error)
		case len(answer.Piece) == 0:
			l.pieces.filled(a.ID)
			return nil
		}
		l.pieces.add(a.ID, p.size, answer.Piece)
		if l.pieces.has(a.ID).err != nil {
			return nil // the disk is full: another way brings no more
		}
	}
	return ctx.Err()
}

// reread takes what NATS has of an agent's journal once more.
func (l *leader) reread(ctx context.Context, a *agent) {
	ctx, cancel := context.WithTimeout(ctx, 12*askTime)
	defer cancel()
	hole := false
	err := l.bus.Pieces(ctx, l.kept.Run, a.ID, func(offset int64, piece []byte) bool {
		l.pieces.add(a.ID, offset, piece)
		p := l.pieces.has(a.ID)
		hole = hole || offset > p.size
		return p.err == nil
	})
	if err == nil && !hole {
		l.pieces.filled(a.ID)
	}
}

// held says that an agent's journal is here whole and for good: it has the digest that the
// agent told when it had ended. One that sent nothing has none.
func (l *leader) held(a *agent, v *view) bool {
	if !v.over() {
		return false
	}
	if v.status.SHA256 == "" {
		return v.status.Journal == 0
	}
	return l.pieces.has(a.ID).held == v.status.SHA256
}

// syncFile puts a file, and the folders that it is named in, onto the disk.
func syncFile(path string) error {
	for _, name := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path)), filepath.Dir(filepath.Dir(filepath.Dir(path)))} {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
