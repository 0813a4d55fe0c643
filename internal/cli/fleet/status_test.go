package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/setup"
	"github.com/inferometer/inferometer/internal/journal"
)

// The viewer of a fleet that init wrote sees its agents and runs.
func TestStatus(t *testing.T) {
	port := fleettest.FreePort(t)
	folder := filepath.Join(t.TempDir(), "fleet")
	if _, err := setup.Write(folder, setup.Options{Port: port}, time.Now()); err != nil {
		t.Fatal(err)
	}
	fleettest.StartConfig(t, folder, setup.Config, fmt.Sprintf("127.0.0.1:%d", port))
	status := func(args ...string) (string, error) {
		var out, err bytes.Buffer
		failed := Status(t.Context(), command.Streams{Out: &out, Err: &err}, append([]string{"--nats", filepath.Join(folder, "viewer.json")}, args...))
		return out.String() + err.String(), failed
	}
	if out, err := status(); err != nil || !strings.Contains(out, "no agent answers") {
		t.Errorf("%s, %v", out, err)
	}
	open := func(role bus.Role) *bus.Bus {
		p, err := bus.ReadPlace(filepath.Join(folder, setup.File(role)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := bus.Open(t.Context(), p, bus.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	if err := open(bus.Leader).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, run := range []string{"", "run-7"} {
		agent := open(bus.Agent)
		id := fmt.Sprintf("a-%d", i+1)
		stop, err := agent.Serve(id, func() message.Hello {
			return message.Hello{
				Protocol: message.Protocol, Agent: id, Name: "host|\x1b[31m" + id, Run: run, CPUs: 2, Memory: 4 << 30, Version: "0.1", Address: "10.0.0.9",
				Labels: map[string]string{"region": "eu", "card": "25g"},
				Proven: &journal.Proven{Points: []journal.ProvenPoint{{Streams: 8, TokensPerS: 100}, {Streams: 256, TokensPerS: 9000}}},
			}
		}, func(*message.Ask, time.Time) *message.Answer { return &message.Answer{} })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		if err := agent.Tell(&message.Status{Run: "run-7", Agent: id, Number: 1, Phase: message.Running, Planned: 100, Sent: 40, Done: 30, Failed: 1, InFlight: 9}); err != nil {
			t.Fatal(err)
		}
	}
	// What was told is kept when the next answer is there.
	leader := open(bus.Leader)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if all, err := leader.LastStatuses(t.Context()); err != nil || time.Now().After(deadline) {
			t.Fatalf("%v, %v", all, err)
		} else if len(all) == 2 {
			break
		}
	}
	out, err := status()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"agents: 2, of which 1 free", "a-1", "in run-7", "4.0 GiB", "card=25g region=eu", "256 streams, 9000 tokens/s", "2 running", "200", "80", "10.0.0.9"} {
		if !strings.Contains(out, word) {
			t.Errorf("%q is missing in\n%s", word, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("an agent steers the terminal: %q", out)
	}
	out, err = status("--json")
	if err != nil {
		t.Fatal(err)
	}
	var f seen
	if err := json.Unmarshal([]byte(out), &f); err != nil || len(f.Agents) != 2 || len(f.Runs) != 1 || f.Runs[0].Here != 1 || len(f.Runs[0].Agents) != 2 {
		t.Errorf("%s, %v", out, err)
	}

	// An agent's file may not ask, and its user hears so.
	var refused *bus.RefusedError
	err = Status(t.Context(), command.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, []string{"--nats", filepath.Join(folder, "agent.json"), "--wait", "1m"})
	if !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}
