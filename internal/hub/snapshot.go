package hub

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Snapshot is a revision of a repository in the cache: a folder that holds the files
// that were asked for, and maybe others.
type Snapshot struct {
	Dir     string
	Commit  string   // empty: the cache was filled by hand
	Files   []string // those of the patterns, sorted
	Fetched int      // how many of them came from the hub now
	Bytes   int64    // of those
	// Stale says why the cache was used though the hub should have been asked; nil: it
	// was not needed, or it was asked.
	Stale error
}

// Snapshot gives a revision's files that match the patterns. What the cache is known to
// have is used as it is, without asking the hub whether the branch has moved on: what a
// benchmark sends should not change overnight. Else the hub is asked, unless Offline.
func (c *Client) Snapshot(ctx context.Context, kind Kind, name, revision string, want Patterns) (*Snapshot, error) {
	r, err := newRepo(kind, name, revision)
	if err != nil {
		return nil, err
	}
	have := c.Cached(kind, name, revision, want)
	if have != nil && (have.whole || c.Offline) {
		return &have.Snapshot, nil
	}
	if c.Offline {
		return nil, offline(r)
	}
	if err := c.checkEndpoint(); err != nil {
		return nil, err
	}
	s := c.session()
	defer s.Close()
	got, err := s.snapshot(ctx, r, want)
	if have != nil && ctx.Err() == nil && (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrDenied)) {
		have.Stale = err
		return &have.Snapshot, nil
	}
	return got, err
}

// Have is a snapshot as the cache has it.
type Have struct {
	Snapshot
	whole bool // nothing is known to be missing, and all that can be known is known
}

// Cached is what the cache has of a revision, or nil. Without a revision it is what
// main was at, else what was fetched last.
func (c *Client) Cached(kind Kind, name, revision string, want Patterns) *Have {
	r, err := newRepo(kind, name, revision)
	if err != nil {
		return nil
	}
	commits := []string{c.commit(r)}
	if revision == "" {
		commits = append(commits, c.newest(r)...)
	}
	for _, commit := range commits {
		if commit == "" {
			continue
		}
		if files, whole := c.cached(r, commit, want); len(files) > 0 {
			have := &Have{Snapshot{Dir: c.snapshot(r, commit), Files: files}, whole}
			if IsCommit(commit) {
				have.Commit = commit
			}
			return have
		}
	}
	return nil
}

func offline(r repo) error {
	return failed(ErrOffline, "%s is not in the Hugging Face cache of this machine, and HF_HUB_OFFLINE forbids to ask the hub", r)
}

func (s *session) snapshot(ctx context.Context, r repo, want Patterns) (*Snapshot, error) {
	commit, err := s.resolve(ctx, r)
	if err != nil {
		return nil, err
	}
	tree, err := s.tree(ctx, r, commit)
	if err != nil {
		return nil, err
	}
	match := want.match()
	tree = slices.DeleteFunc(tree, func(f File) bool { return !match(f.Path) })
	if len(tree) == 0 {
		return nil, failed(ErrNotFound, "%s has no file of the names %s", r, strings.Join(want, ", "))
	}
	if err := s.within(r, tree); err != nil {
		return nil, err
	}
	got := &Snapshot{Dir: s.Client.snapshot(r, commit), Commit: commit}
	for _, f := range tree {
		had := s.has(r, commit, f.Path)
		if err := s.fetch(ctx, r, commit, f); err != nil {
			return nil, err
		}
		got.Files = append(got.Files, f.Path)
		if !had {
			got.Fetched++
			got.Bytes += f.Size
		}
	}
	s.writeLacks(r, commit, slices.DeleteFunc(want.exact(), func(name string) bool { return slices.Contains(got.Files, name) }))
	return got, s.writeRef(r, commit) // last: it makes what was fetched the one to use
}

// within holds what is to be fetched against the bounds.
func (s *session) within(r repo, files []File) error {
	var total int64
	for _, f := range files {
		if f.Size > s.File {
			return failed(ErrTooLarge, "%s of %s has %d bytes, more than the %d that are fetched", f.Path, r, f.Size, s.File)
		}
		if total += f.Size; total > s.Total {
			return failed(ErrTooLarge, "the files of %s have more than %d bytes together", r, s.Total)
		}
	}
	return nil
}
