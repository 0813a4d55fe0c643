//go:build linux

package fleet

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/fleet/stage"
)

// The networks of the other tests do what they are for: each side can be cut by itself, and is
// back when it is mended.
func TestNetwork(t *testing.T) {
	s := newStage(t)
	h := hosts(t, s, 3)
	load := must[*stage.Sim](t)(s.StartSim("load", h[0], h[0].Load)).Addr()
	nats := must[*stage.Sim](t)(s.StartSim("nats", h[0], h[0].NATS)).Addr()
	see := func(when string, from *stage.Host, toLoad, toNATS bool) {
		t.Helper()
		if l, n := from.Reaches(load), from.Reaches(nats); l != toLoad || n != toNATS {
			t.Errorf("%s: the server is reached: %v, NATS: %v", when, l, n)
		}
	}
	see("at first", h[1], true, true)
	if err := h[1].Cut("nats"); err != nil {
		t.Fatal(err)
	}
	see("cut off NATS", h[1], true, false)
	see("another host", h[2], true, true)
	if err := h[1].Cut("load"); err != nil {
		t.Fatal(err)
	}
	see("cut off both", h[1], false, false)
	for _, side := range []string{"load", "nats"} {
		if err := h[1].Mend(side); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline) && !(h[1].Reaches(load) && h[1].Reaches(nats)); { // neighbours that did not answer are asked again after a while
	}
	see("mended", h[1], true, true)
}
