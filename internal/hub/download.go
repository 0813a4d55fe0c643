package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/errno"
	"github.com/inferometer/inferometer/internal/files/lock"
)

// fetch brings one file into the cache, unless it is there. Several processes may want
// the same one: the lock is the one that Python's client takes.
func (s *session) fetch(ctx context.Context, r repo, commit string, f File) error {
	if s.has(r, commit, f.Path) {
		return nil
	}
	unlock, err := s.lock(ctx, r, f)
	if err != nil {
		return err
	}
	defer unlock()
	blob := s.blob(r, f.Digest)
	if info, err := os.Stat(blob); err != nil || info.Size() != f.Size {
		if err := os.MkdirAll(filepath.Dir(blob), 0o777); err != nil {
			return s.unwritable(r, f, err)
		}
		if err := s.download(ctx, r, commit, f, blob); err != nil {
			return err
		}
	}
	if err := s.link(r, commit, f); err != nil {
		return s.unwritable(r, f, err)
	}
	return nil
}

// lock keeps other processes from fetching the same file. A file system without locks
// does without: the digest tells of two that got into each other's way.
func (s *session) lock(ctx context.Context, r repo, f File) (unlock func(), err error) {
	path := filepath.Join(s.CacheDir, ".locks", r.folder(), f.Digest+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, s.unwritable(r, f, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o664)
	if err != nil {
		return nil, s.unwritable(r, f, err)
	}
	for {
		err := lock.Take(file)
		if !errors.Is(err, lock.ErrHeld) {
			return func() { file.Close() }, nil
		}
		if err := s.pause(ctx, 100*time.Millisecond); err != nil {
			file.Close()
			return nil, err
		}
	}
}

// download writes a file's bytes beside its place, goes on where an earlier try ended,
// and moves them there when their digest is right.
func (s *session) download(ctx context.Context, r repo, commit string, f File, blob string) error {
	part, err := openPart(blob+".incomplete", f)
	if err != nil {
		return s.unwritable(r, f, err)
	}
	defer part.file.Close()
	if err := s.fill(ctx, r, commit, f, part); err != nil {
		return err
	}
	if got := part.digest(); got != f.Digest {
		os.Remove(part.file.Name()) // nothing of it can be used
		return failed(ErrCorrupt, "%s of %s has the digest %s, and %s was announced", f.Path, r, got, f.Digest).hint("it was not kept; try again")
	}
	if err := errors.Join(part.file.Sync(), os.Rename(part.file.Name(), blob)); err != nil {
		return s.unwritable(r, f, err)
	}
	s.notify(Progress{r.name, f.Path, f.Size, f.Size, true})
	return nil
}

// fill asks for what is missing until it is there, or until nothing more comes.
func (s *session) fill(ctx context.Context, r repo, commit string, f File, part *part) error {
	for try := 1; part.size < f.Size || part.size == 0; {
		before := part.size
		err := s.receive(ctx, r, commit, f, part)
		if err == nil {
			return nil
		}
		var e *Error
		if ctx.Err() != nil || errors.As(err, &e) {
			return err
		}
		if disk := (*os.PathError)(nil); errors.As(err, &disk) {
			return s.unwritable(r, f, err)
		}
		if part.size > before {
			try = 1 // it gets on
		}
		if try >= s.Tries {
			return s.unreachable(s.address(r, commit, f), err, try)
		}
		if err := s.pause(ctx, backoff(try)); err != nil {
			return err
		}
		try++
	}
	return nil
}

func (s *session) notify(p Progress) {
	if s.Notify != nil {
		s.Notify(p)
	}
}

func (s *session) address(r repo, commit string, f File) string {
	parts := strings.Split(f.Path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return s.endpoint() + r.page() + "/resolve/" + commit + "/" + strings.Join(parts, "/")
}

// receive makes one request for what is missing. Errors that another try may mend are
// of no type of ours.
func (s *session) receive(ctx context.Context, r repo, commit string, f File, part *part) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	header := http.Header{}
	if part.size > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", part.size))
	}
	res, meta, err := s.get(ctx, s.address(r, commit, f), header)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return errors.Join(part.restart(), errors.New("it does not have the part that was asked for"))
	case res.StatusCode == http.StatusPartialContent && !startsAt(res.Header.Get("Content-Range"), part.size, f.Size):
		return errors.Join(part.restart(), errors.New("it sends another part than was asked for"))
	case res.StatusCode == http.StatusOK:
		if err := part.restart(); err != nil { // it does not know Range
			return err
		}
	case res.StatusCode != http.StatusPartialContent:
		return s.refused(ctx, r, res)
	}
	if err := announced(r, commit, f, meta, res); err != nil {
		return err
	}
	body := s.watched(cancel, res.Body)
	_, err = io.Copy(io.MultiWriter(part, &meter{s, r, f, part.size}), io.LimitReader(body, f.Size-part.size+1))
	switch {
	case context.Cause(ctx) == errSilent:
		return errSilent
	case err != nil:
		return err
	case part.size > f.Size:
		os.Remove(part.file.Name())
		return failed(ErrCorrupt, "%s of %s has more than the %d bytes that were announced", f.Path, r, f.Size)
	case part.size < f.Size:
		return fmt.Errorf("it ended after %d of %d bytes", part.size, f.Size)
	}
	return nil
}

