package serve

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
)

// idOptions say of which token ids prompts are made.
type idOptions struct {
	seed, below *int
	text        bool
}

func (o *idOptions) define(set *argv.Set, opts ...argv.Option) {
	set.OptInt(&o.seed, "seed", "Seed of the token ids. The same ids twice may come from the server's cache.",
		append(opts, argv.Shown("another one each time"))...)
	set.OptInt(&o.below, "token-ids", "Make prompts of the token ids below this number.",
		append(opts, argv.Shown("10000, or the model's vocabulary where the server tells it"))...)
	set.Bool(&o.text, "text-prompts", "Send texts of about as many tokens instead of token ids, for a server that takes none; Ollama gets them anyway. "+
		"Rates are by the server's own count of tokens.", opts...)
}

func (o *idOptions) check() error {
	if o.seed != nil && (*o.seed < 0 || *o.seed > math.MaxUint32) {
		return argv.Errorf("seed", "must be from 0 to %d, not %d", math.MaxUint32, *o.seed)
	}
	if o.below != nil && (*o.below < 1 || *o.below > 1<<24) {
		return argv.Errorf("token-ids", "must be from 1 to %d, not %d", 1<<24, *o.below)
	}
	return nil
}

// texts says whether prompts are texts.
func (o *idOptions) texts(f prepare.Facts) bool { return o.text || f.TextsOnly }

// noteTexts says that lengths are not exact.
func (o *idOptions) noteTexts(serve *Options, f prepare.Facts, w io.Writer) {
	if o.texts(f) && !serve.Quiet {
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
	if o.seed != nil {
		return uint64(*o.seed)
	}
	return uint64(rand.Uint32())
}

// mostIDs is how many token ids prompts are made of, as in vllm bench latency:
// every usual vocabulary has as many, and special tokens mostly lie above.
const mostIDs = 10_000

// most is how many token ids there are to draw from.
func (o *idOptions) most(f prepare.Facts) int {
	switch {
	case o.below != nil:
		return *o.below
	case f.Meta.Vocabulary > 0:
		return min(f.Meta.Vocabulary, mostIDs)
	}
	return mostIDs
}
