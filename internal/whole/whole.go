// Package whole writes files whole or not at all: who reads one never sees a part of
// it, and what was there stays until the new one is complete.
package whole

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write replaces a file by what write gives.
func Write(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after the rename it is gone already
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteBytes replaces a file by these bytes.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
