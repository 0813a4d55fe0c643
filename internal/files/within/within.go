// Package within holds the files that somebody else's file names to some folders: no path,
// and no link in one, leads out of them.
package within

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Folders are where such files may lie.
type Folders struct {
	Base    string   // what is hidden in it (.ssh, .env) is left alone; empty: there is none
	Allowed []string // that the user named; all that is in them may be read
}

// Flag is by what the user allows a further folder.
const Flag = "allow-read"

// OutsideError says that a file lies elsewhere.
type OutsideError struct{ Name, Base string }

func (e *OutsideError) Error() string {
	if e.Base == "" {
		return fmt.Sprintf("%s lies in no folder that may be read", outside.Word(e.Name))
	}
	return fmt.Sprintf("%s lies outside of the folder %s, or is hidden in it, or is a link that leads out of it: it is read only with --%s DIR", outside.Word(e.Name), outside.Word(e.Base), Flag)
}

// mostEntries bounds how much of a folder is looked at.
const mostEntries = 1_000_000

// Find is where a file or folder lies, with all links followed. What lies elsewhere is an
// *OutsideError. Of a folder all that is in it is looked at too.
func (f *Folders) Find(name string) (string, error) {
	real, err := f.find(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", err
	case info.Mode().IsRegular():
		return real, nil
	case !info.IsDir(): // one without an end, or without a writer
		return "", fmt.Errorf("%s is neither a file nor a folder", outside.Word(name))
	}
	left := mostEntries
	return real, filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fmt.Errorf("%s holds more than %d files", outside.Word(name), mostEntries)
		}
		if err != nil || d.Type()&fs.ModeSymlink == 0 {
			return err
		}
		_, err = f.find(path)
		if os.IsNotExist(err) {
			return nil // it leads nowhere
		}
		return err
	})
}

func (f *Folders) find(name string) (string, error) {
	real, err := Real(name)
	if err != nil {
		return "", err
	}
	if f.Base != "" {
		if inside, ok := below(f.Base, real); ok && !Hidden(inside) {
			return real, nil
		}
	}
	for _, folder := range f.Allowed {
		if _, ok := below(folder, real); ok {
			return real, nil
		}
	}
	return "", &OutsideError{name, f.Base}
}

// below is the path of a file from a folder that holds it.
func below(folder, real string) (string, bool) {
	base, err := Real(folder)
	if err != nil {
		return "", false
	}
	inside, err := filepath.Rel(base, real)
	return inside, err == nil && filepath.IsLocal(inside)
}

// Hidden says that a part of a path begins with a dot: settings, keys and the like.
func Hidden(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}

// Real is a whole path with all links followed, as the kernel follows them: the .. of a link is
// beside where that leads, so that nothing may be cleaned away before.
func Real(name string) (string, error) {
	if !filepath.IsAbs(name) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		name = here + string(filepath.Separator) + name
	}
	return filepath.EvalSymlinks(name)
}
