package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Evict takes the pages of a file, or of all files below a folder, out of the kernel's page cache, so that they are read
// from the disk again. It gives how many bytes they have. Pages that a process has mapped stay.
func Evict(path string) (bytes int64, err error) {
	files := 0
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return err
		}
		n, err := evict(name)
		bytes += n
		files++
		return err
	})
	if err == nil && files == 0 {
		err = errors.New("there is no file in it")
	}
	if err != nil {
		return bytes, fmt.Errorf("take %s out of the page cache: %w", path, err)
	}
	return bytes, nil
}

func evict(name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	_ = f.Sync() // dirty pages would stay; a file system that can't is none to wait for
	return info.Size(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
