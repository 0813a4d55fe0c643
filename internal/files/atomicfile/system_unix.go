//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"syscall"
)

// ours are the names of this process's own descriptors.
var ours = regexp.MustCompile(`^(?:/dev/fd|/proc/self/fd|/proc/thread-self/fd)/([0-9]{1,6})$`)

// descriptor is the descriptor of ours that a path names; -1: none.
func descriptor(path string) int {
	m := ours.FindStringSubmatch(path)
	if m == nil {
		return -1
	}
	fd, _ := strconv.Atoi(m[1]) // six digits
	return fd
}

// writeDescriptor writes to a descriptor that is open already, and leaves it open.
func writeDescriptor(fd int, name string, write func(io.Writer) error) error {
	own, err := syscall.Dup(fd)
	if err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	syscall.CloseOnExec(own)
	f := os.NewFile(uintptr(own), name)
	return errors.Join(write(f), f.Close())
}

func replace(from, to string) error { return os.Rename(from, to) }
