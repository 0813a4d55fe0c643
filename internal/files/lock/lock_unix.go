//go:build unix

package lock

import (
	"errors"
	"os"
	"syscall"
)

// Take locks an open file until it is closed. It does not wait.
func Take(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		}
		return err
	}
}

// Folder locks a folder itself, without a file in it. It does not wait. Some network
// file systems can't: the error is another one than ErrHeld then.
func Folder(path string) (unlock func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := Take(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
