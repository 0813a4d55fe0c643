package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/spec"
)

// wireless is a line in memory. While NATS is away what is told waits, and nothing is confirmed.
type wireless struct {
	mu   sync.Mutex
	away bool
	told []message.Status
}

func (w *wireless) Tell(s *message.Status) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, *s)
	return nil
}

func (w *wireless) Confirm(ctx context.Context) error {
	if w.HandOver(0) {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (w *wireless) HandOver(time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.away
}

func (w *wireless) Direct() bool { return true }

func (w *wireless) set(away bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = away
}

func (w *wireless) last() message.Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told[len(w.told)-1]
}

// newTestTeller tells on a line; expired is closed when its lease ends.
func newTestTeller(t *testing.T, l line, lease time.Duration) (tell *teller, expired chan struct{}) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := newFolder(root, "r", "a")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	expired = make(chan struct{})
	end := sync.OnceFunc(func() { close(expired) })
	return newTeller(l, f, lease, newLive(&spec.Spec{}), func(string) { end() }), expired
}

// What is reserved is what is sent in about a second: little while nobody knows the rate, twice as
// much each time that it is not enough, and by the measured rate from the first tick on. A
// request is never sent above what was written down and told.
func TestReservesByRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wireless{}
		tell, _ := newTestTeller(t, w, time.Hour)
		tell.reserve(1)
		if r := tell.status.Reserved; r < 1 || r > 16 {
			t.Errorf("%d are reserved before the first request", r)
		}
		const burst = 10_000
		for n := 1; n <= burst; n++ {
			if !tell.sending(n) {
				t.Fatal("it sends no more")
			}
			if told := w.last().Reserved; told < n {
				t.Fatalf("request %d is sent, and %d were told", n, told)
			}
			if n%97 != 0 {
				continue
			}
			if noted, ok := tell.folder.noted(); !ok || noted.Reserved < n {
				t.Fatalf("request %d is sent, and %d were written down", n, noted.Reserved)
			}
		}
		if told := tell.status.Number; told > 30 {
			t.Errorf("a burst of %d made it tell %d times", burst, told)
		}
		if r := tell.status.Reserved; r > 3*burst {
			t.Errorf("%d are reserved after %d", r, burst)
		}

		// A second later it is known that 40 are sent in one: those of a second and a half are reserved.
		tell.status.Reserved, tell.status.Sent, tell.second = 100, 100, 60
		tell.reserved.Store(100)
		tell.ticked = time.Now()
		time.Sleep(time.Second)
		tell.tick()
		if ahead := int(tell.reserved.Load()) - 100; ahead != 60 {
			t.Errorf("%d are reserved ahead at 40 a second", ahead)
		}
	})
}

// What may be used has left this process: a kill does not take it back.
func TestRealReservationIsHandedOver(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	b, err := bus.Open(t.Context(), bus.Place{URL: server.URL}, bus.Options{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	tell, _ := newTestTeller(t, b, time.Hour)
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

// Statuses are told once a second, for as long as the run takes.
func TestTellsOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wireless{}
		tell, _ := newTestTeller(t, w, time.Minute)
		began := time.Now()
		stop := tell.run()
		time.Sleep(time.Hour + time.Millisecond)
		stop()
		if len(w.told) != 3601 {
			t.Fatalf("%d statuses in an hour", len(w.told))
		}
		for i, s := range w.told {
			if s.Number != i+1 || s.At != began.Add(time.Duration(i)*time.Second).UnixNano() {
				t.Fatalf("%d: number %d, at %v", i, s.Number, time.Unix(0, s.At).Sub(began))
			}
		}
	})
}

// Without contact for longer than the lease nothing more is sent, to the millisecond: the lease counts from the last status
// that has certainly arrived.
func TestLease(t *testing.T) {
	const lease = 10 * time.Second
	for _, away := range []time.Duration{9500 * time.Millisecond, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := &wireless{}
			tell, expired := newTestTeller(t, w, lease)
			began := time.Now()
			defer tell.run()()
			time.Sleep(5500 * time.Millisecond) // the last word that arrives is of the fifth second
			w.set(true)
			back := time.AfterFunc(away, func() { w.set(false) })
			defer back.Stop()
			last := time.Duration(0) // after which a request was sent
			for n := 1; time.Since(began) < time.Minute && tell.sending(n); n++ {
				last = time.Since(began)
				time.Sleep(time.Millisecond)
			}
			ended := false
			select {
			case <-expired:
				ended = true
			default:
			}
			within := away < lease-500*time.Millisecond
			if within && (ended || last < 59*time.Second) {
				t.Errorf("NATS was away for %v: the last request went out after %v, the lease ended: %v", away, last, ended)
			}
			if !within && (!ended || last != 5*time.Second+lease) {
				t.Errorf("NATS was away for %v: the last request went out after %v, want %v", away, last, 5*time.Second+lease)
			}
		})
	}
}

// A lease that has run out stays so, whoever is heard again: an agent that was stopped and goes on
// must not send what others have given up.
func TestLeaseEndsForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tell, expired := newTestTeller(t, &wireless{}, time.Minute)
		tell.status.Phase = message.Running
		tell.tick()
		select {
		case <-expired:
			t.Fatal("it sends no more")
		default:
		}
		if !tell.sending(1) {
			t.Fatal("it sends no more")
		}
		time.Sleep(2 * time.Minute) // without a processor
		tell.tick()
		<-expired
		if tell.sending(2) {
			t.Error("it goes on after its lease")
		}
	})
}

// The last word is told until it has arrived.
func TestTheLastWordArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wireless{away: true}
		tell, _ := newTestTeller(t, w, time.Minute)
		time.AfterFunc(time.Hour, func() { w.set(false) })
		began := time.Now()
		tell.final(message.Ended, "", "sum")
		tell.tellForSure(t.Context())
		if took := time.Since(began); took < time.Hour || took > time.Hour+confirmTime+retryAfter {
			t.Errorf("told for sure after %v", took)
		}
		if slices.ContainsFunc(w.told, func(s message.Status) bool { return s.Phase != message.Ended || s.SHA256 != "sum" }) {
			t.Errorf("%+v", w.told)
		}
	})
}

// noted is what was written down; false: nothing.
func (f *folder) noted() (s message.Status, ok bool) {
	ok = readRecord(f.status, &s) && s.Run == f.run && s.Agent == f.agent
	return s, ok
}
