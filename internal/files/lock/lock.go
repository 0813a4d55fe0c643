//go:build unix

// Package lock says that somebody is at work on a file or folder. The kernel gives
// a lock up when its process ends, however it ends, so none is ever stale.
package lock

import (
	"errors"
	"os"
	"syscall"
)

// ErrHeld says that another process, or another part of this one, has the lock.
var ErrHeld = errors.New("locked by another")

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
