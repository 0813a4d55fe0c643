package realserver

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// modulePath is the program's package.
const modulePath = "github.com/inferometer/inferometer/cmd/inferometer"

// Main builds the program once for all tests of a package, tells its path and runs them. It is for TestMain.
func Main(m *testing.M, program *string) {
	os.Exit(run(m, program))
}

// AtOnce is how many tests run side by side unless -parallel says otherwise, where most of the time all their processes wait.
func AtOnce(n int) {
	own := false
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { own = own || f.Name == "test.parallel" })
	if !own {
		_ = flag.Set("test.parallel", fmt.Sprint(n))
	}
}

func run(m *testing.M, program *string) int {
	dir, err := os.MkdirTemp("", "inferometer-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*program = filepath.Join(dir, "inferometer")
	if out, err := exec.Command("go", "build", "-o", *program, modulePath).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
