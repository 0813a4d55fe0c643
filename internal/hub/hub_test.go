package hub

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/hub/hubtest"
)

// wanted are the files that the tests ask for; README.md is not among them.
var wanted = Patterns{"tokenizer.json", "config.json", "*.model", "chat_template.jinja"}

func tiny() *hubtest.Repo {
	return &hubtest.Repo{
		Name: "org/tiny", Tags: []string{"v1", "refs/pr/1"},
		Files: map[string]string{"config.json": `{"a":1}`, "README.md": "read me", "sub/folder/x.model": "no", "empty.model": ""},
		Large: map[string]string{"tokenizer.json": strings.Repeat("0123456789", 20_000)},
	}
}

func start(t *testing.T, repos ...*hubtest.Repo) (*hubtest.Server, *Client) {
	t.Helper()
	server := hubtest.New(repos...)
	t.Cleanup(server.Close)
	return server, &Client{Endpoint: server.URL, CacheDir: t.TempDir(), wait: atOnce}
}

// atOnce stands for waiting.
func atOnce(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// listed are all files and links below a folder; links with where they lead.
func listed(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if to, err := os.Readlink(path); err == nil {
			name += " -> " + to
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLayout(t *testing.T) {
	repo := tiny()
	server, c := start(t, repo)
	server.Page = 2
	got, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
	if err != nil {
		t.Fatal(err)
	}
	commit, large := repo.Commit(), hubtest.SHA256(repo.Large["tokenizer.json"])
	config, empty := hubtest.GitSHA1(repo.Files["config.json"]), hubtest.GitSHA1("")
	want := []string{
		".locks/models--org--tiny/" + config + ".lock",
		".locks/models--org--tiny/" + empty + ".lock",
		".locks/models--org--tiny/" + large + ".lock",
		"models--org--tiny/.no_exist/" + commit + "/chat_template.jinja",
		"models--org--tiny/blobs/" + config,
		"models--org--tiny/blobs/" + empty,
		"models--org--tiny/blobs/" + large,
		"models--org--tiny/refs/main",
		"models--org--tiny/snapshots/" + commit + "/config.json -> ../../blobs/" + config,
		"models--org--tiny/snapshots/" + commit + "/empty.model -> ../../blobs/" + empty,
		"models--org--tiny/snapshots/" + commit + "/tokenizer.json -> ../../blobs/" + large,
		"models--org--tiny/trees/" + commit + ".json",
	}
	have := listed(t, c.CacheDir)
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("the cache holds\n%s\nnot\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if got.Commit != commit || got.Fetched != 3 || !slices.Equal(got.Files, []string{"config.json", "empty.model", "tokenizer.json"}) {
		t.Errorf("%+v", got)
	}
	b, err := os.ReadFile(filepath.Join(got.Dir, "tokenizer.json"))
	if string(b) != repo.Large["tokenizer.json"] {
		t.Errorf("%d bytes, %v", len(b), err)
	}

	// What is there is used without a word to the hub, also by its commit and offline.
	server.Requests()
	for _, revision := range []string{"", "main", commit} {
		for _, c.Offline = range []bool{false, true} {
			again, err := c.Snapshot(t.Context(), Model, "org/tiny", revision, wanted)
			if err != nil || again.Dir != got.Dir || again.Fetched != 0 {
				t.Errorf("%q: %+v, %v", revision, again, err)
			}
		}
	}
	if seen := server.Requests(); len(seen) > 0 {
		t.Errorf("the hub was asked: %v", seen)
	}
	c.Offline = false
	// A tag needs one request, for its commit.
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "refs/pr/1", wanted); err != nil {
		t.Error(err)
	}
	if seen := server.Requests(); len(seen) != 1 {
		t.Errorf("%v", seen)
	}
	c.Offline = true
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "v1", wanted); !errors.Is(err, ErrOffline) {
		t.Errorf("a revision that the cache does not know: %v", err)
	}
}

func TestDatasetFiles(t *testing.T) {
	server, c := start(t, &hubtest.Repo{Dataset: true, Name: "org/set", Files: map[string]string{"data/a.csv": "a", "data/deep/b.csv": "b", "README.md": ""}})
	files, commit, err := c.Files(t.Context(), Dataset, "org/set", "")
	if err != nil || len(files) != 3 || files[1].Path != "data/a.csv" || files[1].Size != 1 || !IsCommit(commit) {
		t.Errorf("%v, %s, %v", files, commit, err)
	}
	for pattern, want := range map[string][]string{"data/*.csv": {"data/a.csv"}, "**/*.csv": {"data/a.csv", "data/deep/b.csv"}, "data/**": {"data/a.csv", "data/deep/b.csv"}, "data/?.csv": {"data/a.csv"}} {
		got, err := c.Snapshot(t.Context(), Dataset, "org/set", "", Patterns{pattern})
		if err != nil || !slices.Equal(got.Files, want) {
			t.Errorf("%s: %+v, %v", pattern, got, err)
		}
	}
	server.Requests()
	if _, err := c.Snapshot(t.Context(), Dataset, "org/set", "", Patterns{"*.parquet"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such file: %v", err)
	}
	c.Offline = true
	if files, _, err := c.Files(t.Context(), Dataset, "org/set", ""); err != nil || len(files) != 3 {
		t.Errorf("offline: %v, %v", files, err)
	}
}

// A token goes to the hub, and not to the host that it sends us on to.
func TestTokenStaysAtHome(t *testing.T) {
	repo := tiny()
	repo.Private, repo.Gated = true, true
	server, c := start(t, repo)
	server.Token, c.Token = "hf_secret", "hf_secret"
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); err != nil {
		t.Fatal(err)
	}
	var hub, cdn int
	for _, r := range server.Requests() {
		switch {
		case r.CDN && r.Token != "":
			t.Errorf("%s was told the token", r.Path)
		case r.CDN:
			cdn++
		case r.Token != "hf_secret":
			t.Errorf("%s was not told the token", r.Path)
		default:
			hub++
		}
	}
	if hub < 4 || cdn != 1 {
		t.Errorf("%d requests to the hub and %d to the content network", hub, cdn)
	}
}

func TestRefused(t *testing.T) {
	gated, private := tiny(), tiny()
	gated.Name, gated.Gated = "org/gated", true
	private.Name, private.Private = "org/private", true
	server, c := start(t, tiny(), gated, private)
	server.Token = "right"
	for _, one := range []struct {
		name, revision, token string
		kind                  error
		want                  string
	}{
		{"org/tiny", "nosuch", "", ErrNotFound, `org/tiny has no revision "nosuch"`},
		{"org/tiyn", "", "", ErrNotFound, "did you mean org/tiny?"},
		{"other/tiny", "", "", ErrNotFound, "did you mean org/tiny?"},
		{"org/private", "", "", ErrNotFound, "a private one needs HF_TOKEN"},
		{"org/nothing-like-it", "", "right", ErrNotFound, `has no model "org/nothing-like-it"`},
		{"org/tiny", "", "wrong", ErrDenied, "does not know the token"},
		{"org/gated", "", "", ErrDenied, "accept its terms at " + server.URL + "/org/gated, then set HF_TOKEN"},
		{"../tiny", "", "", nil, "is no name of a repository"},
		{"org/tiny", "../../x", "", nil, "is no revision"},
	} {
		c.Token = one.token
		_, err := c.Snapshot(t.Context(), Model, one.name, one.revision, wanted)
		if err == nil || one.kind != nil && !errors.Is(err, one.kind) || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s %s: %v; want %s", one.name, one.revision, err, one.want)
		}
		if err != nil && one.token != "" && strings.Contains(err.Error(), one.token+" ") {
			t.Errorf("the token is shown: %v", err)
		}
	}
}

