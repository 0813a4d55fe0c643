package task

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Names are the built-in tasks.
func Names() []string {
	entries, err := fs.ReadDir(builtin, "builtin")
	if err != nil { // they are in the program
		panic(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// About is what a built-in task asks, in one sentence: the first of its file.
func About(name string) string {
	b, err := builtin.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		return ""
	}
	var words []string
	for line := range strings.Lines(string(b)) {
		text, comment := strings.CutPrefix(line, "#")
		if !comment {
			break
		}
		words = append(words, strings.Fields(text)...)
	}
	first, _, _ := strings.Cut(strings.Join(words, " "), ". ")
	return strings.TrimSuffix(first, ".")
}

// Load reads a built-in task by its name, or a file. What that names is read where it lies in
// the file's own folder, or in one that the user allowed: the file may be somebody else's.
func Load(nameOrFile string, allowed ...string) (*Task, error) {
	if contains(Names(), nameOrFile) {
		b, err := builtin.ReadFile("builtin/" + nameOrFile + ".yaml")
		if err != nil {
			return nil, err
		}
		t, err := parse(b)
		if err == nil {
			t.reads = newReads("", nil)
		}
		return t, err
	}
	from, err := readTree(nameOrFile)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(nameOrFile, `./\`) {
		hint := "built in are " + strings.Join(Names(), ", ")
		if near := usage.Nearest(nameOrFile, Names()); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, fmt.Errorf("there is no task %s, and no file of this name: %s", outside.Sentence(clipped(nameOrFile)), hint)
	}
	if err != nil {
		return nil, named(nameOrFile, err)
	}
	folder := filepath.Dir(nameOrFile)
	t := &Task{folder: folder, reads: newReads(folder, allowed)}
	t.reads.note(nameOrFile)
	if err := t.from(from); err != nil {
		return nil, named(nameOrFile, err)
	}
	return t, nil
}

// parse reads the text of a task.
func parse(b []byte) (*Task, error) {
	from, err := parseTree(b)
	if err != nil {
		return nil, err
	}
	t := &Task{}
	return t, t.from(from)
}

func (t *Task) from(from *tree) error {
	if isLMEval(from) {
		return readLMEval(from, t)
	}
	return readOwn(from, t)
}

func named(file string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
