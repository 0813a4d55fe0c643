package within

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	for name, content := range map[string]string{
		"base/a.jsonl": "a", "base/sub/b.jsonl": "b", "base/.env": "key", "base/.ssh/id": "key", "secret/c.jsonl": "c", "base-else/d.jsonl": "d", "base/linked/e.jsonl": "e",
	} {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"base/inner": "sub", "base/out": "../secret", "base/file": filepath.Join(top, "secret", "c.jsonl"), "base/linked/x.jsonl": "../../secret/c.jsonl",
		"base/chain": "out", "base/hid": ".env", "base/nowhere": "/no/such/file", "base/whole": filepath.Join(top, "base", "a.jsonl"),
	} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(top, "base", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	const fine, refused, absent = "fine", "refused", "absent"
	for _, c := range []struct{ name, allowed, want string }{
		{"base/a.jsonl", "", fine},
		{"base/sub", "", fine},
		{"base/inner/b.jsonl", "", fine},
		{"base/whole", "", fine},
		{"base/../base/a.jsonl", "", fine},
		{"base/../secret/c.jsonl", "", refused},
		{"secret/c.jsonl", "", refused},
		{"base/out/../secret/c.jsonl", "", refused}, // .. of a link is beside where it leads
		{"base/out/../base/a.jsonl", "", fine},
		{"base-else/d.jsonl", "", refused},
		{"base/out/c.jsonl", "", refused},
		{"base/chain/c.jsonl", "", refused},
		{"base/file", "", refused},
		{"base/linked", "", refused}, // a link in it leads out
		{"base/.env", "", refused},
		{"base/hid", "", refused},
		{"base/.ssh/id", "", refused},
		{"base/nowhere", "", absent},
		{"base/pipe", "", "no file"},
		{"base/none", "", absent},
		{"secret/c.jsonl", "secret", fine},
		{"base/file", "secret", fine},
		{"base/linked", "secret", fine},
		{"base/.env", "base", fine},
		{"base-else/d.jsonl", "secret", refused},
	} {
		f := Folders{Base: filepath.Join(top, "base")}
		if c.allowed != "" {
			f.Allowed = []string{filepath.Join(top, c.allowed)}
		}
		got := fine
		_, err := f.Find(top + "/" + c.name) // as it is named, not cleaned
		var out *OutsideError
		switch {
		case errors.As(err, &out):
			got = refused
		case errors.Is(err, os.ErrNotExist):
			got = absent
		case err != nil && strings.Contains(err.Error(), "is neither a file nor a folder"):
			got = "no file"
		case err != nil:
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s with %q allowed: %s (%v), not %s", c.name, c.allowed, got, err, c.want)
		}
	}
}
