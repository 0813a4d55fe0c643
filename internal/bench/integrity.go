package bench

import (
	"context"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// keeper is a dataset that keeps some of the requests that it gave, to be sent again:
// each with the same chance, however many there are.
type keeper struct {
	workload.Dataset
	want, given int
	random      *rand.Rand
	kept        []*workload.Request
}

func newKeeper(d workload.Dataset, want int, seed uint64) *keeper {
	return &keeper{Dataset: d, want: want, random: rand.New(rand.NewPCG(seed, 0))}
}

func (k *keeper) Next() (*workload.Request, error) {
	w, err := k.Dataset.Next()
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

// keepSome wraps the dataset if some of its prompts are to be sent again.
func (r *Run) keepSome() {
	if r.IntegritySample > 0 {
		r.keeper = newKeeper(r.dataset, r.IntegritySample, uint64(r.Seed))
	}
}

// sendAgain sends the kept prompts without load. A run that was stopped has none:
// who stopped it does not want to wait.
func (r *Run) sendAgain(ctx context.Context, drain <-chan struct{}, interrupted bool) error {
	if r.keeper == nil || interrupted {
		return nil
	}
	r.say("sending %d prompts again, one at a time, to compare their texts", len(r.keeper.kept))
	return load.Sample(ctx, drain, r.loadConfig(nil, nil), r.keeper.kept)
}
