package repo

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Nothing in the program calls a method by its name: the linker would keep every exported one, 5 MB of them.
func TestNoMethodsByName(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/inferometer").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"text/template", "html/template"} {
		if slices.Contains(strings.Fields(string(out)), name) {
			t.Errorf("the program imports %s: internal/show/markup writes pages without it", name)
		}
	}
}
