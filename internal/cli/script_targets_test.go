package cli

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// replica NAME [flags]: starts one more simulator beside others and sets $NAME to
// its URL. All are stopped at the end of the script, or by stopall.
func cmdReplica(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) > 0, "replica NAME [flags]")
	p, err := startSim(commandIn(ts, append([]string{"inferometer", "sim", "--listen", "127.0.0.1:0"}, args[1:]...)))
	ts.Check(err)
	s := sessionOf(ts)
	s.replicas = append(s.replicas, p)
	ts.Setenv(args[0], p.url)
	ts.Defer(func() { _ = p.stop() }) // a second time is harmless
}

// stopall: ends all replicas, so that their truth is on the disk.
func cmdStopAll(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 0, "stopall")
	s := sessionOf(ts)
	for _, p := range s.replicas {
		ts.Check(p.stop())
	}
	s.replicas = nil
}

// lines FILE N…: the file has as many lines as the numbers add up to.
func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) > 1, "lines FILE N…")
	sum := 0
	for _, arg := range args[1:] {
		n, err := strconv.Atoi(arg)
		ts.Check(err)
		sum += n
	}
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != sum {
		ts.Fatalf("%s has %d lines, not %d", args[0], got, sum)
	}
}
