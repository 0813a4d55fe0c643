// Package batches is the commands that send batches of one shape: bench latency and bench shapes.
package batches

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/spec"
)

// batchRun is a run of batches of one shape, on the path of bench serve: it has a
// journal, honest outcomes and the kernel's times.
type batchRun struct {
	*serve.Options
	command.Streams
	server  prepare.Facts
	folder  string // empty: a new one in the state folder
	warmups int
	body    json.RawMessage // fields below the user's
}

// validateBatches checks the flags that commands of batches share with bench serve.
func validateBatches(o *serve.Options) error {
	o.SkipTokenizerInit = true // and ignore_eos is asked for where the server has it
	full, _ := serve.Flags()   // nothing is set in it: what has no flag here is as bench serve has it
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
	opt.DatasetName, opt.Batches, opt.BatchSize = spec.BatchesName, &o, o.Size
	opt.NumPrompts, opt.NumWarmups, opt.Seed = o.Size*o.Count, b.warmups, int(uint32(o.Seed))
	opt.MaxConcurrency, opt.RunDir, opt.DefaultBody = &o.Size, b.folder, b.body
	opt.IgnoreEOS = !b.server.EndsEarly // an answer that the model ends is not short then, but what it is
	return serve.SendBatches(ctx, b.Streams, &opt, drain)
}

// idOptions say of which token ids prompts are made.
type idOptions struct {
	Seed  *int `json:"seed" flag:"seed" min:"0" max:"4294967295" shown:"another one each time" help:"Seed of the token ids. The same ids twice may come from the server's cache."`
	Below *int `json:"below" flag:"token-ids" min:"1" max:"16777216" shown:"10000, or the model's vocabulary where the server tells it" help:"Make prompts of the token ids below this number."`
	Text  bool `json:"text" flag:"text-prompts" help:"Send texts of about as many tokens instead of token ids, for a server that takes none; Ollama gets them anyway. Rates are by the server's own count of tokens."`
}

// texts says whether prompts are texts.
func (o *idOptions) texts(f prepare.Facts) bool { return o.Text || f.TextsOnly }

// noteTexts says that lengths are not exact.
func (o *idOptions) noteTexts(run *serve.Options, f prepare.Facts, w io.Writer) {
	if o.texts(f) && !run.Quiet {
		fmt.Fprintln(w, "note: prompts are texts of about as many tokens as asked for; rates are by the server's own count")
	}
}

// advice is what to do about a failure that may be one of the token ids; empty: none.
func (o *idOptions) advice(f prepare.Facts, failure string) string {
	if o.texts(f) || !strings.Contains(failure, string(journal.HTTP4xx)) {
		return ""
	}
	return fmt.Sprintf("; prompts are lists of token ids below %d: if the model's vocabulary is smaller give --token-ids N, if the server takes only texts --text-prompts", o.most(f))
}

// start is the seed that was given, or another one each time.
func (o *idOptions) start() uint64 {
	if o.Seed != nil {
		return uint64(*o.Seed)
	}
	return uint64(rand.Uint32())
}

// mostIDs is how many token ids prompts are made of, as in vllm bench latency:
// every usual vocabulary has as many, and special tokens mostly lie above.
const mostIDs = 10_000

// most is how many token ids there are to draw from.
func (o *idOptions) most(f prepare.Facts) int {
	switch {
	case o.Below != nil:
		return *o.Below
	case f.Meta.Vocabulary > 0:
		return min(f.Meta.Vocabulary, mostIDs)
	}
	return mostIDs
}
