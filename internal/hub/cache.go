package hub

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// The cache is a folder per repository, models--org--name or datasets--org--name:
//
//	blobs/DIGEST              a file's bytes, named by their Git SHA-1 or, in LFS, SHA-256
//	snapshots/COMMIT/path     a relative link to a blob
//	refs/main                 the commit that a branch or tag was at
//	trees/COMMIT.json         the files of a commit
//	.no_exist/COMMIT/path     an empty file: the commit has none of this name
//
// and beside them .locks/models--org--name/DIGEST.lock.

// root is the repository's folder.
func (c *Client) root(r repo) string { return filepath.Join(c.CacheDir, r.folder()) }

func (c *Client) snapshot(r repo, commit string) string {
	return filepath.Join(c.root(r), "snapshots", commit)
}

func (c *Client) blob(r repo, digest string) string {
	return filepath.Join(c.root(r), "blobs", digest)
}

// commit is where the cache says that a revision is; empty: it does not know.
func (c *Client) commit(r repo) string {
	if IsCommit(r.revision) {
		return r.revision
	}
	commit := string(readSmall(filepath.Join(c.root(r), "refs", filepath.FromSlash(r.revision)), 64))
	if commit = strings.TrimSpace(commit); IsCommit(commit) {
		return commit
	}
	return ""
}

// readSmall reads a regular file of a bounded size; nil: there is none.
func readSmall(path string, most int64) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}

// has reports whether a snapshot holds a file.
func (c *Client) has(r repo, commit, file string) bool {
	info, err := os.Stat(filepath.Join(c.snapshot(r, commit), filepath.FromSlash(file)))
	return err == nil && info.Mode().IsRegular()
}

// lacks reports whether the cache says that a commit has no such file.
func (c *Client) lacks(r repo, commit, file string) bool {
	_, err := os.Stat(filepath.Join(c.root(r), ".no_exist", commit, filepath.FromSlash(file)))
	return err == nil
}

// cached is what a commit's snapshot holds of what is asked for. whole says that it is
// known to be all that there is.
func (c *Client) cached(r repo, commit string, want Patterns) (files []string, whole bool) {
	match := want.match()
	folder := c.snapshot(r, commit)
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(files) >= c.limits().Entries {
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if name = filepath.ToSlash(name); err == nil && match(name) && c.has(r, commit, name) {
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	if tree, err := c.readTree(r, commit); err == nil {
		return files, !slices.ContainsFunc(tree, func(f File) bool { return match(f.Path) && !slices.Contains(files, f.Path) })
	}
	exact := want.exact()
	whole = len(exact) == len(want) && !slices.ContainsFunc(exact, func(f string) bool { return !slices.Contains(files, f) && !c.lacks(r, commit, f) })
	return files, whole && len(files) > 0
}

// newest are the commits that the cache has something of, the last one first. They serve
// where it was filled without a ref.
func (c *Client) newest(r repo) (commits []string) {
	entries, err := os.ReadDir(filepath.Join(c.root(r), "snapshots"))
	if err != nil {
		return nil
	}
	at := map[string]time.Time{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && isRevision(e.Name()) { // one made by hand may have any name
			commits, at[e.Name()] = append(commits, e.Name()), info.ModTime()
		}
	}
	slices.SortFunc(commits, func(a, b string) int { return at[b].Compare(at[a]) })
	return commits
}

// treeFile is the form of trees/COMMIT.json.
type treeFile struct {
	Version int                  `json:"format_version"`
	Files   map[string]treeEntry `json:"files"`
}

type treeEntry struct {
	Size   int64  `json:"size"`
	Blob   string `json:"blob_id"`
	SHA256 string `json:"lfs_sha256,omitempty"`
	LFS    int64  `json:"lfs_size,omitempty"`
	Xet    string `json:"xet_hash,omitempty"`
}

const treeVersion = 1

func (c *Client) treePath(r repo, commit string) string {
	return filepath.Join(c.root(r), "trees", commit+".json")
}

// readTree reads the list of a commit's files that the cache has.
func (c *Client) readTree(r repo, commit string) ([]File, error) {
	b := readSmall(c.treePath(r, commit), largestAnswer)
	if b == nil {
		return nil, fs.ErrNotExist
	}
	var tree treeFile
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil, err
	}
	if tree.Version != treeVersion {
		return nil, errors.New("another version's")
	}
	files := make([]File, 0, len(tree.Files))
	for name, e := range tree.Files {
		f := File{Path: name, Size: e.Size, Digest: e.Blob, xet: e.Xet, blob: e.Blob, size: e.Size}
		if e.SHA256 != "" {
			f.Digest, f.LFS, f.Size = e.SHA256, true, e.LFS
		}
		if err := f.check(); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	sortFiles(files)
	return files, nil
}

// writeTree keeps the list of a commit's files. It saves a request the next time; a
// cache that can't be written to is no error here.
func (c *Client) writeTree(r repo, commit string, files []File) {
	tree := treeFile{treeVersion, map[string]treeEntry{}}
	for _, f := range files {
		e := treeEntry{Size: f.size, Blob: f.blob, Xet: f.xet}
		if f.LFS {
			e.SHA256, e.LFS = f.Digest, f.Size
		}
		tree.Files[f.Path] = e
	}
	path := c.treePath(r, commit)
	if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	_ = atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(tree)
	})
}

// writeRef keeps where a branch or tag is. Like Python's client it writes no line break.
func (c *Client) writeRef(r repo, commit string) error {
	if IsCommit(r.revision) || c.commit(r) == commit {
		return nil
	}
	path := filepath.Join(c.root(r), "refs", filepath.FromSlash(r.revision))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, []byte(commit))
}

// writeLacks keeps that a commit has no file of some names, so that others don't ask.
func (c *Client) writeLacks(r repo, commit string, names []string) {
	for _, name := range names {
		path := filepath.Join(c.root(r), ".no_exist", commit, filepath.FromSlash(name))
		if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
			return
		}
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666); err == nil {
			f.Close()
		}
	}
}

// link gives a blob its name in a snapshot.
func (c *Client) link(r repo, commit string, f File) error {
	name := filepath.Join(c.snapshot(r, commit), filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	to, err := filepath.Rel(filepath.Dir(name), c.blob(r, f.Digest))
	if err != nil {
		return err
	}
	if old, err := os.Readlink(name); err == nil && old == to {
		return nil
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = os.Symlink(to, name)
	if errors.Is(err, fs.ErrExist) {
		if old, _ := os.Readlink(name); old == to {
			return nil // another process was quicker
		}
	}
	if err != nil { // Windows lets few users make symbolic links
		err = os.Link(c.blob(r, f.Digest), name)
	}
	return err
}
