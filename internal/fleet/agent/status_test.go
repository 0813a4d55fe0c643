package agent

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

func newTestTeller(t *testing.T, url string, lease time.Duration) (tell *teller, expired *string) {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	root := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := newFolder(root, "r", "a")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	expired = new(string)
	return newTeller(b, f, lease, newLive(&bench.Spec{}), func(why string) { *expired = why }), expired
}

// What is reserved is what is sent in about a second: little while nobody knows the rate, twice as
// much each time that it is not enough, and by the measured rate from the first tick on. A
// request is never sent above what was written down and told.
func TestReservesByRate(t *testing.T) {
	server := fleettest.Start(t)
	tell, _ := newTestTeller(t, server.URL, time.Hour)
	tell.reserve(1)
	if r := tell.status.Reserved; r < 1 || r > 16 {
		t.Errorf("%d are reserved before the first request", r)
	}
	const burst = 10_000
	for n := 1; n <= burst; n++ {
		if !tell.sending(n) {
			t.Fatal("it sends no more")
		}
		if noted, ok := tell.folder.noted(); n%97 == 0 && (!ok || noted.Reserved < n) {
			t.Fatalf("request %d is sent, and %d were written down", n, noted.Reserved)
		}
	}
	if told := tell.status.Number; told > 30 {
		t.Errorf("a burst of %d made it tell %d times", burst, told)
	}
	if r := tell.status.Reserved; r > 3*burst {
		t.Errorf("%d are reserved after %d", r, burst)
	}

	// A second later it is known that 40 are sent in one.
	tell.status.Reserved, tell.status.Sent, tell.second = 100, 100, 60
	tell.reserved.Store(100)
	tell.ticked = time.Now().Add(-time.Second)
	tell.tick()
	if ahead := int(tell.reserved.Load()) - 100; ahead < 30 || ahead > 60 {
		t.Errorf("%d are reserved ahead at 40 a second", ahead)
	}
}

// What may be used has left this process: a kill does not take it back.
func TestReservationIsHandedOver(t *testing.T) {
	server := fleettest.Start(t)
	tell, _ := newTestTeller(t, server.URL, time.Hour)
	leader := startLeader(t, server.URL, "r")
	for n := 1; n <= 200; n++ {
		tell.sending(n)
	}
	most := int(tell.reserved.Load())
	leader.await("the reservation", func() bool {
		return len(leader.statuses) > 0 && leader.statuses[len(leader.statuses)-1].Reserved >= most
	})
	if s := leader.statuses[len(leader.statuses)-1]; !s.Direct {
		t.Errorf("nothing lies between: %+v", s)
	}
}

// A lease that has run out stays so, whoever is heard again: an agent that was stopped and goes on
// must not send what others have given up.
func TestLeaseEndsForGood(t *testing.T) {
	server := fleettest.Start(t)
	tell, expired := newTestTeller(t, server.URL, time.Minute)
	tell.status.Phase = message.Running
	tell.tick()
	if *expired != "" || !tell.sending(1) {
		t.Fatalf("it sends no more: %s", *expired)
	}
	tell.born = tell.born.Add(-2 * time.Minute) // as after two minutes without a processor
	tell.tick()
	if *expired == "" || tell.sending(2) {
		t.Error("it goes on after its lease")
	}
}
