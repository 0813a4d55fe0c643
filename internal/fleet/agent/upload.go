package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/outside"
)

const (
	handOnEvery = 500 * time.Millisecond
	retryAfter  = 200 * time.Millisecond
	appendTime  = 10 * time.Second
)

// refusedFor is how long a server that is there may refuse a piece after the run's end. What
// it does not take stays here, and a leader fetches it. Tests are in a hurry.
var refusedFor = 5 * time.Second

// uploaded says how much of a journal NATS has. The piece on its way is written down
// before it is sent: whoever goes on after a crash sends the same one again, which the
// server knows by its offset and length, so that pieces never overlap.
type uploaded struct {
	Stored int64 `json:"stored"`
	Piece  int64 `json:"piece,omitempty"` // bytes on their way after that
}

// handOn stores the journal as it grows, until over is closed and all of it is stored. It
// tries for as long as the server is away. stuck is told why a server that is there does not
// take it, and with nil when it does again.
func (f *folder) handOn(ctx context.Context, b *bus.Bus, over <-chan struct{}, stuck func(error)) error {
	var have uploaded
	readRecord(f.upload, &have)
	buffer := make([]byte, bus.MostPiece)
	tick := time.NewTicker(handOnEvery)
	defer tick.Stop()
	for {
		last := isClosed(over) // before the file is read: then it is whole
		if err := f.handOnAll(ctx, b, &have, buffer, over, stuck); err != nil {
			return err
		}
		if last {
			return nil
		}
		select {
		case <-tick.C:
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// handOnAll stores what the file holds now.
func (f *folder) handOnAll(ctx context.Context, b *bus.Bus, have *uploaded, buffer []byte, over <-chan struct{}, stuck func(error)) error {
	file, err := os.Open(f.journal())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		size := int64(len(buffer))
		if have.Piece > 0 {
			size = min(have.Piece, size)
		}
		n, err := file.ReadAt(buffer[:size], have.Stored)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the journal: %w", err)
		}
		if n == 0 {
			return nil
		}
		have.Piece = int64(n)
		overwrite(f.upload, have)
		if err := f.store(ctx, b, have.Stored, buffer[:n], over, stuck); err != nil {
			return err
		}
		have.Stored, have.Piece = have.Stored+int64(n), 0
		overwrite(f.upload, have)
	}
}

// store tries until the server has the piece for good.
func (f *folder) store(ctx context.Context, b *bus.Bus, offset int64, piece []byte, over <-chan struct{}, stuck func(error)) error {
	refused := time.Time{}
	for {
		some, cancel := context.WithTimeout(ctx, appendTime)
		err := b.AppendJournal(some, f.run, f.agent, offset, piece)
		cancel()
		if err == nil {
			stuck(nil)
			return nil
		}
		if b.Connected() && ctx.Err() == nil {
			stuck(err)
		}
		switch {
		case !b.Connected() || !isClosed(over):
			refused = time.Time{}
		case refused.IsZero():
			refused = time.Now()
		case time.Since(refused) > refusedFor:
			return fmt.Errorf("NATS does not store it: %w", err)
		}
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stuck tells why NATS does not take the journal: nil, it does. It is said once, and once
// when it is over.
func (j *job) stuck(err error) {
	words := ""
	if err != nil {
		words = outside.Sentence(err.Error())
	}
	j.teller.mu.Lock()
	before := j.status.Stuck
	j.status.Stuck = words
	j.teller.mu.Unlock()
	switch {
	case before == "" && words != "":
		j.agent.Say("the journal of the run %s stays here for now, as NATS does not take it: %s", j.run, words)
		j.teller.asked()
	case before != "" && words == "":
		j.agent.Say("NATS takes the journal of the run %s again", j.run)
		j.teller.asked()
	}
}
