// Package aiperf holds what the real AIPerf makes of recorded jobs against what we make of them. README.md says
// what its files are; `make test-aiperf` gets AIPerf (about 1 GB) and asks it again.
package aiperf

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

const how = "make test-aiperf"

// AIPerf's loader still says what the kept files say.
func TestRealFacts(t *testing.T) {
	program := realserver.Lines(t, "INFEROMETER_AIPERF", 1, how)[0]
	made, err := filepath.Glob(filepath.Join("testdata", "traces", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := filepath.Glob(filepath.Join("..", "..", "testdata", "traces", "weka", "*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join("testdata", "facts")
	folder := t.TempDir()
	if *update {
		folder = kept
	}
	args := append([]string{"facts.py", folder}, append(made, recorded...)...)
	out, err := exec.Command(filepath.Join(filepath.Dir(program), "python"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(made)+len(recorded) {
		t.Errorf("%d files of facts for %d traces", len(files), len(made)+len(recorded))
	}
	for _, f := range files {
		now, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		then, err := os.ReadFile(filepath.Join(kept, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if string(now) != string(then) {
			t.Errorf("%s is not what AIPerf's loader says now", filepath.Join(kept, f.Name()))
		}
	}
}
