package hub

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/hub/hubtest"
	"github.com/inferometer/inferometer/internal/memnet"
)

// once gives a fault to the first n requests whose path holds a text.
func once(n int, path string, fault http.HandlerFunc) func(http.ResponseWriter, *http.Request, bool) bool {
	return func(w http.ResponseWriter, r *http.Request, cdn bool) bool {
		if !strings.Contains(r.URL.Path, path) || n == 0 {
			return false
		}
		n--
		fault(w, r)
		return true
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// cut sends the first n bytes of a content and then ends the connection.
func cut(content string, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		}
		_, _ = w.Write([]byte(content[from:min(from+n, len(content))]))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestFaults(t *testing.T) {
	repo := tiny()
	large := repo.Large["tokenizer.json"]
	sum := hubtest.SHA256(large)
	endless := func(w http.ResponseWriter, r *http.Request) {
		for range 1000 {
			if _, err := w.Write([]byte(large)); err != nil {
				return
			}
		}
	}
	for _, one := range []struct {
		name  string
		path  string
		times int
		fault http.HandlerFunc
		kind  error  // nil: it ends well
		want  string // of the error
	}{
		{"429 with a time", "/revision/", 2, status(429, "Retry-After", "1"), nil, ""},
		{"503", "/tree/", 3, status(503), nil, ""},
		{"500 for good", "/revision/", -1, status(500), ErrUnreachable, "answers 500 Internal Server Error, after 5 tries"},
		{"429 for an hour", "/revision/", -1, status(429, "Retry-After", "3600"), ErrUnreachable, "asks to wait 1h0m0s"},
		{"cut in the middle", sum, 3, cut(large, 50_000), nil, ""},
		{"cut at once, for good", sum, -1, cut(large, 0), ErrUnreachable, "can't be reached"},
		{"cut, and no ranges after", sum, 1, cut(large, 10), nil, ""},
		{"wrong bytes", sum, -1, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat("x", len(large)))) }, ErrCorrupt, "was announced"},
		{"wrong length", sum, -1, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("short")) }, ErrUnreachable, "it ended after 5 of 200000 bytes"},
		{"endless", sum, -1, endless, ErrCorrupt, "more than the 200000 bytes"},
		{"too long by its header", "resolve", -1, status(200, "Content-Length", "999999", "X-Linked-Size", "999999"), ErrCorrupt, "and with 999999"},
		{"an ETag that lies", "config.json", -1, status(200, "ETag", `"`+hubtest.GitSHA1("other")+`"`), ErrCorrupt, "two digests"},
		{"a linked ETag that lies", "tokenizer.json", -1, status(200, "X-Linked-Etag", `"`+hubtest.SHA256("other")+`"`), ErrCorrupt, "two digests"},
		{"another commit", "config.json", -1, status(200, "X-Repo-Commit", strings.Repeat("a", 40)), ErrCorrupt, "another commit"},
		{"redirect to a file", "config.json", -1, status(302, "Location", "file:///etc/passwd"), ErrCorrupt, "an address that can't be used"},
		{"redirect without end", "/revision/", -1, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, ErrCorrupt, "more than 5 times"},
		{"the signature is too old", sum, -1, status(403), ErrDenied, "refuses access"},
		{"no JSON", "/revision/", -1, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, ErrCorrupt, "does not answer as the hub's API does"},
		{"no commit", "/revision/", -1, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"sha":"../.."}`)) }, ErrCorrupt, "names no commit"},
		{"a list without end", "/tree/", -1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `</api/models/org/tiny/tree/x?cursor=1>; rel="next"`)
			_, _ = w.Write([]byte("[]"))
		}, ErrCorrupt, "does not end"},
		{"an answer without end", "/revision/", -1, endless, ErrTooLarge, "answers with more than"},
	} {
		t.Run(one.name, func(t *testing.T) {
			server, c := start(t, repo)
			server.Fault = once(one.times, one.path, one.fault)
			got, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
			if one.kind == nil {
				if err != nil {
					t.Fatal(err)
				}
				if b, _ := os.ReadFile(filepath.Join(got.Dir, "tokenizer.json")); string(b) != large {
					t.Errorf("%d bytes", len(b))
				}
				return
			}
			if !errors.Is(err, one.kind) || !strings.Contains(err.Error(), one.want) {
				t.Errorf("%v; want %s", err, one.want)
			}
			for _, file := range listed(t, c.CacheDir) {
				if strings.Contains(file, "snapshots/") && strings.Contains(file, "tokenizer.json") || strings.Contains(file, "refs/") {
					t.Errorf("it left %s", file)
				}
			}
		})
	}
}

// A body that stops to come is given up after the time of silence, and gone on with.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network memnet.Network
		front, frontErr := network.Listen("10.0.0.1:80")
		behind, err := network.Listen("10.0.0.2:80")
		if err := errors.Join(frontErr, err); err != nil {
			t.Fatal(err)
		}
		repo := tiny()
		large := repo.Large["tokenizer.json"]
		server := hubtest.NewAt(front, behind, repo)
		defer server.Close()
		server.Fault = once(1, hubtest.SHA256(large), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(large)))
			_, _ = w.Write([]byte(large[:1000]))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		c := &Client{Endpoint: server.URL, CacheDir: t.TempDir(), transport: &http.Transport{DialContext: network.DialContext, DisableCompression: true}}
		began := time.Now()
		if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); err != nil {
			t.Fatal(err)
		}
		// A wait after the first try is a second, and up to a half more.
		if took, silence := time.Since(began), DefaultLimits().Silence; took < silence+time.Second || took > silence+1500*time.Millisecond {
			t.Errorf("took %v", took)
		}
		var ranges []string
		for _, r := range server.Requests() {
			if r.CDN {
				ranges = append(ranges, r.Range)
			}
		}
		if strings.Join(ranges, ",") != ",bytes=1000-" {
			t.Errorf("%q", ranges)
		}
	})
}

// A process that was killed leaves a part, and the next one goes on from there. A part
// of something else is thrown away.
func TestResume(t *testing.T) {
	repo := tiny()
	large := repo.Large["tokenizer.json"]
	for _, one := range []struct{ left, want string }{
		{large[:70_000], "bytes=70000-"},
		{large, "none"},
		{large + "more", ""},
		{strings.Repeat("x", len(large)), ""},
	} {
		server, c := start(t, repo)
		part := filepath.Join(c.CacheDir, "models--org--tiny", "blobs", hubtest.SHA256(large)+".incomplete")
		if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(part, []byte(one.left), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(filepath.Join(got.Dir, "tokenizer.json")); string(b) != large {
			t.Errorf("%d bytes", len(b))
		}
		asked := "none"
		for _, r := range server.Requests() {
			if r.CDN {
				asked = r.Range
			}
		}
		if asked != one.want {
			t.Errorf("a part of %d bytes: Range %q, want %q", len(one.left), asked, one.want)
		}
		if _, err := os.Stat(part); err == nil {
			t.Error("the part is still there")
		}
	}
	// A part of the right length that is wrong is found by its digest, and is not gone on with for ever.
	server, c := start(t, repo)
	part := filepath.Join(c.CacheDir, "models--org--tiny", "blobs", hubtest.SHA256(large)+".incomplete")
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if _, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted); err != nil {
		t.Errorf("the next try: %v", err)
	}
	_ = server
}

// A full disk says what is needed.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	defer full.Close()
	tiny := tiny()
	_, c := start(t, tiny)
	content := tiny.Large["tokenizer.json"]
	f := File{Path: "tokenizer.json", Size: int64(len(content)), Digest: hubtest.SHA256(content), LFS: true}
	p := &part{file: full, want: f}
	p.sum = p.newSum()
	err = c.session().fill(t.Context(), repo{Model, "org/tiny", "main"}, tiny.Commit(), f, p)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "it needs 200000 bytes there: make room") {
		t.Errorf("%v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	server, c := start(t)
	server.Close()
	_, err := c.Snapshot(t.Context(), Model, "org/tiny", "", wanted)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "HF_HUB_OFFLINE") {
		t.Errorf("%v", err)
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(`{"format_version":1,"files":{"a":{"size":1,"blob_id":"` + hubtest.GitSHA1("a") + `"}}}`))
	f.Add([]byte(`{"format_version":1,"files":{"../a":{"size":1,"blob_id":"` + hubtest.GitSHA1("a") + `","lfs_sha256":"x"}}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &Client{CacheDir: t.TempDir()}
		r := repo{Model, "org/tiny", "main"}
		commit := strings.Repeat("a", 40)
		path := c.treePath(r, commit)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := c.readTree(r, commit)
		if err != nil {
			return
		}
		for _, file := range files {
			if !filepath.IsLocal(filepath.FromSlash(file.Path)) || strings.ContainsAny(file.Digest, "/.") {
				t.Errorf("%+v", file)
			}
		}
	})
}
