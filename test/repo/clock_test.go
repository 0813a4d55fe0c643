package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMeasuredByTheClock: what measures asks package clock for the time. On Windows that of package time moves in
// steps which are longer than what is measured. Files for Linux alone may ask either.
func TestMeasuredByTheClock(t *testing.T) {
	t.Parallel()
	coarse, read := regexp.MustCompile(`\btime\.(Now|Since)\b`), 0
	for _, room := range []string{"internal/send/wire", "internal/send/load", "internal/sim", "internal/record"} {
		err := filepath.WalkDir(room, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_linux.go") {
				return err
			}
			read++
			b, err := os.ReadFile(path)
			if found := coarse.Find(b); found != nil {
				t.Errorf("%s: %s is coarse on Windows; use package clock", path, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 50 {
		t.Errorf("only %d files were read", read)
	}
}
