package repo

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// patience is how long a command may take before it is called a hang.
const patience = 10 * time.Minute

// atOnce is how many tests run beside each other: they start programs, and most of their time those wait for each other.
const atOnce = 8

// built is the folder of the program, which is built once for all tests.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	if err := os.Chdir(filepath.Join("..", "..")); err != nil { // paths are those of the repository
		panic(err)
	}
	if flag.Lookup("test.parallel").Value.String() == flag.Lookup("test.parallel").DefValue {
		if err := flag.Set("test.parallel", strconv.Itoa(atOnce)); err != nil {
			panic(err)
		}
	}
	var err error
	if built, err = os.MkdirTemp("", "inferometer-repo-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", filepath.Join(built, "bin", "inferometer"), "./cmd/inferometer").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// buildBinary gives the folder of the program.
func buildBinary(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, "bin")
}
