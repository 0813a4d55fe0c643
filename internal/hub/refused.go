package hub

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// refused says what an answer other than 200 means. The hub tells in X-Error-Code; a
// repository that is not there and one that is private get the same answer.
func (s *session) refused(ctx context.Context, r repo, res *http.Response) error {
	code, message := res.Header.Get("X-Error-Code"), outside.Sentence(res.Header.Get("X-Error-Message"))
	page := s.shown(s.endpoint() + r.page())
	switch {
	case code == "GatedRepo":
		e := failed(ErrDenied, "%s is gated", r)
		if s.Token == "" {
			return e.hint("accept its terms at %s, then set HF_TOKEN to a token of that account", page)
		}
		return e.hint("the account of HF_TOKEN has no access: accept its terms at %s", page)
	case res.StatusCode == http.StatusUnauthorized && strings.HasPrefix(message, "Invalid credentials"):
		return failed(ErrDenied, "the hub does not know the token that was given").hint("mend or unset HF_TOKEN, or the file token in HF_HOME")
	case code == "RevisionNotFound":
		return failed(ErrNotFound, "%s has no revision %q", r.name, r.revision)
	case code == "EntryNotFound":
		return failed(ErrNotFound, "%s has no such file", r)
	case code == "RepoNotFound", res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusUnauthorized:
		return s.notFound(ctx, r)
	case res.StatusCode == http.StatusForbidden:
		e := failed(ErrDenied, "the hub refuses access to %s%s", r, said(message))
		return e.hint("its page is %s; HF_TOKEN must be a token that may read it", page)
	}
	return failed(ErrUnreachable, "%s answers %d %s%s", s.shown(s.endpoint()), res.StatusCode, http.StatusText(res.StatusCode), said(message))
}

func said(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}

func (s *session) notFound(ctx context.Context, r repo) error {
	e := failed(ErrNotFound, "%s has no %s %q that is open to us", s.shown(s.endpoint()), r.kind, r.name)
	if near := s.similar(ctx, r); near != "" {
		return e.hint("did you mean %s?", near)
	}
	if s.Token == "" {
		return e.hint("a private one needs HF_TOKEN")
	}
	return e
}

// similar asks the hub for a name that was most likely meant: one that holds the same
// word, or one of the same owner. It is only a hint: it may fail without a word.
func (s *session) similar(ctx context.Context, r repo) string {
	owner, name, owned := strings.Cut(r.name, "/")
	if !owned {
		return usage.Nearest(r.name, s.search(ctx, r.kind, "search", r.name))
	}
	found := s.search(ctx, r.kind, "search", name)
	if near := usage.Nearest(r.name, found); near != "" {
		return near
	}
	if i := slices.IndexFunc(found, func(n string) bool { return strings.HasSuffix(n, "/"+name) }); i >= 0 {
		return found[i]
	}
	return usage.Nearest(r.name, s.search(ctx, r.kind, "author", owner))
}

// search gives some names of the hub's search, the most downloaded first.
func (s *session) search(ctx context.Context, kind Kind, by, text string) (names []string) {
	res, _, err := s.follow(ctx, s.endpoint()+"/api/"+string(kind)+"s?limit=100&sort=downloads&"+by+"="+url.QueryEscape(text), nil)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	var found []struct {
		ID string `json:"id"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&found) != nil {
		return nil
	}
	for _, one := range found {
		if IsRepo(one.ID) {
			names = append(names, one.ID)
		}
	}
	return names
}
