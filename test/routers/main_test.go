//go:build linux

// Package routers runs the built program through real routers, behind which our simulators stand as replicas: what is said of who served
// what, of work done twice and of requests that failed is held against the simulators' truth. `make test-routers` gets the routers.
package routers

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	update = flag.Bool("update", false, "write what routers do with failing replicas into docs/targets.md")
	faults = flag.String("faults", "few", "how many of the faults are played behind each router: few or all")
)

// program is the path of the built program.
var program string

// atOnce are tests that run side by side unless -parallel says otherwise: most of the time all their processes wait.
const atOnce = "4"

func TestMain(m *testing.M) {
	own := false
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { own = own || f.Name == "test.parallel" })
	if !own {
		_ = flag.Set("test.parallel", atOnce)
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "routers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "inferometer")
	out, err := exec.Command("go", "build", "-o", program, "github.com/inferometer/inferometer/cmd/inferometer").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
