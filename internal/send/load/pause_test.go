package load

import (
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/sim"
)

// pausing stops the pace when so many are about to be sent, for a while.
func pausing(c *Control, n int, length time.Duration) func(int) bool {
	var once sync.Once // a turn may be asked for twice
	return func(k int) bool {
		if k == n {
			once.Do(func() {
				c.Pause(true)
				time.AfterFunc(length, func() { c.Pause(false) })
			})
		}
		return true
	}
}

// What is due after a pause is due that much later: no burst follows, the workload is the
// same, and the pause is told.
func TestPauseMovesTheSchedule(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const length = 150 * time.Millisecond
		s := startSim(t, func(*sim.Config) {})
		spec := pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 200}, N: 40}
		cfg, read := setup(t, s, "openai", spec, &prompts{n: 40, tokens: 3})
		cfg.Control = &Control{}
		cfg.Sending = pausing(cfg.Control, 20, length)
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if len(records) != 40 || len(res.Pauses) != 1 {
			t.Fatalf("%d requests, pauses %v", len(records), res.Pauses)
		}
		took := res.Pauses[0].To - res.Pauses[0].From
		if took != int64(length) {
			t.Fatalf("the pause took %v", time.Duration(took))
		}
		byIndex := map[int]journal.Request{}
		for _, r := range records {
			byIndex[r.Index] = r
		}
		for i := 1; i < 40; i++ {
			gap := byIndex[i].Due - byIndex[i-1].Due
			want := int64(5 * time.Millisecond)
			if i == 20 {
				want += took
			}
			if gap != want {
				t.Errorf("request %d is due %v after the one before it, not %v", i, time.Duration(gap), time.Duration(want))
			}
			if sent := byIndex[i].Sent; sent != byIndex[i].Due {
				t.Errorf("request %d was due at %d and sent at %d", i, byIndex[i].Due, sent)
			}
			if sent := byIndex[i].Sent; sent > res.Pauses[0].From && sent < res.Pauses[0].To {
				t.Errorf("request %d was sent in the pause", i)
			}
		}
		plain, read := setup(t, s, "openai", spec, &prompts{n: 40, tokens: 3})
		whole, err := Run(t.Context(), nil, plain)
		read()
		if err != nil || whole.WorkloadSHA != res.WorkloadSHA {
			t.Errorf("the workload is another one after a pause: %v", err)
		}
	})
}

// A closed loop that ends by time has all of its time, and a pause beside it.
func TestPauseOfAClosedLoop(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const length, duration = 200 * time.Millisecond, 150 * time.Millisecond
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "openai", pace.Spec{Name: pace.Closed, Duration: duration}, &prompts{n: 1 << 20, tokens: 2})
		cfg.Concurrency, cfg.Control = 2, &Control{}
		cfg.Sending = pausing(cfg.Control, 5, length)
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if len(res.Pauses) != 1 {
			t.Fatalf("pauses %v", res.Pauses)
		}
		p, last := res.Pauses[0], int64(0)
		for _, r := range records {
			last = max(last, r.Sent)
		}
		if last < p.To || last >= p.To-p.From+int64(duration) {
			t.Errorf("the last request was sent at %v, after a pause from %v to %v", time.Duration(last), time.Duration(p.From), time.Duration(p.To))
		}
	})
}

// A run that stands still can be drained, and its deadline does not stand still with it.
func TestPauseEndsWithTheRun(t *testing.T) {
	for _, name := range []string{"drain", "deadline"} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(*sim.Config) {})
				cfg, read := setup(t, s, "openai", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 100}, N: 50}, &prompts{n: 50, tokens: 2})
				cfg.Control = &Control{}
				drain := make(chan struct{})
				cfg.Sending = func(n int) bool {
					if n == 3 {
						cfg.Control.Pause(true)
						if name == "drain" {
							time.AfterFunc(50*time.Millisecond, func() { close(drain) })
						}
					}
					return true
				}
				if name == "deadline" {
					cfg.Deadline = 500 * time.Millisecond
				}
				res, err := Run(t.Context(), drain, cfg)
				if err != nil {
					t.Fatal(err)
				}
				read()
				if res.Sent != 3 || res.Interrupted == "" || len(res.Pauses) != 1 {
					t.Errorf("%d sent, interrupted %q, pauses %v", res.Sent, res.Interrupted, res.Pauses)
				}
				if cfg.Control.Pause(true); cfg.Control.Paused() {
					t.Error("a run that is over can be paused")
				}
			})
		})
	}
}

// The user of a conversation goes on thinking after the pause where the pause began: turns
// that were answered before and in it do not come all at once.
func TestPauseOfConversations(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const length, delay = 150 * time.Millisecond, 60 * time.Millisecond
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 6, make: sequence(3, delay)}
		cfg, read := setup(t, on, "openai-chat", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 100}, N: 6}, s)
		cfg.Conversations, cfg.Control = &Conversations{}, &Control{}
		cfg.Sending = pausing(cfg.Control, 6, length) // the last of the first turns
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		if len(records) != 18 || len(res.Pauses) != 1 {
			t.Fatalf("%d requests, pauses %v", len(records), res.Pauses)
		}
		byIndex := map[int]journal.Request{}
		for _, r := range records {
			byIndex[r.Index] = r
		}
		p := res.Pauses[0]
		for _, r := range records {
			if r.Sent > p.From && r.Sent < p.To {
				t.Errorf("request %d was sent in the pause", r.Index)
			}
			if len(r.After) == 0 {
				continue
			}
			answered, still := byIndex[r.After[0]].End, int64(0)
			if answered < p.To && answered+int64(delay) > p.From {
				still = p.To - max(p.From, answered)
			}
			if want := answered + int64(delay) + still; r.Due != want || r.Sent != r.Due {
				t.Errorf("request %d, after an answer at %v, is due at %v, not %v", r.Index, time.Duration(answered), time.Duration(r.Due), time.Duration(want))
			}
		}
	})
}

// Pauses by a clock of the test's own.
func TestControlStands(t *testing.T) {
	var none *Control
	none.Pause(true)
	if none.Paused() || none.stood(5) != 0 || none.next() != nil || none.end() != nil {
		t.Error("a nil control paused something")
	}
	at := int64(0)
	c := &Control{}
	c.Pause(true) // before the run begins to send
	c.begin(func() int64 { return at })
	at = 10
	c.Pause(false)
	at = 30
	c.Pause(true)
	c.Pause(true)
	for now, want := range map[int64]int64{0: 0, 5: 5, 10: 10, 20: 10, 30: 10, 35: 15} {
		if got := c.stood(now); got != want {
			t.Errorf("stood still for %d of %d, not %d", got, now, want)
		}
	}
	at = 40
	got := c.end()
	if len(got) != 2 || got[0] != (journal.Pause{From: 0, To: 10}) || got[1] != (journal.Pause{From: 30, To: 40}) {
		t.Errorf("pauses are %v", got)
	}
}