// announced holds what the hub says of a file it sends against its list of files. The
// bytes are held against it in any case; this only tells earlier.
func announced(r repo, commit string, f File, meta http.Header, res *http.Response) error {
	if c := meta.Get("X-Repo-Commit"); c != "" && c != commit {
		return failed(ErrCorrupt, "%s of %s comes from another commit than was asked for", f.Path, r)
	}
	tag := etag(meta.Get("X-Linked-Etag"))
	if tag == "" && !f.LFS {
		tag = etag(res.Header.Get("ETag"))
	}
	if (commitHash.MatchString(tag) || sha256Hash.MatchString(tag)) && tag != f.Digest {
		return failed(ErrCorrupt, "%s of %s is announced with two digests", f.Path, r).hint("the hub, or what stands before it, is not in order; try again")
	}
	size := meta.Get("X-Linked-Size")
	if size == "" && res.StatusCode == http.StatusOK && res.ContentLength >= 0 {
		size = strconv.FormatInt(res.ContentLength, 10)
	}
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n != f.Size {
		return failed(ErrCorrupt, "%s of %s is announced with %d bytes, and with %d", f.Path, r, f.Size, n)
	}
	return nil
}

// etag takes the marks off a header ETag.
func etag(value string) string {
	return strings.Trim(strings.TrimPrefix(value, "W/"), `"`)
}

// startsAt reports whether a Content-Range is that of the part that was asked for.
func startsAt(value string, at, size int64) bool {
	return strings.HasPrefix(value, fmt.Sprintf("bytes %d-", at)) && (strings.HasSuffix(value, "/"+strconv.FormatInt(size, 10)) || strings.HasSuffix(value, "/*"))
}

// unwritable says that the cache can't take a file.
func (s *session) unwritable(r repo, f File, err error) error {
	e := fmt.Errorf("keep %s of %s in the Hugging Face cache: %w", f.Path, r, err)
	switch {
	case errno.Is(err, syscall.ENOSPC, syscall.EDQUOT):
		return fmt.Errorf("%w; it needs %d bytes there: make room, or name another folder with HF_HUB_CACHE", e, f.Size)
	case errors.Is(err, os.ErrPermission), errno.Is(err, syscall.EROFS):
		return fmt.Errorf("%w; name a folder that you may write to with HF_HUB_CACHE", e)
	}
	return e
}

// part is a file that is not whole yet, with the digest of what there is.
type part struct {
	file *os.File
	sum  hash.Hash
	size int64
	want File
}

// openPart opens what an earlier try left, or nothing.
func openPart(path string, f File) (*part, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	p := &part{file: file, want: f}
	p.sum = p.newSum()
	if p.size, err = io.Copy(p.sum, io.LimitReader(file, f.Size+1)); err == nil && (p.size > f.Size || p.size == f.Size && p.digest() != f.Digest) {
		err = p.restart()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

// newSum begins the digest: SHA-256 of the bytes, or Git's SHA-1, which counts them first.
func (p *part) newSum() hash.Hash {
	if p.want.LFS {
		return sha256.New()
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", p.want.Size)
	return h
}

func (p *part) digest() string { return hex.EncodeToString(p.sum.Sum(nil)) }

func (p *part) restart() error {
	if p.size == 0 {
		return nil
	}
	p.sum, p.size = p.newSum(), 0
	_, err := p.file.Seek(0, io.SeekStart)
	return errors.Join(err, p.file.Truncate(0))
}

// Write implements io.Writer.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.sum.Write(b[:n])
	p.size += int64(n)
	return n, err
}

// meter tells how far a file is.
type meter struct {
	s    *session
	r    repo
	f    File
	done int64
}

// Write implements io.Writer.
func (m *meter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	m.s.notify(Progress{m.r.name, m.f.Path, m.done, m.f.Size, false})
	return len(b), nil
}
