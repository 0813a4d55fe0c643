//go:build unix

package scenario

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps two runs out of one folder. The kernel gives it up when we end.
func (f Folder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(f.Path, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of results: %w", err)
	}
	file, err := os.OpenFile(f.file(lockFile), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of results: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("another run is at work in %s; wait for it, or give another folder with --out", f.Path)
	}
	return func() { file.Close() }, nil
}
