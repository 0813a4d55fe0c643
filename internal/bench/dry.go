package bench

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

	"github.com/inferometer/inferometer/internal/bench/rehearsal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// dryRequests bounds the rehearsal of a run that has no number of requests.
const dryRequests = 10_000

// DryRun makes the workload of a Spec that is resolved and valid, and sends none of it. A
// server is asked for its model and, where there is no other, for its tokenizer; it need
// not be there.
func DryRun(ctx context.Context, s *spec.Spec, h *Host) (*rehearsal.Rehearsal, error) {
	r, err := dryRun(ctx, s, h)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.makePace(); err != nil {
		return nil, err
	}
	return r.rehearse(ctx)
}

// dryRun is a run with its workload that will send nothing. It must be closed.
func dryRun(ctx context.Context, s *spec.Spec, h *Host) (*Run, error) {
	r := newRun(s, h)
	err := r.connectDry(ctx)
	if err == nil {
		err = r.makeWorkload(ctx)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// dryTime bounds the question whether a server is there.
const dryTime = 3 * time.Second

// connectDry does what connect does, as far as it can be done without a server.
func (r *Run) connectDry(ctx context.Context) (err error) {
	if _, err := r.Spoken(); err != nil {
		return err
	}
	r.protocol = r.API()
	if r.wire, err = r.Wire(&r.host.Environment); err != nil {
		return err
	}
	client := r.client()
	for _, u := range r.URLs {
		r.targets = append(r.targets, &target.Target{Base: u, Header: r.wire.Header, Client: client})
	}
	r.target = r.targets[0]
	r.lists = make([]modelList, len(r.targets))
	asked, cancel := context.WithTimeout(ctx, dryTime)
	defer cancel()
	r.lists[0].models, r.lists[0].err = r.target.Models(asked)
	if r.lists[0].err == nil {
		if err := r.askDialect(ctx); err != nil {
			return err
		}
	}
	if r.Model != "" || r.protocol.Model != "" || r.protocol.NoModel || r.lists[0].err == nil {
		return r.chooseModel()
	}
	r.sentModel = r.ServedModelName
	r.say("note: no server answers at %s, and --model is not given: the model's name in the bodies is %q", r.URLs[0], outside.Word(r.sentModel))
	return nil
}

// showRehearsal shows the host what is about to be sent, if it wants to see it.
func (r *Run) showRehearsal(ctx context.Context) error {
	if r.host.Rehearsed == nil {
		return nil
	}
	rehearsed, err := r.rehearse(ctx)
	if err != nil {
		return err
	}
	return r.host.Rehearsed(rehearsed)
}

// aside is a quiet run of its own with the dataset at its beginning: what this one will
// send is not used up. It must be closed.
func (r *Run) aside(ctx context.Context) (*Run, error) {
	quiet, own := *r.host, *r.Spec
	quiet.Say = nil // what there is to say was said
	dry := *r
	dry.Spec, dry.host, dry.transport, dry.dataset = &own, &quiet, nil, nil
	if err := dry.openDataset(ctx); err != nil {
		dry.close()
		return nil, err
	}
	return &dry, nil
}

// rehearse makes all requests once, in a run of its own: what this one will send is not
// used up.
func (r *Run) rehearse(ctx context.Context) (*rehearsal.Rehearsal, error) {
	facts, err := r.rehearsalFacts()
	if err != nil {
		return nil, err
	}
	dry, err := r.aside(ctx)
	if err != nil {
		return nil, err
	}
	defer dry.close()
	if err := dry.makePace(); err != nil {
		return nil, err
	}
	most := 0
	if r.Unbounded {
		most = dryRequests
	}
	c := rehearsal.NewCollector(facts, most, r.wire.Secrets.Scrub)
	sha, err := load.Dry(dry.loadConfig(nil, nil), func(p *load.Planned) bool { return ctx.Err() == nil && c.Add(p) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	done := c.Done(sha, !pace.DueWhenFree(r.pace))
	if done.Requests == 0 {
		return nil, fmt.Errorf("the dataset %s gives no requests", r.DatasetName)
	}
	written := *r.Spec
	written.RunDir = "" // a folder takes one run
	written.Fleet = spec.Fleet{}
	done.Spec = written.Encode()
	return done, nil
}

func (r *Run) rehearsalFacts() (rehearsal.Facts, error) {
	f := rehearsal.Facts{
		Model: r.sentModel, Endpoint: r.path(), Backend: r.Backend, Pace: r.paceName, Length: r.Length().Seconds(), Seed: r.Seed,
		Tokenizer: rehearsal.Tokenizer{Source: r.tokens.source, ID: r.tokens.id, Revision: r.tokens.revision},
		Dataset:   rehearsal.Dataset{Name: r.DatasetName, Revision: r.datasetCommit},
	}
	if r.MaxConcurrency != nil {
		f.AtOnce = *r.MaxConcurrency
	}
	var err error
	if f.Tokenizer.SHA256, err = tokenizerDigest(r.tokens.place); err != nil {
		return f, fmt.Errorf("read the tokenizer again: %w", err)
	}
	f.Files = r.readFiles()
	if info, err := os.Stat(r.Path); r.Path != "" && err == nil && info.Mode().IsRegular() {
		if f.Dataset.SHA256, err = digestOf(r.Path); err != nil {
			return f, fmt.Errorf("read the dataset again: %w", err)
		}
	}
	return f, nil
}

// readFiles are the files of this machine that the requests are made of.
func (r *Run) readFiles() []string {
	files := workload.Files(r.dataset)
	if files == nil {
		if _, err := os.Stat(r.Path); r.Path != "" && err == nil {
			files = []string{r.Path}
		} else if r.datasetFolder != "" {
			files = []string{r.datasetFolder}
		}
	}
	for _, f := range workload.LengthFiles(r.DatasetOptions) {
		files = append(files, f.Path)
	}
	if r.tokens.place != "" {
		files = append(files, r.tokens.place)
	}
	return files
}

// mostDigest bounds what is read of a file for its digest: a model's file may hold the
// tokenizer at its beginning, and tens of gigabytes after it.
const mostDigest = 1 << 30

// digestOf is the SHA-256 of a file, or of its beginning.
func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, mostDigest)); err != nil {
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
