//go:build unix

package target

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock keeps two of us out of one folder: the second would take the first one's
// servers for some that were left behind. name is the lock's file in it. The kernel
// gives it up when we end.
func Lock(folder, name string) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of results: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of results: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("another run is at work in %s; wait for it, or give another folder", folder)
	}
	return func() { file.Close() }, nil
}
