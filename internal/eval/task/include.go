package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/outside"
)

// maxIncludes bounds the files that a task of lm-eval's is made of.
const maxIncludes = 20

// included merges the files that a task includes: keys of the file itself win.
func included(from *tree, folder string, reads *reads, seen map[string]bool) (*tree, error) {
	include := from.get("include")
	if include == nil {
		return from, nil
	}
	names := []*tree{include}
	if include.kind == list {
		names = include.items
	}
	merged := &tree{kind: mapping, line: from.line}
	for _, n := range names {
		if n.kind != scalar || n.text == "" || filepath.IsAbs(n.text) {
			return nil, fmt.Errorf("line %d: include must be a path relative to the file", n.line)
		}
		file := filepath.Join(folder, filepath.FromSlash(n.text))
		if seen[file] || len(seen) >= maxIncludes {
			return nil, fmt.Errorf("line %d: the file %s is included twice, or there are more than %d", n.line, outside.Sentence(clipped(n.text)), maxIncludes)
		}
		seen[file] = true
		real, err := reads.find(file)
		if err != nil {
			return nil, fmt.Errorf("line %d: include %s: %w", n.line, outside.Sentence(clipped(n.text)), plainError(err))
		}
		if info, err := os.Stat(real); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("line %d: include %s is no file", n.line, outside.Sentence(clipped(n.text)))
		}
		reads.note(real)
		t, err := readTree(real)
		if err == nil {
			t, err = included(t, filepath.Dir(file), reads, seen)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: include %s: %w", n.line, outside.Sentence(clipped(n.text)), plainError(err))
		}
		merged.update(t)
	}
	merged.update(from)
	return merged, nil
}

// update takes over the keys of another mapping.
func (t *tree) update(o *tree) {
	for i, name := range o.names {
		if name == "include" || name == "task_list" {
			continue
		}
		t.set(name, o.items[i])
	}
}

// plainError is an error without the path, which the sentence around it has already.
func plainError(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
