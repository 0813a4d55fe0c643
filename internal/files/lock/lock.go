// Package lock says that somebody is at work on a file or folder. The kernel gives
// a lock up when its process ends, however it ends, so none is ever stale.
package lock

import "errors"

// ErrHeld says that another process, or another part of this one, has the lock.
var ErrHeld = errors.New("locked by another")
