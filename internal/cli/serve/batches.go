package serve

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
)

// batchRun is a run of batches of one shape, on the path of bench serve: it has a
// journal, honest outcomes and the kernel's times.
type batchRun struct {
	*Options
	command.Streams
	server  bench.Facts
	folder  string // empty: a new one in the state folder
	warmups int
	body    json.RawMessage // fields below the user's
}

// validateBatches checks the flags that commands of batches share with bench serve.
func validateBatches(o *Options) error {
	o.SkipTokenizerInit = true // and ignore_eos is asked for where the server has it
	full, _ := Flags()         // nothing is set in it: what has no flag here is as bench serve has it
	if err := o.Check(full); err != nil {
		return err
	}
	if o.Chat() {
		return argv.Errorf("backend", "must be one of completions: a chat template would change the lengths")
	}
	return nil
}

// do sends the batches and reads them back from the journal.
func (b batchRun) do(ctx context.Context, drain <-chan struct{}, o batches.BatchOptions) ([]batch.Batch, *verdict.Verdict, error) {
	opt := *b.Options
	opt.Model, opt.ServedModelName = b.server.ModelID, b.server.SentModel
	opt.DatasetName, opt.Batches, opt.BatchSize = bench.BatchesName, &o, o.Size
	opt.NumPrompts, opt.NumWarmups, opt.Seed = o.Size*o.Count, b.warmups, int(uint32(o.Seed))
	opt.MaxConcurrency, opt.RunDir, opt.DefaultBody = &o.Size, b.folder, b.body
	opt.IgnoreEOS = !b.server.EndsEarly // an answer that the model ends is not short then, but what it is
	r := newServeRun(&opt, b.Streams)
	if err := r.execute(ctx, drain); err != nil {
		return nil, nil, err
	}
	defer r.run.Close()
	res, v, unwritten := r.result()
	if res == nil {
		return nil, v, unwritten
	}
	j, err := r.run.Reopen() // once more, for its batches
	if err != nil {
		return nil, v, err
	}
	defer j.Close()
	batches, err := batch.Read(j, j.Run().Options.Batch)
	return batches, v, errors.Join(unwritten, err)
}
