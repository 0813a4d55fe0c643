//go:build linux

// Package routers runs the built program through real routers, behind which our simulators stand as replicas: what is said of who served
// what, of work done twice and of requests that failed is held against the simulators' truth. `make test-routers` gets the routers.
package routers

import (
	"flag"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

var (
	update = flag.Bool("update", false, "write what routers do with failing replicas into docs/targets.md")
	faults = flag.String("faults", "few", "how many of the faults are played behind each router: few or all")
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	realserver.AtOnce(4)
	realserver.Main(m, &program)
}
