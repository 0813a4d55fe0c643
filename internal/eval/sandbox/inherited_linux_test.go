package sandbox

import "golang.org/x/sys/unix"

func openInherited(path string) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
}

func closeInherited(fd int) { _ = unix.Close(fd) }
