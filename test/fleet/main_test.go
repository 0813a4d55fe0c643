//go:build linux

// Package fleet runs whole fleets: the real nats-server, the simulator with its truth, agents
// and a leader as processes, some in network namespaces of their own. What they say is held
// against what the simulator saw.
package fleet

import (
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/inferometer/inferometer/test/fleet/stage"
	"github.com/inferometer/inferometer/test/realserver"
)

var (
	seeds   = flag.Int("seeds", 2, "runs of the chaos test")
	first   = flag.Int("first-seed", 1, "the first one's seed")
	seconds = flag.Int("seconds", 15, "how long a run of the chaos test sends")
	faults  = flag.String("faults", "few", "how many of the named faults are played: few or all")
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	realserver.AtOnce(4)
	realserver.Main(m, &program)
}

// newStage makes one that ends with the test.
func newStage(t *testing.T) *stage.Stage {
	t.Helper()
	if testing.Short() {
		t.Skip("fleets of processes take some minutes")
	}
	nats, err := stage.NATSProgram()
	if err != nil {
		t.Skip(err)
	}
	s := stage.New(program, nats, t.TempDir())
	if os.Geteuid() == 0 {
		s.Nice = -15 // the machine may be shared
	}
	t.Cleanup(s.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.Dump())
		}
	})
	return s
}

// must ends the test with the first error; a network that can't be made skips it.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if errors.Is(err, stage.ErrNoNetwork) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// hosts makes namespaces.
func hosts(t *testing.T, s *stage.Stage, n int) []*stage.Host {
	t.Helper()
	var all []*stage.Host
	for range n {
		all = append(all, must[*stage.Host](t)(s.Host()))
	}
	return all
}
