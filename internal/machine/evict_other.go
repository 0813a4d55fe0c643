//go:build !linux

package machine

import "errors"

// Evict is for Linux: elsewhere nobody can take a single file out of the page cache.
func Evict(string) (int64, error) {
	return 0, errors.New("only Linux can take a file out of the page cache")
}
