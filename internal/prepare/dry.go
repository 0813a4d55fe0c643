package prepare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare/rehearsal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// dryRequests bounds the rehearsal of a run that has no number of requests.
const dryRequests = 10_000

// DryRun makes the workload of a Spec that is resolved and valid, and sends none of it. A
// server is asked for its model and, where there is no other, for its tokenizer; it need
// not be there.
func DryRun(ctx context.Context, s *spec.Spec, h *Host) (*rehearsal.Rehearsal, error) {
	r, err := Dry(ctx, s, h)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.makePace(); err != nil {
		return nil, err
	}
	r.sayRules()
	return r.rehearse(ctx)
}

// Dry is a run with its workload that will send nothing: what can be made ready without a
// server. It must be closed.
func Dry(ctx context.Context, s *spec.Spec, h *Host) (*Ready, error) {
	r := newReady(s, h)
	err := r.connectDry(ctx)
	if err == nil {
		err = r.makeWorkload(ctx)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// dryTime bounds the question whether a server is there.
const dryTime = 3 * time.Second

// connectDry does what connect does, as far as it can be done without a server.
func (r *Ready) connectDry(ctx context.Context) (err error) {
	if err := r.address(); err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, dryTime)
	defer cancel()
	first, dialect := &r.Servers.lists[0], Dialect{}
	if first.models, first.err = r.Servers.first().Models(asked); first.err == nil {
		if dialect, err = r.Servers.dialect(ctx, r.Spec); err != nil {
			return err
		}
	}
	if api := r.API(); r.Model != "" || api.Model != "" || api.NoModel || first.err == nil {
		r.Chosen, err = r.Servers.choose(r.Spec)
		r.Chosen.Dialect = dialect
		return err
	}
	r.Chosen.Sent = r.ServedModelName
	r.host.Note("note: no server answers at %s, and --model is not given: the model's name in the bodies is %q", r.URLs[0], outside.Word(r.Chosen.Sent))
	return nil
}

// showRehearsal shows the host what is about to be sent, if it wants to see it.
func (h *Host) showRehearsal(ctx context.Context, r *Ready) error {
	if h.Rehearsed == nil {
		return nil
	}
	rehearsed, err := r.rehearse(ctx)
	if err != nil {
		return err
	}
	return h.Rehearsed(rehearsed)
}

// rehearse makes all requests once, in a run of its own: what this one will send is not
// used up.
func (r *Ready) rehearse(ctx context.Context) (*rehearsal.Rehearsal, error) {
	facts, err := rehearsalFacts(r)
	if err != nil {
		return nil, err
	}
	dry, err := r.again(ctx)
	if err != nil {
		return nil, err
	}
	defer dry.Close()
	if err := dry.makePace(); err != nil {
		return nil, err
	}
	limit := 0
	if r.Unbounded {
		limit = dryRequests
	}
	c := rehearsal.NewCollector(facts, limit, r.Values.Secrets.Scrub)
	sha, err := load.Dry(dry.Config(), func(p *load.Planned) bool { return ctx.Err() == nil && c.Add(p) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	done := c.Done(sha, !pace.DueWhenFree(r.Pacing))
	if done.Requests == 0 {
		return nil, fmt.Errorf("the dataset %s gives no requests", r.DatasetName)
	}
	written := *r.Spec
	written.RunDir = "" // a folder takes one run
	written.Fleet = spec.Fleet{}
	done.Spec = written.Encode()
	return done, nil
}

func rehearsalFacts(r *Ready) (rehearsal.Facts, error) {
	f := rehearsal.Facts{
		Model: r.Chosen.Sent, Endpoint: r.path(), Backend: r.Backend, Pace: r.PaceSpec(r.paced()).Name, Length: r.Length().Seconds(), Seed: r.Seed, AtOnce: spec.Deref(r.MaxConcurrency, 0),
		Tokenizer: rehearsal.Tokenizer{Source: r.Tokens.Source, ID: r.Tokens.ID, Revision: r.Tokens.Revision},
		Dataset:   rehearsal.Dataset{Name: r.DatasetName, Revision: r.Data.Commit},
	}
	var err error
	if f.Tokenizer.SHA256, err = tokenizerDigest(r.Tokens.Place); err != nil {
		return f, fmt.Errorf("read the tokenizer again: %w", err)
	}
	f.Files = readFiles(r)
	if info, err := os.Stat(r.Path); r.Path != "" && err == nil && info.Mode().IsRegular() {
		if f.Dataset.SHA256, err = digestOf(r.Path); err != nil {
			return f, fmt.Errorf("read the dataset again: %w", err)
		}
	}
	return f, nil
}

// readFiles are the files of this machine that the requests are made of.
func readFiles(r *Ready) []string {
	files := workload.Files(r.Data.Dataset)
	if files == nil {
		if _, err := os.Stat(r.Path); r.Path != "" && err == nil {
			files = []string{r.Path}
		} else if r.Data.Folder != "" {
			files = []string{r.Data.Folder}
		}
	}
	for _, f := range workload.LengthFiles(r.DatasetOptions) {
		files = append(files, f.Path)
	}
	if r.Tokens.Place != "" {
		files = append(files, r.Tokens.Place)
	}
	return files
}

// wholeDigest is the SHA-256 of all of a file; empty: it is none.
func wholeDigest(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	return journal.Digest(path)
}

// maxDigest bounds what is read of a file for its digest: a model's file may hold the
// tokenizer at its beginning, and tens of gigabytes after it.
const maxDigest = 1 << 30

// digestOf is the SHA-256 of a file, or of its beginning.
func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxDigest)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// tokenizerDigest is the SHA-256 over the names and digests of a tokenizer's files, as
// sha256sum prints them. Empty: it is no file's.
func tokenizerDigest(place string) (string, error) {
	if place == "" {
		return "", nil
	}
	folder, names := place, []string(nil)
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		folder, names = filepath.Dir(place), []string{filepath.Base(place)}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		beside := slices.Contains([]string{"tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json"}, e.Name())
		if (beside || folder == place && spec.IsTokenizer(e.Name())) && !slices.Contains(names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	var list strings.Builder
	for _, name := range names {
		sum, err := digestOf(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, name)
	}
	sum := sha256.Sum256([]byte(list.String()))
	return hex.EncodeToString(sum[:]), nil
}
