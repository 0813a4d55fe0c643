package cli

import (
	"context"
	"errors"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// batchRun is a run of batches of one shape, on the path of bench serve: it has a
// journal, honest outcomes and the kernel's times.
type batchRun struct {
	*serveOptions
	streams
	args    []string
	server  serverFacts
	folder  string // empty: a new one in the state folder
	warmups int
	fields  []wire.Field
}

// validateBatches checks the flags that commands of batches share with bench serve.
func validateBatches(o *serveOptions) error {
	o.IgnoreEOS, o.SkipTokenizerInit = true, true
	full, _ := serveFlags() // nothing is set in it: what has no flag here is as bench serve has it
	if err := o.validate(full); err != nil {
		return err
	}
	if o.Backend == backendChat {
		return argv.Errorf("backend", "must be one of completions: a chat template would change the lengths")
	}
	return nil
}

// do sends the batches and reads them back from the journal.
func (b batchRun) do(ctx context.Context, drain <-chan struct{}, o workload.BatchOptions) ([]measure.Batch, *verdict.Verdict, error) {
	opt := *b.serveOptions
	opt.Model, opt.ServedModelName = b.server.modelID, b.server.sentModel
	opt.DatasetName, opt.NumPrompts, opt.NumWarmups, opt.Seed = "batches", o.Size*o.Count, b.warmups, int(uint32(o.Seed))
	opt.MaxConcurrency, opt.RunDir = &o.Size, b.folder
	opt.IgnoreEOS = !b.server.textsOnly // an answer that the model ends is not short then, but what it is
	r := &serveRun{
		serveOptions: &opt, streams: b.streams, args: b.args, clock: wire.NewClock(),
		made: workload.NewBatches(o), batch: o.Size, own: b.fields,
	}
	defer r.leaveFolder()
	if err := r.execute(ctx, drain); err != nil {
		return nil, nil, err
	}
	res, v, unwritten := r.result()
	if res == nil {
		return nil, v, unwritten
	}
	j, err := r.journal.Reopen() // once more, for its batches
	if err != nil {
		return nil, v, err
	}
	defer j.Close()
	batches, err := measure.Batches(j, j.Run().Options.Batch)
	return batches, v, errors.Join(unwritten, err)
}

// serverFacts are what the server says of itself.
type serverFacts struct {
	modelID, sentModel string
	name               string // the owner of its model: vllm, llamacpp, sglang…; empty: it doesn't say
	textsOnly          bool   // it takes no token ids, and knows no ignore_eos
	meta               target.Meta
}

// askServer finds the model and who serves it.
func askServer(ctx context.Context, o *serveOptions, s streams) (serverFacts, error) {
	r := &serveRun{serveOptions: o, streams: s, clock: wire.NewClock()}
	defer r.close()
	if err := r.connect(ctx); err != nil {
		return serverFacts{}, err
	}
	f := serverFacts{modelID: r.modelID, sentModel: r.sentModel}
	models := r.lists[0].models
	if r.lists[0].err != nil {
		return f, nil // a server need not list its models; whether it answers will show
	}
	for _, m := range models {
		if m.ID == r.sentModel || len(models) == 1 {
			f.name, f.meta = m.OwnedBy, m.Meta
		}
	}
	f.textsOnly = r.target.Identify(ctx, models).TextsOnly()
	return f, nil
}
