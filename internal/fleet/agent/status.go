package agent

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/send/load"
)

const (
	tellEvery   = time.Second
	confirmTime = 2 * time.Second
	usualLease  = 30 * time.Second
	leastRate   = 4 // requests a second that are reserved for at least
	// handTime is how long a request waits for the kernel to take the word that it is sent. That takes
	// microseconds, unless the connection is stuck.
	handTime = 100 * time.Millisecond
)

// line is the way to NATS, as far as statuses go: the bus.
type line interface {
	Tell(s *message.Status) error
	Confirm(ctx context.Context) error
	HandOver(within time.Duration) bool
	Direct() bool
}

// teller says how far a run is: once a second, and at each new phase. It keeps the promise
// of Reserved: no request is sent before a number that it is below was written down here
// and is on its way to NATS, where a kill of this process can't take it back. What is
// reserved is what is sent in about a second, so that little is in doubt when the agent
// dies. While NATS is away the load goes on, and the number in the run's folder alone.
//
// It also holds the lease: nothing is sent later than the lease after the last status that
// has certainly reached NATS.
type teller struct {
	bus    line
	folder *folder
	live   *live
	lease  time.Duration
	expire func(why string) // sends no more
	born   time.Time

	reserved atomic.Int64 // requests that may be sent
	low      atomic.Int64 // from here on more are wanted
	deadline atomic.Int64 // after born; nothing is sent later
	wake     chan struct{}

	mu       sync.Mutex // what follows; a status is told under it, so that they come in order
	status   message.Status
	progress *load.Progress // nil: nothing is sent yet
	second   int            // sent at the last tick
	ticked   time.Time      // when that was
	rate     int            // requests a second, as far as is known
	alone    bool           // nothing gets out: NATS is away, or the connection is stuck
}

func newTeller(b line, f *folder, lease time.Duration, l *live, expire func(string)) *teller {
	if lease <= 0 {
		lease = usualLease
	}
	t := &teller{
		bus: b, folder: f, live: l, lease: lease, expire: expire, born: time.Now(), wake: make(chan struct{}, 1), rate: leastRate,
		status: message.Status{Run: f.run, Agent: f.agent, Phase: message.Preparing},
	}
	t.deadline.Store(int64(lease))
	return t
}

// follow takes the counters of the load.
func (t *teller) follow(p *load.Progress, planned int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress, t.status.Planned = p, planned
}

func (t *teller) phase() message.Phase {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status.Phase
}

// concluded says that the last status was told.
func (t *teller) concluded() bool { p := t.phase(); return p == message.Ended || p == message.Failed }

var order = map[message.Phase]int{message.Preparing: 0, message.Ready: 1, message.Running: 2, message.Draining: 3, message.Ended: 4, message.Failed: 4}

// enter tells a new phase, without waiting; one that is over does not come back.
func (t *teller) enter(p message.Phase) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if order[p] <= order[t.status.Phase] {
		return false
	}
	t.status.Phase = p
	if p != message.Running { // at that instant all agents have better to do; the next tick tells it
		t.asked()
	}
	return true
}

// asked wakes the goroutine that tells.
func (t *teller) asked() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// sending is bench.Host.Sending.
func (t *teller) sending(n int) bool {
	if int64(time.Since(t.born)) > t.deadline.Load() {
		t.expire(t.expired())
		return false
	}
	switch {
	case n <= int(t.low.Load()):
	case n > int(t.reserved.Load()):
		t.reserve(n) // a burst: nobody was quick enough
	default:
		t.asked()
	}
	return true
}

// reserve raises the number of requests that may be sent above n, writes it down, and
// tells it. Who has to wait for it sends faster than was known.
func (t *teller) reserve(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n <= int(t.reserved.Load()) {
		return // another one has waited for it
	}
	if t.status.Reserved > 0 {
		t.rate *= 2
	}
	t.raise(n)
	t.tell(nil)
	t.handOver()
}

// raise promises what is sent in the next second and a half: a second until the next tick,
// and the time that it may be late.
func (t *teller) raise(n int) {
	t.status.Reserved = max(t.status.Reserved, n+t.rate+t.rate/2)
}

