package bus

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// What is handed over arrives although the process ends at once; and a server that went away shows.
func TestRealSure(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	agent, leader := open(t, server.URL), open(t, server.URL)
	if !agent.Direct() {
		t.Error("nothing lies between the two ends of the loopback")
	}
	came := make(chan *message.Status, 10)
	stop, err := leader.Statuses("r", func(s *message.Status) { came <- s })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := leader.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := agent.Tell(&message.Status{Run: "r", Agent: "a", Phase: message.Running, Reserved: 7}); err != nil {
		t.Fatal(err)
	}
	if !agent.HandOver(time.Minute) {
		t.Fatal("the kernel takes nothing")
	}
	if left, err := agent.conn.Buffered(); err != nil || left != 0 {
		t.Errorf("%d bytes are still here, %v", left, err)
	}
	if s := <-came; s.Reserved != 7 {
		t.Errorf("%+v", s)
	}
	before := leader.Since()
	server.Kill()
	for leader.Connected() || agent.Connected() {
		time.Sleep(time.Millisecond) // the connections tell nobody else
	}
	if agent.HandOver(time.Minute) {
		t.Error("something was handed over to a server that is away")
	}
	server.Restart()
	for !leader.Since().After(before) {
		time.Sleep(time.Millisecond)
	}
}
