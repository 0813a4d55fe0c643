// Package atomicfile writes files whole or not at all: who reads one never sees a part of
// it, and what was there stays until the new one is complete and on the disk. What is
// no regular file (a device, a pipe, our own standard output) is written through, and a
// link stays a link.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/google/renameio/v2"
)

// Write replaces a file by what write gives. A new file has the permissions that the
// user's umask leaves, an old one keeps its own.
func Write(path string, write func(io.Writer) error) error {
	last, fd, err := follow(path)
	if err != nil {
		return err
	}
	if fd >= 0 {
		return writeDescriptor(fd, last, write)
	}
	if info, err := os.Stat(last); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(last, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := renameio.NewPendingFile(last, renameio.WithTempDir(filepath.Dir(last)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // nothing is left of it after the rename
	if err := write(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// WriteBytes replaces a file by these bytes.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// ours are the names of this process's own descriptors.
var ours = regexp.MustCompile(`^(?:/dev/fd|/proc/self/fd|/proc/thread-self/fd)/([0-9]{1,6})$`)

// maxLinks is how many links are followed, as Linux has it.
const maxLinks = 40

// follow follows links to what they name at last, which need not exist. fd is the
// descriptor of ours that it is, else -1: /dev/stdout leads there, and who replaced or
// opened anew the file behind it would write beside what is printed.
func follow(path string) (last string, fd int, err error) {
	for range maxLinks {
		if m := ours.FindStringSubmatch(path); m != nil {
			fd, err := strconv.Atoi(m[1])
			return path, fd, err
		}
		to, err := os.Readlink(path)
		if err != nil { // no link, or nothing there
			return path, -1, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", -1, &os.PathError{Op: "write", Path: path, Err: syscall.ELOOP}
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
