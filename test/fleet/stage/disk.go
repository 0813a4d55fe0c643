//go:build linux

package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Disk is a small file system of its own, which can be filled.
type Disk struct{ path string }

// Disk mounts one at a folder, until the stage closes.
func (s *Stage) Disk(path string, bytes int) (*Disk, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NODEV|unix.MS_NOSUID, fmt.Sprintf("size=%d,mode=0700", bytes)); err != nil {
		return nil, fmt.Errorf("%w: mount a file system: %w", ErrNoNetwork, err)
	}
	s.closing = append(s.closing, func() { _ = unix.Unmount(path, unix.MNT_DETACH) }) // what is open in it may end later
	return &Disk{path}, nil
}

func (d *Disk) ballast() string { return filepath.Join(d.path, "ballast") }

// Fill takes all space that is left.
func (d *Disk) Fill() error {
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	page := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = f.Write(page)
	}
	if errors.Is(err, unix.ENOSPC) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Free gives the space back.
func (d *Disk) Free() error {
	if err := os.Remove(d.ballast()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
