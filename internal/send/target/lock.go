package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/lock"
)

// Lock keeps two of us out of one folder: the second would take the first one's
// servers for some that were left behind. name is the lock's file in it. The kernel
// gives it up when we end.
func Lock(folder, name string) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder of results: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of results: %w", err)
	}
	if err := lock.Take(file); err != nil {
		file.Close()
		if errors.Is(err, lock.ErrHeld) {
			return nil, fmt.Errorf("another run is at work in %s; wait for it, or give another folder", folder)
		}
		return nil, fmt.Errorf("lock the folder of results: %w", err)
	}
	return func() { file.Close() }, nil
}
