package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// raceScripts keeps the race detector in the processes that tests start.
const raceScripts = "INFEROMETER_SCRIPTS_RACE"

// lean runs tests under the race detector with a program without it. The scripts start some two thousand
// processes, whose start alone takes three times as long with it, and the same code is run under it within
// the processes of its own packages' tests; CI's rung `all` runs the scripts so too.
type lean struct{ *testing.M }

func (l lean) Run() int {
	// Scripts mostly wait, for processes and for what those wait for. -parallel of a command line comes after this.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if !testfiles.RaceDetector || os.Getenv(raceScripts) != "" {
		return l.M.Run()
	}
	dir, err := os.MkdirTemp("", "inferometer-lean-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-race=false", "-buildvcs=false", "-o", filepath.Join(dir, "inferometer"), "../../cmd/inferometer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	os.Setenv("PATH", strings.Join([]string{dir, os.Getenv("PATH")}, string(os.PathListSeparator)))
	return l.M.Run()
}
