package bench

import (
	"context"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Facts are what a server says of itself.
type Facts struct {
	ModelID, SentModel string
	Name               string // the owner of its model: vllm, llamacpp, sglang…; empty: it doesn't say
	TextsOnly          bool   // it takes no token ids, and knows no ignore_eos
	Meta               target.Meta
}

// Ask finds the model and who serves it, as a run would before its load.
func Ask(ctx context.Context, s *Spec, h *Host) (Facts, error) {
	r := newRun(s, h)
	defer r.close()
	if err := r.connect(ctx); err != nil {
		return Facts{}, err
	}
	f := Facts{ModelID: r.modelID, SentModel: r.sentModel}
	models := r.lists[0].models
	if r.lists[0].err != nil {
		return f, nil // a server need not list its models; whether it answers will show
	}
	for _, m := range models {
		if m.ID == r.sentModel || len(models) == 1 {
			f.Name, f.Meta = m.OwnedBy, m.Meta
		}
	}
	f.TextsOnly = r.target.Identify(ctx, models).TextsOnly()
	return f, nil
}
