package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSync: what was written is on the disk before it has its name. The kernel tells how many pages of a file
// are not; a plain write shows whether it tells so on this file system.
func TestSync(t *testing.T) {
	content := bytes.Repeat([]byte("x"), 1<<20)
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := unwritten(plain); err != nil || n == 0 {
		t.Skipf("the kernel does not tell what of a file is on the disk: %d pages, %v", n, err)
	}
	ours := filepath.Join(t.TempDir(), "ours")
	if err := WriteBytes(ours, content); err != nil {
		t.Fatal(err)
	}
	if n, err := unwritten(ours); err != nil || n != 0 {
		t.Errorf("%d pages are not on the disk, %v", n, err)
	}
}

// unwritten counts the pages of a file that are in memory only.
func unwritten(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var s unix.Cachestat_t
	err = unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &s, 0)
	return s.Dirty + s.Writeback, err
}
