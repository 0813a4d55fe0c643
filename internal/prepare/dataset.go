package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/eval/ask"
	"github.com/inferometer/inferometer/internal/files/within"
	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/tokens"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Where token counts come from.
const (
	TokensByFile   = "file"   // a tokenizer.json on this machine
	TokensByServer = "server" // the server's own /tokenize
	TokensByNobody = "none"   // the counts are the server's usage
)

// Tokenizer is the tokenizer of a run, or none.
type Tokenizer struct {
	prompts.Tokenizer        // nil: none
	ID                string // for the result; empty: none
	Source            string
	Count             func(text string) (int, error) // of a generated text; nil: can't
	Place             string                         // the file or folder; empty: another source
	Revision          string                         // the hub's commit, of one that lies in its cache
}

// Data is the dataset of a run.
type Data struct {
	workload.Dataset
	Commit        string // of the hub; empty: it came from elsewhere
	Folder        string // that its files of the hub lie in
	SHA256        string // of its file, where the run is judged by rules; empty: it is none, or a folder
	Conversations int
	Traces        int                 // recordings that they are played from; 0: none
	Primers       []*workload.Request // that fill the server's cache before the start
	Task          *journal.Task       // what it asks; nil: no questions
}

func (r *Ready) makeWorkload(ctx context.Context) error {
	if err := r.chooseTokenizer(ctx); err != nil {
		return err
	}
	return r.openDataset(ctx)
}

// openDataset opens the dataset at its beginning.
func (r *Ready) openDataset(ctx context.Context) error {
	if r.Batches != nil {
		r.Data.Dataset = batches.NewBatches(*r.Batches)
		return nil
	}
	o := r.WorkloadOptions()
	o.Fetch = func(name string, patterns []string) (string, error) {
		return r.host.fetchSet(ctx, r.Spec, &r.Data, name, patterns)
	}
	if err := r.host.confine(r.Spec, &r.Data, &o); err != nil {
		return err
	}
	if r.Tokens.Tokenizer != nil {
		o.Tokenizer = r.Tokens.Tokenizer
	}
	if own, played := r.DatasetOptions.(*workload.TraceOptions); r.Tokens.Source == TokensByServer && !(played && own.Talks()) {
		r.host.Note("making the prompts with the server's tokenizer, which is asked about several at a time")
	}
	d, err := workload.Open(o)
	var elsewhere *within.OutsideError
	if errors.As(err, &elsewhere) {
		return &usage.Error{Text: err.Error()}
	}
	if err != nil {
		return err
	}
	r.Data.Conversations, r.Data.Traces = workload.Conversations(d), workload.Traces(d)
	if r.Data.Primers, err = workload.Primers(d); err != nil {
		return errors.Join(err, d.Close())
	}
	if r.Tokens.Source == TokensByServer && !workload.MadeLater(d) {
		// Asking the server to tokenize while it is measured would be a load of its own.
		if d, err = inAdvance(d, r.host.Note); err != nil {
			return err
		}
	}
	for _, note := range workload.Notes(d) {
		r.host.Note("note: %s", note)
	}
	r.Data.Task = workload.Task(d)
	if err := ask.Check(r.Spec, r.Data.Task); err != nil {
		return errors.Join(err, d.Close())
	}
	if k, err := workload.Find(r.DatasetName); err == nil && k.WholeFile && !r.Unbounded && !r.Asks() {
		r.NumPrompts = cmp.Or(r.Data.Conversations, d.Len()) // all of it
	}
	if r.Rules != "" {
		if r.Data.SHA256, err = wholeDigest(r.Path); err != nil {
			return errors.Join(fmt.Errorf("read the dataset for its digest: %w", err), d.Close())
		}
	}
	workload.Start(d) // ahead of need, while the rest gets ready
	r.Data.Dataset = d
	return nil
}

// resolveLoop looks into the file of a trace that is to say whether it is played as conversations.
func (r *Ready) resolveLoop() error {
	own, ok := r.DatasetOptions.(*workload.TraceOptions)
	if !ok || !own.MayTalk() {
		return nil
	}
	o := r.WorkloadOptions()
	if err := r.host.confine(r.Spec, &r.Data, &o); err != nil {
		return err
	}
	loop, err := own.ResolveLoop(o.Path)
	if err != nil {
		return fmt.Errorf("dataset %s: %w", r.DatasetName, err)
	}
	return r.SetLoop(loop)
}

// fetchSet gives files of a dataset by its name: from the hub's cache, else from the hub itself.
func (h *Host) fetchSet(ctx context.Context, s *spec.Spec, d *Data, name string, patterns []string) (string, error) {
	got, err := h.Hub().Snapshot(ctx, hub.Dataset, name, s.DatasetRevision, patterns)
	if err != nil {
		return "", err
	}
	if got.Stale != nil {
		h.Note("note: the dataset %s is used from the cache, and may be incomplete: %v", name, got.Stale)
	}
	if got.Fetched > 0 {
		h.Note("fetched the dataset %s from the hub: %d files, %d bytes, commit %s", name, got.Fetched, got.Bytes, got.Commit)
	}
	if got.Commit != "" {
		s.DatasetRevision, d.Commit = got.Commit, got.Commit // further files come from the same one
	}
	d.Folder = got.Dir
	return got.Dir, nil
}

