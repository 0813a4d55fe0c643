//go:build linux

// Package scenes spoils measurements for real, each in one way, and looks whether
// the verdict names that way. It runs the built program against simulators, beside
// processor hogs, through deaths of processes and over a network that loses packets:
// what only a kernel can do. The same verdict is held to its word in virtual time, where
// nothing but the scene happens (internal/bench), and on synthetic journals
// (internal/judge/verdict).
package scenes

import (
	"os"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
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
	realserver.Main(m, &program)
}