// handOver lets what was promised be used, once it can't be taken back. Where NATS is away
// the promise in the folder has to do: the leader knows that it hears nothing.
func (t *teller) handOver() {
	t.alone = t.alone || !t.bus.HandOver(handTime)
	t.use(t.status.Reserved)
}

func (t *teller) use(most int) {
	if int64(most) > t.reserved.Load() {
		t.reserved.Store(int64(most))
		t.low.Store(int64(most - t.rate/4))
	}
}

// count takes in what the load has counted.
func (t *teller) count() {
	if t.progress == nil {
		return
	}
	s := t.progress.Snapshot()
	t.status.Sent, t.status.Done, t.status.Failed, t.status.HungUp = int(s.Sent), int(s.Completed), int(s.Failed), int(s.HungUp)
	t.status.InFlight, t.status.Tokens = int(s.InFlight), int(max(s.Tokens, 0))
}

// tell writes the status down and publishes it.
func (t *teller) tell(live map[string]json.RawMessage) *message.Status {
	t.count()
	t.status.Number++
	t.status.At = time.Now().UnixNano()
	t.status.Journal = t.folder.size()
	t.status.Direct = t.bus.Direct()
	t.folder.note(&t.status) // before it is used
	s := t.status
	s.Live = live
	_ = t.bus.Tell(&s) // what could not be told is told again in a second
	return &s
}

// last is the newest status.
func (t *teller) last() *message.Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count()
	s := t.status
	return &s
}

// run tells until stop is called.
func (t *teller) run() (stop func()) {
	quit := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-t.wake:
				t.news()
			}
		}
	})
	all.Go(func() {
		ticker := time.NewTicker(tellEvery)
		defer ticker.Stop()
		for {
			t.tick()
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
		}
	})
	return func() { close(quit); all.Wait() }
}

// news tells a new phase, or more requests.
func (t *teller) news() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count()
	if t.status.Sent > int(t.low.Load()) {
		t.raise(t.status.Sent)
	}
	t.tell(nil)
	t.handOver()
}

// tick tells once a second, and finds out whether that arrived.
func (t *teller) tick() {
	live := t.live.encode()
	t.mu.Lock()
	t.count()
	t.measure()
	if t.status.Reserved > 0 {
		t.raise(t.status.Sent)
	}
	at := time.Since(t.born)
	most := t.tell(live).Reserved
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), confirmTime)
	defer cancel()
	err := t.bus.Confirm(ctx)
	t.mu.Lock()
	t.alone = t.alone && err != nil
	t.use(most)
	t.mu.Unlock()
	if int64(at) > t.deadline.Load() || err != nil && int64(time.Since(t.born)) > t.deadline.Load() {
		t.expire(t.expired()) // for good: nobody counts on this agent any more, even if it is heard again
		return
	}
	if err == nil {
		t.deadline.Store(int64(at + t.lease))
	}
}

// measure learns how many requests are sent in a second.
func (t *teller) measure() {
	if now := time.Now(); !t.ticked.IsZero() {
		t.rate = max(leastRate, int(float64(t.status.Sent-t.second)/max(now.Sub(t.ticked), tellEvery).Seconds()))
	}
	t.second, t.ticked = t.status.Sent, time.Now()
}

func (t *teller) expired() string {
	return "there was no contact to NATS for longer than the lease of " + t.lease.String()
}

// final is the last status, once all is over.
func (t *teller) final(p message.Phase, words, sum string) *message.Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count()
	t.status.Phase, t.status.Error, t.status.SHA256 = p, words, sum
	t.status.InFlight, t.status.Reserved = 0, t.status.Sent // it certainly sends no more
	return t.tell(t.live.encode())
}

// tellForSure tells the last status until it has arrived, or ctx ends.
func (t *teller) tellForSure(ctx context.Context) {
	for {
		some, cancel := context.WithTimeout(ctx, confirmTime)
		err := t.bus.Confirm(some)
		cancel()
		if err == nil || ctx.Err() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryAfter):
		}
		t.mu.Lock()
		t.tell(nil)
		t.mu.Unlock()
	}
}