// confine puts the place of the files that came with the run into the options.
func (h *Host) confine(s *spec.Spec, d *Data, o *workload.Options) error {
	if h.Place == nil {
		return nil
	}
	o.Fetch, o.Confined = nil, true
	if o.Path == "" {
		return nil
	}
	if own, ok := o.Own.(*workload.HFOptions); ok && own.Name == "" {
		named := *own
		named.Name, o.Own = o.Path, &named // what is known of a set goes by its name
	}
	d.Commit = s.DatasetRevision
	var err error
	o.Path, err = h.Place(DatasetFile, o.Path)
	return err
}

// ownTimes is a dataset whose requests say themselves when they are due: as a pace it
// tells the time of the request that Next gives after that.
type ownTimes struct {
	workload.Dataset
	ready *workload.Request
	err   error
}

// Next gives the request whose time was told.
func (o *ownTimes) Next() (*workload.Request, error) { return o.ready, o.err }

// ownPace is ownTimes as a pace.
type ownPace ownTimes

// Next implements pace.Pace. An error is the next request's: it has to be told.
func (o *ownPace) Next() (time.Duration, bool) {
	o.ready, o.err = o.Dataset.Next()
	if errors.Is(o.err, io.EOF) {
		return 0, false
	}
	if o.err != nil {
		return 0, true
	}
	return o.ready.Due, true
}

// chooseTokenizer takes the tokenizer that was named, else the model's where it
// lies on this machine, else the server's, else none.
func (r *Ready) chooseTokenizer(ctx context.Context) error {
	r.Tokens = Tokenizer{Source: TokensByNobody}
	if r.SkipTokenizerInit {
		return nil
	}
	name, place, commit, err := r.host.findTokenizer(ctx, r.Spec, r.Chosen.ID)
	if err != nil {
		return err
	}
	if place != "" {
		t, err := tokens.LoadMode(place, r.TokenizerMode)
		if err == nil {
			r.Tokens = Tokenizer{t, name, TokensByFile, counter(t), place, commit}
			if commit != "" {
				r.TokenizerRevision = commit // what the Spec and the journal keep
			}
			return nil
		}
		if r.Tokenizer != "" {
			return usage.Errorf("tokenizer", "%v", err)
		}
		r.host.Note("note: the tokenizer of %s can't be used: %v", name, err)
	}
	if r.Asks() {
		return nil // questions have the length that they have, and the server counts
	}
	if r.Unbounded {
		r.host.Note("note: no tokenizer of %s on this machine: prompts have about the length asked for, token counts are the server's", name)
		return nil
	}
	t, err := tokens.NewServer(ctx, r.Servers.Targets[0].Client, r.URLs[0], r.Chosen.Sent, r.Values.Header)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.host.Note("note: no tokenizer of %s on this machine, and none from the server: prompts have about the length asked for, token counts are the server's", name)
		return nil
	}
	r.Tokens = Tokenizer{Tokenizer: t, ID: name, Source: TokensByServer}
	return nil
}

func counter(t prompts.Tokenizer) func(string) (int, error) {
	return func(text string) (int, error) {
		ids, err := t.Encode(text)
		return len(ids), err
	}
}

// prepared is a dataset whose requests have all been made.
type prepared struct {
	workload.Dataset
	requests []*workload.Request
	next     int
}

// tellFirst and tellEach are when it is said how far the prompts are.
const (
	tellFirst = 2 * time.Second
	tellEach  = 10 * time.Second
)

// left is how long the rest takes if it goes on like this.
func left(done, of int, took time.Duration) time.Duration {
	return time.Duration(float64(took) / float64(done) * float64(of-done)).Round(time.Second)
}

func inAdvance(d workload.Dataset, say func(format string, args ...any)) (*prepared, error) {
	p := &prepared{Dataset: d}
	begun := time.Now()
	tell := begun.Add(tellFirst)
	for {
		if now := time.Now(); now.After(tell) && len(p.requests) > 0 && len(p.requests) < d.Len() {
			tell = now.Add(tellEach)
			say("%d of %d prompts are made, the rest takes about %v; a tokenizer.json on this machine (--tokenizer) needs no server", len(p.requests), d.Len(), left(len(p.requests), d.Len(), now.Sub(begun)))
		}
		w, err := d.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("make the prompts: %w", err)
		}
		p.requests = append(p.requests, w)
	}
}

func (p *prepared) Next() (*workload.Request, error) {
	if p.next == len(p.requests) {
		return nil, io.EOF
	}
	w := p.requests[p.next]
	p.requests[p.next] = nil // it is on its way
	p.next++
	return w, nil
}
