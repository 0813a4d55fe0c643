package cli

import (
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
)

// nats: starts a nats-server with JetStream, and sets NATS to its address.
func cmdNATS(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 0, "nats")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	address := l.Addr().String()
	_, port, err := net.SplitHostPort(address)
	ts.Check(err)
	ts.Check(l.Close())
	background(ts, exec.Command(fleettest.Find(), "-a", "127.0.0.1", "-p", port, "-js", "-sd", ts.MkAbs("jetstream")))
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			ts.Check(c.Close())
			break
		}
		if time.Now().After(end) {
			ts.Fatalf("nats-server does not come up: %v", err)
		}
	}
	ts.Setenv("NATS", "nats://"+address)
}

// agents N [flags…]: starts agents on NATS, agent-1 to agent-N, which may load this machine. A leader
// waits for them.
func cmdAgents(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) >= 1, "agents N [flags…]")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		flags := append([]string{"inferometer", "agent", "--nats", ts.Getenv("NATS"), "--allow", "127.0.0.1", "--name", fmt.Sprint("agent-", i+1)}, args[1:]...)
		background(ts, commandIn(ts, flags))
	}
}

// background runs a program until the script ends.
func background(ts *testscript.TestScript, cmd *exec.Cmd) {
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}
