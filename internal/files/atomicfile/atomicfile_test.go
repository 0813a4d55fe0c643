package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWhole: a write that fails in the middle leaves the old file, and nothing beside it.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "ne")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	b, err := os.ReadFile(path)
	files, _ := os.ReadDir(dir)
	if string(b) != "old" || err != nil || len(files) != 1 {
		t.Errorf("%q, %v, %d files", b, err, len(files))
	}
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "new" {
		t.Errorf("%q", b)
	}
}

// TestWriteThrough: what is no regular file is not replaced by one.
func TestWriteThrough(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(fifo)
		got <- fmt.Sprint(string(b), err)
	}()
	if err := WriteBytes(fifo, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through<nil>" {
		t.Errorf("the pipe gave %s", s)
	}
	if err := WriteBytes("/dev/null", []byte("x")); err != nil {
		t.Error(err)
	}
	for path, kind := range map[string]os.FileMode{fifo: os.ModeNamedPipe, "/dev/null": os.ModeCharDevice} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&kind == 0 {
			t.Fatalf("%s was replaced: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestLinks: a link stays one, also where it names what is not there yet.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	real, link, second := filepath.Join(dir, "sub", "real"), filepath.Join(dir, "link"), filepath.Join(dir, "second")
	if err := errors.Join(os.Mkdir(filepath.Dir(real), 0o755), os.Symlink("sub/real", link), os.Symlink(link, second)); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"one", "two"} {
		if err := WriteBytes(second, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(real); err != nil || string(b) != content {
			t.Errorf("%q, %v", b, err)
		}
		for _, l := range []string{link, second} {
			if _, err := os.Readlink(l); err != nil {
				t.Errorf("%s is no link any more", l)
			}
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(loop, nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a loop: %v", err)
	}
}

// TestOwnDescriptor: behind our own output stands a file here, whose part that is
// printed already must stay, and which must not be replaced.
func TestOwnDescriptor(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no /dev/fd here")
	}
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, "before ")
	link := path + ".link"
	if err := os.Symlink(fmt.Sprintf("/dev/fd/%d", f.Fd()), link); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(link, []byte("result")); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, " after")
	if b, err := os.ReadFile(path); err != nil || string(b) != "before result after" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestPermissions: a private umask holds, and what a file was given by hand stays.
func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(dir, "new")
	mode := func() os.FileMode {
		t.Helper()
		if err := WriteBytes(path, nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if m := mode(); m != 0o600 {
		t.Errorf("with umask 077: %o", m)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if m := mode(); m != 0o640 {
		t.Errorf("an old file: %o", m)
	}
}
