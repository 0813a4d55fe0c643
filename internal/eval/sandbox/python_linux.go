//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed facts.py
var factsProgram string

// facts are what a Python says of itself.
type facts struct {
	Version    []int    `json:"version"`
	Name       string   `json:"name"`
	Executable string   `json:"executable"`
	Virtual    bool     `json:"virtual"` // it is of a virtual environment, which it finds by its path
	Settings   string   `json:"settings"`
	Paths      []string `json:"paths"`
	Libraries  []string `json:"libraries"`
}

// python is an interpreter, and what of the machine's files it needs.
type python struct {
	path    string // in the sandbox
	version string
	mounts  []mount
}

// systemFolders hold the libraries that Python and its modules are linked with.
var systemFolders = []string{"/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32"}

const askTime = 20 * time.Second

// findPython asks an interpreter where it lies.
func findPython(ctx context.Context, name string) (*python, error) {
	if name == "" {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("no %s is found to run programs with: install Python, or name one with the variable INFEROMETER_CODE_PYTHON", name)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	command := exec.CommandContext(ctx, path, "-I", "-c", factsProgram)
	command.WaitDelay = time.Second
	var f facts
	b, err := command.Output()
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not say where it lies (%w): is it Python 3? the variable INFEROMETER_CODE_PYTHON names another", path, err)
	}
	if len(f.Version) != 3 || f.Version[0] != 3 || f.Version[1] < 8 || !filepath.IsAbs(f.Executable) {
		return nil, fmt.Errorf("%s is no Python 3.8 or newer: the variable INFEROMETER_CODE_PYTHON names another", path)
	}
	return f.python()
}

// python lists what is mounted: libraries of the system, Python's own modules, three devices.
func (f *facts) python() (*python, error) {
	p := &python{version: fmt.Sprintf("%d.%d.%d", f.Version[0], f.Version[1], f.Version[2])}
	for _, folder := range systemFolders {
		if err := p.addSystem(folder); err != nil {
			return nil, err
		}
	}
	real, err := filepath.EvalSymlinks(f.Executable)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(real, "/nix/store/") {
		p.add("/nix/store", "/nix/store")
	}
	for _, path := range slices.Concat(f.Libraries, f.Paths) {
		if err := p.addBoth(path); err != nil {
			return nil, err
		}
	}
	p.add(real, real)
	p.path = real
	if f.Virtual {
		if f.Settings != "" {
			if err := p.addBoth(f.Settings); err != nil {
				return nil, err
			}
		}
		p.add(real, f.Executable)
		p.path = f.Executable
	}
	caches, _ := filepath.Glob("/etc/ld-musl-*.path") // the pattern is right
	for _, file := range append(caches, "/etc/ld.so.cache") {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			p.add(file, file)
		}
	}
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/urandom"} {
		p.mounts = append(p.mounts, mount{Source: device, Target: device, Device: true})
	}
	return p, nil
}

func (p *python) addSystem(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(folder)
		if err == nil {
			p.mounts = append(p.mounts, mount{Target: folder, Link: link})
		}
		return err
	}
	p.add(folder, folder)
	return nil
}

// addBoth mounts a path under its own name and, where symbolic links lead to it, as it is
// known, too: Python looks for its modules by the first and for what lies beside by the other.
func (p *python) addBoth(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if home, err := os.UserHomeDir(); real == "/" || err == nil && (real == home || strings.HasPrefix(home, real+"/")) {
		return fmt.Errorf("this Python has modules or libraries in %s itself, and a program must not see all of that: name another with the variable INFEROMETER_CODE_PYTHON", real)
	}
	p.add(real, real)
	if known := filepath.Clean(path); known != real && !p.linked(known) {
		p.add(real, known)
	}
	return nil
}

// linked says that a path begins with a symbolic link that the sandbox has, too.
func (p *python) linked(path string) bool {
	return slices.ContainsFunc(p.mounts, func(m mount) bool { return m.Link != "" && strings.HasPrefix(path, m.Target+"/") })
}

// add mounts a path, unless it lies in a folder that is there already.
func (p *python) add(source, target string) {
	for _, m := range p.mounts {
		if m.Link == "" && (m.Target == target || strings.HasPrefix(target, m.Target+"/")) {
			return
		}
	}
	p.mounts = append(p.mounts, mount{Source: source, Target: target})
}
