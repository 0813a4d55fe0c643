//go:build unix

package machine

import (
	"fmt"
	"syscall"
)

// OpenFileLimit is how many files this process may have open: now, and after it has asked for more.
func OpenFileLimit() (soft, hard uint64, err error) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, 0, fmt.Errorf("getrlimit: %w", err)
	}
	return uint64(l.Cur), uint64(l.Max), nil
}
