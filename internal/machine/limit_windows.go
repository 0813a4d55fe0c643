package machine

import "errors"

// OpenFileLimit is an error: Windows has no such limit but its memory.
func OpenFileLimit() (soft, hard uint64, err error) {
	return 0, 0, errors.New("windows has no limit of open files for a process")
}
