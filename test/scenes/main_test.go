//go:build linux

// Package scenes spoils measurements for real, each in one way, and looks whether
// the verdict names that way and no other. It runs the built program against
// simulators, through proxies, beside processor hogs and over a network that loses
// packets; what the verdict makes of synthetic journals is tested in internal/judge/verdict.
//
// The machine itself spoils measurements too: its hypervisor takes time away, and
// other work runs beside. So each scene stands beside a control, a run in the same
// minute in which nothing was spoiled. A reason that the control has too, or that is
// among the machine's own (see noise), is logged and let pass; any other one fails.
package scenes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the path of the built program.
var program string

// hogVar makes this test program a hog instead: it only burns its processor.
const hogVar = "INFEROMETER_SCENES_HOG"

func TestMain(m *testing.M) {
	if os.Getenv(hogVar) != "" {
		for n := 0; ; n++ { // a processor's worth of nothing
			_ = n
		}
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "scenes-")
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
