// Package hubtest is a stand-in for Hugging Face's hub: the parts of its HTTP API that
// a download needs, from memory, with faults on demand. Python's huggingface_hub
// downloads from it as from the hub itself (TestPythonClient of package hub).
package hubtest

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Repo is one repository with one commit, at the branch main and under its tags.
type Repo struct {
	Dataset bool
	Name    string
	Tags    []string
	Gated   bool              // its files need Server.Token
	Private bool              // all of it does
	Files   map[string]string // what Git has, by path
	Large   map[string]string // what LFS has
	Listed  []map[string]any  // further entries of the list, as they are
}

// Commit is the hash of the repository's only commit.
func (r *Repo) Commit() string {
	h := sha1.New()
	for _, name := range r.paths() {
		content, _ := r.content(name)
		fmt.Fprintf(h, "%s %s\n", name, GitSHA1(content))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *Repo) paths() (names []string) {
	for name := range r.Files {
		names = append(names, name)
	}
	for name := range r.Large {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *Repo) content(name string) (content string, ok bool) {
	if content, ok = r.Large[name]; !ok {
		content, ok = r.Files[name]
	}
	return content, ok
}

func (r *Repo) kind() string {
	if r.Dataset {
		return "datasets"
	}
	return "models"
}

// GitSHA1 is the name of a blob in Git.
func GitSHA1(content string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(content), content)))
	return hex.EncodeToString(sum[:])
}

// SHA256 is the name of a file in LFS.
func SHA256(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Seen is a request that came.
type Seen struct {
	Method, Path, Range string
	CDN                 bool // it came to the content network's host
	Token               string
}

// Server is the hub and the content network behind it, on two ports of loopback.
type Server struct {
	URL   string
	Token string // that opens what is gated and private
	Page  int    // entries of a list's page; 0: all
	// Fault may answer a request in the server's place; it reports whether it did.
	Fault func(w http.ResponseWriter, r *http.Request, cdn bool) bool

	repos    []*Repo
	hub, cdn *httptest.Server
	mu       sync.Mutex
	seen     []Seen
}

// New starts a server; Close ends it.
func New(repos ...*Repo) *Server {
	s := &Server{repos: repos}
	s.hub = httptest.NewServer(s.logged(false, s.serveHub))
	s.cdn = httptest.NewServer(s.logged(true, s.serveCDN))
	s.URL = s.hub.URL
	return s
}

// NewAt is New on listeners of its caller's.
func NewAt(hub, cdn net.Listener, repos ...*Repo) *Server {
	s := &Server{repos: repos}
	s.hub = &httptest.Server{Listener: hub, Config: &http.Server{Handler: s.logged(false, s.serveHub)}}
	s.cdn = &httptest.Server{Listener: cdn, Config: &http.Server{Handler: s.logged(true, s.serveCDN)}}
	s.hub.Start()
	s.cdn.Start()
	s.URL = s.hub.URL
	return s
}

// Close ends the server and cuts what is under way.
func (s *Server) Close() {
	for _, one := range []*httptest.Server{s.hub, s.cdn} {
		one.CloseClientConnections()
		one.Close()
	}
}

// Requests are those that came since the last call.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

func (s *Server) logged(cdn bool, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, Seen{r.Method, r.URL.Path, r.Header.Get("Range"), cdn, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
		s.mu.Unlock()
		if s.Fault == nil || !s.Fault(w, r, cdn) {
			next(w, r)
		}
	})
}

func (s *Server) serveHub(w http.ResponseWriter, r *http.Request) {
	if kind, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/"), "/"); ok && strings.HasPrefix(r.URL.Path, "/api/") {
		s.serveAPI(w, r, kind, rest)
		return
	}
	if kind, ok := strings.CutPrefix(r.URL.Path, "/api/"); ok {
		s.search(w, r, kind)
		return
	}
	name, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/resolve/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	kind := "models"
	if short, found := strings.CutPrefix(name, "datasets/"); found {
		kind, name = "datasets", short
	}
	if repo := s.find(w, r, kind, name); repo != nil {
		revision, file, _ := strings.Cut(rest, "/")
		s.resolve(w, r, repo, revision, file)
	}
}

// search lists the repositories whose names hold a text, or that belong to an author.
func (s *Server) search(w http.ResponseWriter, r *http.Request, kind string) {
	found := []map[string]any{}
	for _, one := range s.repos {
		if one.kind() == kind && !one.Private && strings.HasPrefix(one.Name, r.URL.Query().Get("author")) && strings.Contains(strings.ToLower(one.Name), strings.ToLower(r.URL.Query().Get("search"))) {
			found = append(found, map[string]any{"id": one.Name})
		}
	}
	reply(w, found)
}

