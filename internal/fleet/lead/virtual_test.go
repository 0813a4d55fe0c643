package lead

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/membus"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
	simrandom "github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/spec"
)

// virtual is a fleet in virtual time: a bus and a network within the process, and a simulated server.
type virtual struct {
	*testing.T
	*membus.Bus
	network memnet.Network
	truth   bytes.Buffer // of the server, once it has ended
	end     func()       // of the server
}

const (
	virtualServer = "10.0.0.1:80"
	nowhere       = "nats://127.0.0.1:4222" // the address of a bus that nobody dials
)

// inVirtual runs a test in a bubble.
func inVirtual(t *testing.T, test func(v *virtual)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &virtual{T: t, Bus: membus.New()}
		cfg := sim.DefaultConfig()
		cfg.GoTimers, cfg.TTFT, cfg.ITL = true, simrandom.Constant(10*time.Millisecond), simrandom.Constant(time.Millisecond)
		srv, err := sim.New(cfg, &v.truth)
		if err != nil {
			t.Fatal(err)
		}
		l, err := v.network.Listen(virtualServer)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- srv.Serve(ctx, l) }()
		ended := false
		v.end = func() {
			if ended {
				return
			}
			ended = true
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			srv.Close()
		}
		t.Cleanup(v.end)
		test(v)
	})
}

func (v *virtual) fake(id string, change func(*fake)) *fake {
	v.Helper()
	return startFakeOn(v.T, v.Bus, &v.network, id, change)
}

func (v *virtual) spec(load string) *spec.Spec {
	v.Helper()
	return asked(v.T, "http://"+virtualServer, nowhere, load)
}

func (v *virtual) host(said *bytes.Buffer) *bench.Host {
	h := testHost(v.T, said)
	h.Dial = v.network.DialContext
	return h
}

func (v *virtual) leader(h *bench.Host) *leader {
	l := newLeader(bus.Place{URL: nowhere}, h)
	l.bus = v.Bus
	return l
}

func (v *virtual) execute(drain <-chan struct{}, s *spec.Spec, h *bench.Host) (*Done, error) {
	return v.leader(h).execute(v.Context(), drain, s)
}

func (v *virtual) attach(run, folder string, h *bench.Host) (*Done, error) {
	return v.leader(h).attach(v.Context(), nil, run, folder)
}
