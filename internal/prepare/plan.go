package prepare

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Plan is a run that others send. All is found out once that clients might find out
// differently: the model's name, the tokenizer, the dataset's commit, the ids of requests.
type Plan struct {
	Spec  *spec.Spec // of the whole, with what was found out
	Files []PlanFile // that a client needs
	run   *Ready
}

// PlanFile is a file that a client needs, on this machine.
type PlanFile struct {
	For  FileKind
	Path string
	Name string // under which a client has it; with slashes, if it is one of a folder
}

// NewPlan resolves a Spec for clients on other machines, and holds it against the lock of
// the host, if it has one. The Plan must be closed.
func NewPlan(ctx context.Context, s *spec.Spec, h *Host) (*Plan, error) {
	p := &Plan{run: newReady(s, h)}
	if err := p.fill(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Plan) fill(ctx context.Context) error {
	r := p.run
	if err := r.connectDry(ctx); err != nil {
		return err
	}
	if r.Chosen.Sent == "" {
		return usage.Errorf("model", "is needed: no server answers at %s from here, and all agents must send the same name", r.URLs[0])
	}
	if err := r.makeWorkload(ctx); err != nil {
		return err
	}
	if err := r.makePace(); err != nil {
		return err
	}
	if err := r.host.showRehearsal(ctx, r); err != nil {
		return err
	}
	own := *r.Spec
	p.Spec = &own
	own.Model, own.ServedModelName = cmp.Or(r.Chosen.ID, r.Chosen.Sent), r.Chosen.Sent
	own.RequestIDPrefix, own.TraceID = r.idPrefix(), r.traceID().String()
	if err := p.planTokenizer(); err != nil {
		return err
	}
	return p.planDataset()
}

// Close ends it.
func (p *Plan) Close() { p.run.Close() }

// SentModel is the model's name in the requests.
func (p *Plan) SentModel() string { return p.run.Chosen.Sent }

// OldLimit says that the requests have to say max_tokens too.
func (p *Plan) OldLimit() bool { return p.run.Chosen.OldLimit }

// planTokenizer names the files of the tokenizer. Without files an agent looks for none on
// its machine: it asks the server, as this one did, or does without.
func (p *Plan) planTokenizer() error {
	t := &p.run.Tokens
	p.Spec.Tokenizer = ""
	if t.Source != TokensByFile {
		p.Spec.SkipTokenizerInit = t.Source == TokensByNobody
		return nil
	}
	names, err := tokenizerNames(t.Place)
	if err != nil {
		return fmt.Errorf("read the tokenizer again: %w", err)
	}
	size := int64(0)
	for _, path := range slices.Sorted(maps.Keys(names)) {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("read the tokenizer again: %w", err)
		}
		size += info.Size()
		p.Files = append(p.Files, PlanFile{TokenizerFile, path, names[path]})
	}
	if size > tokenizerLimits.Total {
		return usage.Errorf("tokenizer", "%s has %d bytes, and at most %d are sent to agents", outside.Word(t.ID), size, tokenizerLimits.Total).
			WithHint("name the tokenizer's own file, such as tokenizer.json")
	}
	p.Spec.Tokenizer = t.ID // an agent has its files elsewhere, and the name stays
	return nil
}

// tokenizerNames are the files of a tokenizer, by their paths, with the names that they
// must have in a folder of their own.
func tokenizerNames(place string) (map[string]string, error) {
	names := map[string]string{}
	folder := place
	if info, err := os.Stat(place); err != nil {
		return nil, err
	} else if !info.IsDir() {
		folder = filepath.Dir(place)
		name := filepath.Base(place)
		if !spec.IsTokenizer(name) {
			name = "tokenizer.json" // as any file is read whose name tells nothing
		}
		names[place] = name
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || path == place { // in the hub's cache they are links
			continue
		}
		if ofTokenizer(e.Name()) && (folder == place || !spec.IsTokenizer(e.Name())) {
			names[path] = e.Name()
		}
	}
	return names, nil
}

func ofTokenizer(name string) bool {
	return slices.ContainsFunc(tokenizerFiles, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// planDataset names the files of the dataset.
func (p *Plan) planDataset() error {
	r := p.run
	from := cmp.Or(r.Data.Folder, r.Path)
	if from == "" {
		return nil
	}
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("read the dataset again: %w", err)
	}
	if !info.IsDir() {
		p.Files = append(p.Files, PlanFile{DatasetFile, from, filepath.Base(from)})
		return nil
	}
	size, n := int64(0), 0
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path) // in the hub's cache they are links
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if size, n = size+info.Size(), n+1; err == nil && (size > maxFolder || n > maxFolderFiles) {
			err = usage.Errorf("dataset-path", "%s is too large to be sent to agents: at most %d files and %d GiB", outside.Word(r.Path), maxFolderFiles, maxFolder>>30)
		}
		p.Files = append(p.Files, PlanFile{DatasetFile, path, filepath.ToSlash(name)})
		return err
	})
	return err
}

// What of a folder is sent to agents.
const (
	maxFolder      = 64 << 30
	maxFolderFiles = 2000
)

// Requests makes the list of all requests with the client that each belongs to, and sends
// none. whole is the hash of a single run that sends all, parts are those of the clients.
// Without a list all are empty.
func (p *Plan) Requests(ctx context.Context, weights []int, see func(w *load.Planned, client int)) (whole string, parts []string, err error) {
	if !p.Spec.Listed() {
		return "", nil, nil
	}
	dry, err := p.run.again(ctx)
	if err != nil {
		return "", nil, err
	}
	defer dry.Close()
	if err := dry.makePace(); err != nil {
		return "", nil, err
	}
	dry.Share = share.Share{Weights: weights}
	owner := dry.Slots().Owner()
	return load.Divided(ctx, dry.Config(), len(weights), func(w *workload.Request) int { return owner.Of(Unit(w)) }, see)
}

// Total is how many requests there are; 0: not known.
func (p *Plan) Total() int { return p.run.Total() }

// First is a first line for the run's journal, where no client has one.
func (p *Plan) First(version string, start time.Time) *journal.Run {
	first := p.run.First(version, start)
	first.Clock, first.Environment = "user", client.Environment()
	return first
}