// find gives a repository, or answers as the hub does for one that is not there: 401
// to those it does not know.
func (s *Server) find(w http.ResponseWriter, r *http.Request, kind, name string) *Repo {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token != "" && token != s.Token {
		refuse(w, http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
		return nil
	}
	i := slices.IndexFunc(s.repos, func(one *Repo) bool { return one.kind() == kind && one.Name == name })
	if i >= 0 && (!s.repos[i].Private || token == s.Token && token != "") {
		return s.repos[i]
	}
	if token == "" {
		refuse(w, http.StatusUnauthorized, "RepoNotFound", "Invalid username or password.")
	} else {
		refuse(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
	}
	return nil
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	if code != "" {
		w.Header().Set("X-Error-Code", code)
	}
	w.Header().Set("X-Error-Message", message)
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":%q}`, message)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(value)
}

// at reports whether a revision is the repository's, and answers if not.
func at(w http.ResponseWriter, repo *Repo, revision string) bool {
	if revision == "main" || revision == repo.Commit() || slices.Contains(repo.Tags, revision) {
		return true
	}
	refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
	return false
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, kind, rest string) {
	name, what, revision := rest, "revision", "main"
	for _, word := range []string{"revision", "tree"} {
		if before, after, ok := strings.Cut(rest, "/"+word+"/"); ok {
			name, what, revision = before, word, after
		}
	}
	repo := s.find(w, r, kind, name)
	if repo == nil || !at(w, repo, revision) {
		return
	}
	if what == "tree" {
		s.tree(w, r, repo)
		return
	}
	siblings := []map[string]any{}
	for _, file := range repo.paths() {
		siblings = append(siblings, map[string]any{"rfilename": file})
	}
	reply(w, map[string]any{"_id": repo.Commit()[:24], "id": repo.Name, "sha": repo.Commit(), "private": repo.Private, "gated": repo.Gated, "tags": []string{}, "downloads": 0, "likes": 0, "siblings": siblings})
}

// tree lists the files, page by page.
func (s *Server) tree(w http.ResponseWriter, r *http.Request, repo *Repo) {
	entries := []map[string]any{}
	folders := map[string]bool{}
	for _, file := range repo.paths() {
		if i := strings.LastIndexByte(file, '/'); i >= 0 && !folders[file[:i]] {
			folders[file[:i]] = true
			entries = append(entries, map[string]any{"type": "directory", "oid": GitSHA1(file[:i]), "size": 0, "path": file[:i]})
		}
		content, _ := repo.content(file)
		entry := map[string]any{"type": "file", "oid": GitSHA1(content), "size": len(content), "path": file}
		if _, large := repo.Large[file]; large {
			pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", SHA256(content), len(content))
			entry["oid"] = GitSHA1(pointer)
			entry["lfs"] = map[string]any{"oid": SHA256(content), "size": len(content), "pointerSize": len(pointer)}
		}
		entries = append(entries, entry)
	}
	entries = append(entries, repo.Listed...)
	if s.Page > 0 {
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		from = min(max(from, 0), len(entries))
		to := min(from+s.Page, len(entries))
		if to < len(entries) {
			query := r.URL.Query()
			query.Set("cursor", strconv.Itoa(to))
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.Path, query.Encode()))
		}
		entries = entries[from:to]
	}
	reply(w, entries)
}

// resolve sends a file of Git's, or sends on to the content network for one of LFS.
func (s *Server) resolve(w http.ResponseWriter, r *http.Request, repo *Repo, revision, file string) {
	if !at(w, repo, revision) {
		return
	}
	if repo.Gated && (s.Token == "" || r.Header.Get("Authorization") != "Bearer "+s.Token) {
		refuse(w, http.StatusUnauthorized, "GatedRepo", "Access to model "+repo.Name+" is restricted. You must have access to it and be authenticated to access it. Please log in.")
		return
	}
	w.Header().Set("X-Repo-Commit", repo.Commit())
	content, ok := repo.content(file)
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	if _, large := repo.Large[file]; !large {
		w.Header().Set("ETag", `"`+GitSHA1(content)+`"`)
		serve(w, r, content)
		return
	}
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(content)))
	w.Header().Set("X-Linked-Etag", `"`+SHA256(content)+`"`)
	w.Header().Set("Location", s.cdn.URL+"/"+SHA256(content)+"?"+url.Values{"X-Signature": {"of-one-hour"}}.Encode())
	w.WriteHeader(http.StatusFound)
}

// serveCDN sends a file of LFS to who has its signed address.
func (s *Server) serveCDN(w http.ResponseWriter, r *http.Request) {
	for _, repo := range s.repos {
		for _, content := range repo.Large {
			if r.URL.Path == "/"+SHA256(content) && r.URL.Query().Get("X-Signature") != "" {
				w.Header().Set("ETag", `"a-name-of-the-storage"`)
				serve(w, r, content)
				return
			}
		}
	}
	w.WriteHeader(http.StatusForbidden)
}

// serve sends content, or the end of it that Range asks for.
func serve(w http.ResponseWriter, r *http.Request, content string) {
	w.Header().Set("Accept-Ranges", "bytes")
	w.Header().Set("Content-Type", "text/plain")
	status, from := http.StatusOK, 0
	if after, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		first, _, _ := strings.Cut(after, "-")
		n, err := strconv.Atoi(first)
		if err != nil || n >= len(content) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(content)))
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		status, from = http.StatusPartialContent, n
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(content[from:]))
	}
}
