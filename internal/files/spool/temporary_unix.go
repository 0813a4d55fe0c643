//go:build unix

package spool

import (
	"os"

	"golang.org/x/sys/unix"
)

const byVariable = "TMPDIR=/path/to/folder"

// createNameless makes a file that has no name any more.
func createNameless(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, "inferometer-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// disk tells the size of the disk that a file lies on, and how much of it we may use, in bytes.
func disk(f *os.File) (size, free uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:unconvert // its type is another one on macOS
	return block * s.Blocks, block * s.Bavail, nil
}
