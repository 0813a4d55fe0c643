// Package machine is the one reader of what the kernel tells about this machine and its processes: /proc,
// /sys and control groups. The parsers of /proc are those of prometheus/procfs; what it has no reader for
// (the files of control groups, vmstat, the boot's id) is read here.
//
// What can't be read is an error that says why, never a zero. Only Linux has these files: elsewhere each
// method says so.
package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// Machine is a view of the kernel's files.
type Machine struct {
	root string
	os   string
	proc procfs.FS
	err  error // why there is no proc
}

// This is the machine that the program runs on.
func This() *Machine { return At("/", runtime.GOOS) }

// At is a machine whose files lie below a folder, for tests.
func At(root, system string) *Machine {
	m := &Machine{root: root, os: system, err: fs.ErrNotExist}
	if system == "linux" {
		m.proc, m.err = procfs.NewFS(filepath.Join(root, "proc"))
	}
	return m
}

// ErrFormat says that a file could be read, but not understood.
var ErrFormat = errors.New("it has a form that is not known here")

// Read reads a file, named by its path without the first slash.
func (m *Machine) Read(name string) ([]byte, error) {
	if m.os != "linux" {
		return nil, m.explain(name, fs.ErrNotExist)
	}
	b, err := os.ReadFile(filepath.Join(m.root, name))
	return b, m.explain(name, err)
}

// Path is where a file of that name lies.
func (m *Machine) Path(name string) string { return filepath.Join(m.root, name) }

// Int reads a file that holds one number.
func (m *Machine) Int(name string) (int64, error) {
	b, err := m.Read(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, malformed(name)
	}
	return n, nil
}

// Line reads the first line of a file.
func (m *Machine) Line(name string) (string, error) {
	b, err := m.Read(name)
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line), err
}

// Glob lists the files that match a pattern, by the same paths as Read takes.
func (m *Machine) Glob(pattern string) []string {
	if m.os != "linux" {
		return nil
	}
	names, _ := fs.Glob(os.DirFS(m.root), pattern) // the patterns are ours
	return names
}

// explain says in a user's words why a file was not read.
func (m *Machine) explain(name string, err error) error {
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case m.os != "linux":
		return fmt.Errorf("%s does not tell: this is read from Linux's /%s", m.os, name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no /%s here: %w", name, fs.ErrNotExist)
	case errors.As(err, &path):
		return fmt.Errorf("/%s can't be read: %w", name, path.Err)
	}
	return malformed(name)
}

func malformed(name string) error { return fmt.Errorf("/%s: %w", name, ErrFormat) }

// read calls a reader of procfs for the file of that name below /proc. Some of its parsers panic on a file that
// is cut short (FuzzFiles found it), which no measurement is to end by.
func read[T any](m *Machine, name string, from func() (T, error)) (v T, err error) {
	defer func() {
		if recover() != nil {
			err = malformed("proc/" + name)
		}
	}()
	if err = m.err; err == nil {
		v, err = from()
	}
	return v, m.explain("proc/"+name, err)
}

// named reads lines of a name and a number, as in vmstat and cpu.stat. Other lines are skipped.
func named(b []byte) map[string]int64 {
	values := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			values[fields[0]] = n
		}
	}
	return values
}
