// Package hub fetches files of models and datasets from Hugging Face's hub, or from a
// server that speaks its API, into the cache that Python's huggingface_hub keeps. The
// two share one cache: each finds what the other one has put there. docs/tokenizers.md says
// what was tested.
package hub

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
)

// DefaultEndpoint is the hub's address, unless HF_ENDPOINT names another one.
const DefaultEndpoint = "https://huggingface.co"

// DefaultRevision is the branch that is meant where none is named.
const DefaultRevision = "main"

// Kind is what a repository holds.
type Kind string

// The kinds that are fetched.
const (
	Model   Kind = "model"
	Dataset Kind = "dataset"
)

// Client fetches from one hub into one cache. Its zero value keeps no cache and must
// not be used; FromEnvironment makes one as Python's client would be.
type Client struct {
	Endpoint string // without a slash at its end; empty: DefaultEndpoint
	Token    string // sent to the endpoint's own origin only, and never shown
	CacheDir string // the folder that holds models--org--name
	Offline  bool   // use what the cache has

	UserAgent string
	Proxy     func(*http.Request) (*url.URL, error) // nil: none
	Limits    Limits                                // zero fields are as DefaultLimits
	// Notify is told of each file as it comes, from one goroutine at a time. Nil: nobody.
	Notify func(Progress)

	// Of tests.
	transport http.RoundTripper
	wait      func(time.Duration) <-chan time.Time
}

// Progress is a file under way.
type Progress struct {
	Repo, File  string
	Done, Total int64
	Finished    bool // it is in the cache
}

// Limits bound what a hub may make us fetch.
type Limits struct {
	File    int64         // bytes of one file
	Total   int64         // bytes of one snapshot's files
	Entries int           // files of a repository
	Silence time.Duration // without a byte
	Tries   int           // of one request, the first one included
}

// DefaultLimits leave room for any tokenizer and for a dataset's usual shards.
func DefaultLimits() Limits {
	return Limits{File: 8 << 30, Total: 32 << 30, Entries: 200_000, Silence: 30 * time.Second, Tries: 5}
}

func (c *Client) limits() Limits {
	l, usual := c.Limits, DefaultLimits()
	if l.File == 0 {
		l.File = usual.File
	}
	if l.Total == 0 {
		l.Total = usual.Total
	}
	if l.Entries == 0 {
		l.Entries = usual.Entries
	}
	if l.Silence == 0 {
		l.Silence = usual.Silence
	}
	if l.Tries == 0 {
		l.Tries = usual.Tries
	}
	return l
}

func (c *Client) endpoint() string {
	if c.Endpoint == "" {
		return DefaultEndpoint
	}
	return strings.TrimRight(c.Endpoint, "/")
}

// checkEndpoint says what is wrong with the hub's address.
func (c *Client) checkEndpoint() error {
	u, err := url.Parse(c.endpoint())
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return failed(ErrUnreachable, "HF_ENDPOINT must be a URL such as %s, not %q", DefaultEndpoint, outside.Word(outside.RedactURL(c.Endpoint)))
	}
	return nil
}

var (
	repoName   = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?:/[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)?$`)
	refName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$`)
	commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Hash = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// IsRepo reports whether a text can be the name of a repository: name, or org/name.
func IsRepo(name string) bool {
	const longest = 2*96 + 1
	return len(name) <= longest && repoName.MatchString(name) && !strings.Contains(name, "--") && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".git")
}

// IsCommit reports whether a revision is a commit, which never changes.
func IsCommit(revision string) bool { return commitHash.MatchString(revision) }

// isRevision reports whether a text can be a branch, a tag or a commit. It is part of
// a path in the cache.
func isRevision(revision string) bool {
	return len(revision) <= 255 && refName.MatchString(revision) && !strings.Contains(revision, "..") && !strings.HasSuffix(revision, ".lock")
}

// isFileName reports whether a repository's file may have a place in the cache: a
// relative path that leads nowhere else.
func isFileName(name string) bool {
	if name == "" || len(name) > 1024 || !utf8.ValidString(name) || path.Clean(name) != name || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "." || part == ".." || len(part) > 255 {
			return false
		}
	}
	return outside.Line(name, len(name)) == name // nothing that a terminal would obey
}

// A repo is one revision of one repository.
type repo struct {
	kind           Kind
	name, revision string
}

func newRepo(kind Kind, name, revision string) (repo, error) {
	if revision == "" {
		revision = DefaultRevision
	}
	switch {
	case kind != Model && kind != Dataset:
		return repo{}, fmt.Errorf("hub: unknown kind %q", kind)
	case !IsRepo(name):
		return repo{}, failed(ErrNotFound, "%q is no name of a repository: it is name or org/name, of letters, digits, \"-\", \"_\" and \".\"", outside.Word(name))
	case !isRevision(revision):
		return repo{}, failed(ErrNotFound, "%q is no revision: it is a branch, a tag or a commit", outside.Word(revision))
	}
	return repo{kind, name, revision}, nil
}

// api is the path of the repository's API.
func (r repo) api() string { return "/api/" + string(r.kind) + "s/" + r.name }

// page is the path of the repository's page, and of its files.
func (r repo) page() string {
	if r.kind == Dataset {
		return "/datasets/" + r.name
	}
	return "/" + r.name
}

// folder is the repository's name in the cache.
func (r repo) folder() string {
	return string(r.kind) + "s--" + strings.ReplaceAll(r.name, "/", "--")
}

func (r repo) String() string {
	s := r.name
	if r.kind == Dataset {
		s = "dataset " + s
	}
	if r.revision != DefaultRevision {
		s += " at " + r.revision
	}
	return s
}

// What a caller can ask of an error.
var (
	ErrNotFound    = errors.New("not found")         // no such repository, revision or file
	ErrDenied      = errors.New("denied")            // gated, private, or a token that is not valid
	ErrUnreachable = errors.New("unreachable")       // nobody answers, or only with errors
	ErrOffline     = errors.New("offline")           // not in the cache, and the hub may not be asked
	ErrCorrupt     = errors.New("corrupt")           // what came is not what was announced
	ErrTooLarge    = errors.New("beyond the bounds") // of Limits
)

// Error is what went wrong with a repository, in words for the user.
type Error struct {
	Kind error // one of those above
	Text string
	Hint string // what to do about it; may be empty
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "; " + e.Hint
}

func (e *Error) Unwrap() error { return e.Kind }

func failed(kind error, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}
