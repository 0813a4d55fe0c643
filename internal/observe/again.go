package observe

import (
	"context"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// keeper is a source that keeps some of the requests that it gave, to be sent again:
// each with the same chance, however many there are.
type keeper struct {
	workload.Source
	want, given int
	random      *rand.Rand
	kept        []*workload.Request
}

func newKeeper(s workload.Source, want int, seed uint64) *keeper {
	return &keeper{Source: s, want: want, random: rand.New(rand.NewPCG(seed, 0))}
}

func (k *keeper) Next() (*workload.Request, error) {
	w, err := k.Source.Next()
	if err != nil {
		return nil, err
	}
	k.given++
	copied := *w
	copied.Question = nil // it is asked once; what follows is a sample
	if len(k.kept) < k.want {
		k.kept = append(k.kept, &copied)
	} else if i := k.random.IntN(k.given); i < k.want {
		k.kept[i] = &copied
	}
	return w, nil
}

// sendAgain sends some prompts of the load once more without load, so that their texts can be compared.
type sendAgain struct {
	Base
	ready  *prepare.Ready
	keeper *keeper
}

// NewAgain sends prompts again, if --integrity-sample asks for it.
func NewAgain(_ context.Context, r *prepare.Ready, _ *prepare.Host) (Observer, error) {
	if r.IntegritySample == 0 {
		return nil, nil
	}
	return &sendAgain{ready: r}, nil
}

// Configure has it see what is sent.
func (s *sendAgain) Configure(cfg *load.Config) {
	s.keeper = newKeeper(cfg.Source, s.ready.IntegritySample, uint64(s.ready.Seed))
	cfg.Source = s.keeper
}

// Finish sends the kept prompts. A run that was stopped has none: who stopped it does not want to wait.
func (s *sendAgain) Finish(ctx context.Context, drain <-chan struct{}, end *journal.End) error {
	if end.Interrupted != "" {
		return nil
	}
	s.Run.Say("sending %d prompts again, one at a time, to compare their texts", len(s.keeper.kept))
	cfg := s.ready.Config()
	cfg.Journal = s.Run.Journal
	return load.Sample(ctx, drain, cfg, s.keeper.kept)
}
