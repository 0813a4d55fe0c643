package lead

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// courier carries what a leader says, stores and hears: the bus, whose methods say more of each.
type courier interface {
	holder

	Prepare(ctx context.Context) error
	PrepareAgain(ctx context.Context) (anew bool, err error)
	Connected() bool
	Since() time.Time
	Close()

	Who(ctx context.Context, wait time.Duration, enough int) ([]message.Hello, error)
	Ask(ctx context.Context, agent string, a *message.Ask) (*message.Answer, error)
	Statuses(run string, see func(*message.Status)) (stop func(), err error)
	LastStatus(ctx context.Context, run, agent string) (*message.Status, error)

	Runs(ctx context.Context) ([]string, error)
	Keep(ctx context.Context, run string, value []byte) error
	Kept(ctx context.Context, run string) ([]byte, error)
	Drop(ctx context.Context, run string) error
	PutFile(ctx context.Context, path, what string) (message.File, error)
	GetFile(ctx context.Context, file message.File, path string) error

	Journals(ctx context.Context, run string, see func(agent string, offset int64, piece []byte)) (stop func(), err error)
	Pieces(ctx context.Context, run, agent string, see func(offset int64, piece []byte) bool) error
	HasJournals(ctx context.Context, run string) (bool, error)
}
