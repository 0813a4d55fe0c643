// Package atomicfile writes files whole or not at all: who reads one never sees a part of
// it, and what was there stays until the new one is complete and on the disk. What is
// no regular file (a device, a pipe, our own standard output) is written through, and a
// link stays a link.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
	old, err := os.Stat(last)
	switch {
	case err == nil && !old.Mode().IsRegular():
		f, err := os.OpenFile(last, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return writeBeside(last, old, write)
}

// writeBeside writes a new file beside the last one, and puts it in its place when it is whole
// and on the disk: after a crash the name could else be that of an empty file. old is nil if
// there is none.
func writeBeside(last string, old fs.FileInfo, write func(io.Writer) error) error {
	folder, name := filepath.Split(last)
	f, err := os.OpenFile(filepath.Join(folder, "."+name+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = replace(f.Name(), last)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// WriteBytes replaces a file by these bytes.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// maxLinks is how many links are followed, as Linux has it.
const maxLinks = 40

// follow follows links to what they name at last, which need not exist. fd is the
// descriptor of ours that it is, else -1: /dev/stdout leads there, and who replaced or
// opened anew the file behind it would write beside what is printed.
func follow(path string) (last string, fd int, err error) {
	for range maxLinks {
		if fd := descriptor(path); fd >= 0 {
			return path, fd, nil
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
