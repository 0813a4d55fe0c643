package hub

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// File is a file of a repository at one commit.
type File struct {
	Path   string
	Size   int64
	Digest string // Git's SHA-1 of the blob or, of a file in LFS, the SHA-256 of its bytes
	LFS    bool

	blob, xet string
	size      int64 // as the tree says
}

// check holds a file of a list from outside against what may be one.
func (f *File) check() error {
	right := commitHash
	if f.LFS {
		right = sha256Hash
	}
	switch {
	case !isFileName(f.Path):
		return failed(ErrCorrupt, "it lists a file %q, which can't be one", outside.Word(f.Path))
	case f.Size < 0:
		return failed(ErrCorrupt, "it lists %q with %d bytes", outside.Word(f.Path), f.Size)
	case !right.MatchString(f.Digest) || !commitHash.MatchString(f.blob):
		return failed(ErrCorrupt, "it lists %q without a digest", outside.Word(f.Path))
	case f.xet != "" && !sha256Hash.MatchString(f.xet):
		f.xet = ""
	}
	return nil
}

func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// Files lists the files of a repository, sorted, with the commit that its revision is
// at. Offline it is what the cache knows.
func (c *Client) Files(ctx context.Context, kind Kind, name, revision string) (files []File, commit string, err error) {
	r, err := newRepo(kind, name, revision)
	if err != nil {
		return nil, "", err
	}
	if c.Offline {
		commit = c.commit(r)
		if commit == "" {
			return nil, "", offline(r)
		}
		if files, err = c.readTree(r, commit); err != nil {
			return nil, "", offline(r)
		}
		return files, commit, nil
	}
	if err := c.checkEndpoint(); err != nil {
		return nil, "", err
	}
	s := c.session()
	defer s.Close()
	if commit, err = s.resolve(ctx, r); err != nil {
		return nil, "", err
	}
	files, err = s.tree(ctx, r, commit)
	return files, commit, err
}

// resolve asks where a revision is.
func (s *session) resolve(ctx context.Context, r repo) (commit string, err error) {
	if IsCommit(r.revision) {
		return r.revision, nil
	}
	var info struct {
		SHA string `json:"sha"`
	}
	if _, err := s.getJSON(ctx, r, s.endpoint()+r.api()+"/revision/"+url.PathEscape(r.revision), &info); err != nil {
		return "", err
	}
	if !IsCommit(info.SHA) {
		return "", failed(ErrCorrupt, "%s names no commit of %s", s.shown(s.endpoint()), r)
	}
	return info.SHA, nil
}

// tree lists the files of a commit: from the cache, since a commit never changes, else
// page by page from the hub.
func (s *session) tree(ctx context.Context, r repo, commit string) ([]File, error) {
	if files, err := s.readTree(r, commit); err == nil {
		return files, nil
	}
	home, err := url.Parse(s.endpoint())
	if err != nil {
		return nil, err
	}
	var files []File
	seen := map[string]bool{}
	for address := s.endpoint() + r.api() + "/tree/" + commit + "?recursive=true&expand=false"; address != ""; {
		var page []treeItem
		header, err := s.getJSON(ctx, r, address, &page)
		if err != nil {
			return nil, err
		}
		for _, item := range page {
			if item.Type != "file" {
				continue
			}
			f := item.file()
			if err := f.check(); err != nil {
				return nil, failed(ErrCorrupt, "the list of %s is not safe to use: %v", r, err)
			}
			if seen[f.Path] {
				return nil, failed(ErrCorrupt, "the list of %s has %q twice", r, outside.Word(f.Path))
			}
			seen[f.Path] = true
			files = append(files, f)
		}
		if len(files) > s.Entries {
			return nil, failed(ErrTooLarge, "%s has more than %d files", r, s.Entries)
		}
		last := address
		if address = nextPage(header.Get("Link"), home); address == last || address != "" && len(page) == 0 {
			return nil, failed(ErrCorrupt, "the list of %s does not end", r)
		}
	}
	sortFiles(files)
	s.writeTree(r, commit, files)
	return files, nil
}

// treeItem is an entry of the API's tree.
type treeItem struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	OID  string `json:"oid"`
	Xet  string `json:"xetHash"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

func (i *treeItem) file() File {
	f := File{Path: i.Path, Size: i.Size, Digest: i.OID, blob: i.OID, xet: i.Xet, size: i.Size}
	if i.LFS != nil {
		f.Digest, f.LFS, f.Size = i.LFS.OID, true, i.LFS.Size
	}
	return f
}

var nextLink = regexp.MustCompile(`<([^<>]+)>\s*;[^,]*\brel="?next"?`)

// nextPage is the address of a list's next page; empty: this was the last. It is one
// of the same server.
func nextPage(link string, home *url.URL) string {
	m := nextLink.FindStringSubmatch(link)
	if m == nil {
		return ""
	}
	to, err := home.Parse(m[1])
	if err != nil {
		return ""
	}
	to.Scheme, to.Host, to.User = home.Scheme, home.Host, home.User // a mirror may pass on the hub's own
	return to.String()
}
