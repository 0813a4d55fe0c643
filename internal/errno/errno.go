// Package errno knows errors of the system by their names of Unix. Windows has other
// numbers for them, and Go's own errors.Is does not join the two.
package errno

import (
	"errors"
	"slices"
	"syscall"
)

// Is tells whether an error is one of these.
func Is(err error, of ...syscall.Errno) bool {
	return slices.ContainsFunc(of, func(e syscall.Errno) bool {
		return errors.Is(err, e) || slices.ContainsFunc(foreign[e], func(f syscall.Errno) bool { return errors.Is(err, f) })
	})
}