// The lists of a hostile hub are refused before anything is written.
func TestHostileLists(t *testing.T) {
	blob := hubtest.GitSHA1("x")
	for _, entry := range []map[string]any{
		{"type": "file", "path": "../tokenizer.json", "size": 1, "oid": blob},
		{"type": "file", "path": "/etc/passwd", "size": 1, "oid": blob},
		{"type": "file", "path": "a/../../b", "size": 1, "oid": blob},
		{"type": "file", "path": "a\\b", "size": 1, "oid": blob},
		{"type": "file", "path": "a\x1b[2Jb", "size": 1, "oid": blob},
		{"type": "file", "path": "", "size": 1, "oid": blob},
		{"type": "file", "path": "config.json", "size": 1, "oid": blob}, // twice
		{"type": "file", "path": "x.model", "size": 1, "oid": "../../../x"},
		{"type": "file", "path": "x.model", "size": -1, "oid": blob},
		{"type": "file", "path": "x.model", "size": 1, "oid": blob, "lfs": map[string]any{"oid": "../x", "size": 1}},
	} {
		repo := tiny()
		repo.Listed = []map[string]any{entry}
		_, c := start(t, repo)
		_, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v: %v", entry, err)
		}
		if files := listed(t, c.CacheDir); len(files) > 0 {
			t.Errorf("%v left %v", entry, files)
		}
	}
	repo := tiny()
	repo.Listed = []map[string]any{{"type": "file", "path": "big.model", "size": 1 << 40, "oid": blob}}
	_, c := start(t, repo)
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a terabyte: %v", err)
	}
	c.Limits.Entries = 2
	c.CacheDir = t.TempDir()
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many files: %v", err)
	}
}

