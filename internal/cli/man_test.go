package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestManPages(t *testing.T) {
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	for _, dir := range dirs {
		if code := Main(t.Context(), []string{"man", "-o", dir}, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
			t.Fatalf("exit code %d", code)
		}
	}
	pages, err := filepath.Glob(filepath.Join(dirs[0], "*.1"))
	if err != nil || len(pages) != len(described())+1 {
		t.Fatalf("%d pages of %d commands, %v", len(pages), len(described()), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(filepath.Join(dirs[1], filepath.Base(page)))
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s is another one the second time: %v", filepath.Base(page), err)
		}
		if bytes.Contains(text, []byte("--")) {
			t.Errorf("%s has a hyphen that is none when it is searched for", filepath.Base(page))
		}
	}
	t.Run("mandoc", func(t *testing.T) {
		lint(t, "mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...), "missing date")
	})
	t.Run("groff", func(t *testing.T) {
		lint(t, "groff", append([]string{"-ww", "-man", "-Tutf8", "-z"}, pages...))
	})
	t.Run("rendered", func(t *testing.T) {
		out, err := exec.Command(needs(t, "mandoc"), "-T", "ascii", filepath.Join(dirs[0], "inferometer-bench-serve.1")).Output()
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.ReplaceAll(string(out), "_\b", "")
		for _, want := range []string{"NAME", "SYNOPSIS", "EXAMPLES", "OPTIONS", "REFUSED", "SEE ALSO", "p99_ttft"} {
			if !strings.Contains(overstruck(plain), want) {
				t.Errorf("the page has no %s", want)
			}
		}
	})
}

// overstruck takes bold letters, x BACKSPACE x, for themselves.
func overstruck(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if i+1 < len(text) && text[i+1] == '\b' {
			i++
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// lint runs a program over pages: what it says is wrong, but for lines that hold one of these.
func lint(t *testing.T, program string, args []string, but ...string) {
	t.Helper()
	out, _ := exec.Command(needs(t, program), args...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		known := false
		for _, b := range but {
			known = known || strings.Contains(line, b)
		}
		if !known {
			t.Errorf("%s: %s", program, line)
		}
	}
}