// Several at once fetch each file once, and all have it.
func TestTogether(t *testing.T) {
	server, c := start(t, tiny())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			own := *c
			own.wait = nil
			if _, err := own.Snapshot(context.Background(), Model, "org/tiny", "", wanted); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	fetched := map[string]int{}
	for _, r := range server.Requests() {
		if strings.Contains(r.Path, "/resolve/") {
			fetched[r.Path]++
		}
	}
	for path, n := range fetched {
		if n != 1 {
			t.Errorf("%s was fetched %d times", path, n)
		}
	}
	if len(fetched) != 3 {
		t.Errorf("%v", fetched)
	}
}

// A cache that lacks a file which the hub may have is completed; where the hub can't
// be asked it is used as it is, and that is said.
func TestIncompleteCache(t *testing.T) {
	repo := tiny()
	server, c := start(t, repo)
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", Patterns{"config.json"}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(c.CacheDir, "models--org--tiny", "trees")); err != nil { // as an older client leaves it
		t.Fatal(err)
	}
	server.Fault = func(w http.ResponseWriter, _ *http.Request, _ bool) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	got, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
	if err != nil || got.Stale == nil || !slices.Equal(got.Files, []string{"config.json"}) {
		t.Errorf("%+v, %v", got, err)
	}
	server.Fault = nil
	got, err = c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
	if err != nil || got.Stale != nil || got.Fetched != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadOnlyCache(t *testing.T) {
	_, c := start(t, tiny())
	c.CacheDir = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(c.CacheDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); err == nil || !strings.Contains(err.Error(), "in the Hugging Face cache") {
		t.Errorf("%v", err)
	}
}

func TestFromEnvironment(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "token"), []byte("of-the-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		variables string
		want      Client
	}{
		{"HOME=/u", Client{CacheDir: "/u/.cache/huggingface/hub"}},
		{"HOME=/u XDG_CACHE_HOME=/c", Client{CacheDir: "/c/huggingface/hub"}},
		{"HF_HOME=" + home, Client{CacheDir: home + "/hub", Token: "of-the-file"}},
		{"HF_HOME=" + home + " HF_TOKEN=given", Client{CacheDir: home + "/hub", Token: "given"}},
		{"HF_HOME=" + home + " HF_HUB_DISABLE_IMPLICIT_TOKEN=1", Client{CacheDir: home + "/hub"}},
		{"HOME=/u HF_HUB_CACHE=~/x/$Y Y=z HF_HUB_OFFLINE=yes HF_ENDPOINT=http://h/", Client{CacheDir: "/u/x/z", Offline: true, Endpoint: "http://h"}},
		{"HOME=/u HF_HUB_OFFLINE=0 TRANSFORMERS_OFFLINE=1", Client{CacheDir: "/u/.cache/huggingface/hub"}},
	} {
		variables := map[string]string{}
		for pair := range strings.FieldsSeq(one.variables) {
			name, value, _ := strings.Cut(pair, "=")
			variables[name] = value
		}
		got := FromEnvironment(func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
		if got.CacheDir != one.want.CacheDir || got.Token != one.want.Token || got.Offline != one.want.Offline || got.Endpoint != one.want.Endpoint {
			t.Errorf("%s: %+v", one.variables, got)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for endpoint, want := range map[string]string{"garbage": `not "garbage"`, "ftp://x": `not "ftp://x"`, "http://": "must be a URL"} {
		c := &Client{Endpoint: endpoint, CacheDir: t.TempDir()}
		if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	// A login in it is used and not shown.
	server, c := start(t, tiny())
	c.Endpoint = strings.Replace(server.URL, "://", "://me:hunter2@", 1)
	for _, name := range []string{"org/absent", "org/tiny"} {
		_, err := c.Snapshot(t.Context(), Model, name, "", wanted)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt2": true, "Qwen/Qwen3-8B": true, "a/b.c_d-e": true, "": false, "/a": false, "a/": false, "a/b/c": false, "../a": false, "a/..": false, "a--b/c": false,
		".a/b": false, "a/b.": false, "a/b.git": false, "./models": false, "~/m": false, "a b/c": false, "a/b\x00": false, "http://x/y": false, strings.Repeat("a", 300): false,
	} {
		if got := IsRepo(name); got != want {
			t.Errorf("IsRepo(%q) = %v", name, got)
		}
	}
}
