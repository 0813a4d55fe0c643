package load

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// TestIdleCap: two users that think for a minute, one of them 5 s longer. With a cap of 10 s the first is due after 10 s and the
// other 5 s behind it, each time, and the journal has what was skipped.
func TestIdleCap(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 2, make: func(number int) []talk.Turn {
			return sequence(3, time.Minute+time.Duration(number-1)*5*time.Second)(number)
		}}
		records, res := s.run(t, on, closed(), func(c *Config) { c.Conversations.IdleCap = 10 * time.Second })
		const skipped = 50 * time.Second
		for _, r := range records {
			checkFollows(t, records, &r)
			if want := time.Duration(r.Turn-1) * skipped; r.Turn == 2 && r.Skipped != int64(want) {
				t.Errorf("conversation %d, turn %d: %v were skipped, want %v", r.Conversation, r.Turn, time.Duration(r.Skipped), want)
			}
		}
		first, other := records[1], records[4]
		if between := time.Duration(other.Due - first.Due); between != 5*time.Second {
			t.Errorf("the second user came %v after the first, want 5 s", between)
		}
		if at := time.Duration(first.Due - records[0].End); at != 10*time.Second {
			t.Errorf("the first user came after %v, want 10 s", at)
		}
		var sum time.Duration
		for _, skip := range res.Skips {
			sum += time.Duration(skip.By)
		}
		for _, c := range on.conversations {
			if c.IdleSkips != 0 || c.Think != 2*int64(time.Minute+time.Duration(c.Number-1)*5*time.Second)-int64(sum) {
				t.Errorf("%+v", c)
			}
		}
		if len(res.Skips) != 2 {
			t.Errorf("%+v were skipped, want two times", res.Skips)
		}
	})
}

// withCaps sends the same trees without a cap and with caps, to a server whose answers take as long whatever the load.
func withCaps(t *testing.T, seed uint64, change func(*Conversations)) (free, capped map[int]journal.Request, list []journal.Conversation, res *Result) {
	t.Helper()
	run := func(change func(*Conversations)) (map[int]journal.Request, []journal.Conversation, *Result) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 5, make: drawn(rand.New(rand.NewPCG(seed, 3)), 2*time.Minute)}
		records, res := s.run(t, on, closed(), func(c *Config) {
			c.Concurrency = 0
			change(c.Conversations)
		})
		checkCounts(t, s, on, records)
		for _, r := range records {
			checkFollows(t, records, &r)
		}
		return records, on.conversations, res
	}
	free, _, _ = run(func(*Conversations) {})
	capped, list, res = run(change)
	return free, capped, list, res
}

// idleOf are the times between requests in which none is in flight, from the start on.
func idleOf(records []journal.Request) (gaps []time.Duration) {
	slices.SortFunc(records, func(a, b journal.Request) int { return int(a.Sent - b.Sent) })
	var last int64
	for i := range records {
		gaps = append(gaps, time.Duration(max(records[i].Sent-last, 0)))
		last = max(last, records[i].End)
	}
	return gaps
}

// TestIdleCapKeepsOrderAndGaps: with what was skipped added to it, each request is due when it would have been, and nothing is
// idle for longer than the cap.
func TestIdleCapKeepsOrderAndGaps(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	virtual(t, func(t *testing.T) {
		const most = 3 * time.Second
		free, capped, _, res := withCaps(t, seed, func(c *Conversations) { c.IdleCap = most })
		var list []journal.Request
		for i, r := range capped {
			list = append(list, r)
			due := r.Due
			for _, skip := range res.Skips {
				if skip.At <= r.Due {
					due += skip.By
				}
			}
			if late := time.Duration(due - free[i].Due).Abs(); late > 20*turnWait {
				t.Errorf("request %d: due %v, with what was skipped %v, and %v without a cap", i, time.Duration(r.Due), time.Duration(due), time.Duration(free[i].Due))
			}
		}
		if longest := slices.Max(idleOf(list)); longest > most+turnWait {
			t.Errorf("idle for %v", longest)
		}
		if len(res.Skips) < 10 {
			t.Errorf("%d skips", len(res.Skips))
		}
	})
}

// TestTreeIdleCap: the same for each conversation by itself.
func TestTreeIdleCap(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	virtual(t, func(t *testing.T) {
		const most = 5 * time.Second
		free, capped, list, res := withCaps(t, seed, func(c *Conversations) { c.TreeIdleCap = most })
		if len(res.Skips) > 0 {
			t.Errorf("%+v were skipped for all", res.Skips)
		}
		for _, c := range list {
			var own []journal.Request
			var last, lastFree int64
			for i, r := range capped {
				if r.Conversation == c.Number {
					own = append(own, r)
					last, lastFree = max(last, r.End), max(lastFree, free[i].End)
				}
			}
			if longest := slices.Max(idleOf(own)); longest > most+turnWait {
				t.Errorf("conversation %d was idle for %v", c.Number, longest)
			}
			if off := time.Duration(lastFree - last - c.IdleSkipped).Abs(); off > 20*turnWait || c.IdleSkips == 0 {
				t.Errorf("conversation %d ended %v earlier than without a cap, and says that %v were skipped in %d times", c.Number, time.Duration(lastFree-last), time.Duration(c.IdleSkipped), c.IdleSkips)
			}
		}
	})
}

// TestGrace: when no more is sent, answers are waited for, and then cancelled; the run has ended as planned.
func TestGrace(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 2, make: func(number int) []talk.Turn {
			turns := sequence(2, 0)(number)
			turns[0].OutputTokens = 1500 * number // at 1 ms each
			return turns
		}}
		records, res := s.run(t, on, pace.Spec{Name: pace.Closed, Duration: time.Second}, func(c *Config) { c.Conversations.Grace = time.Second })
		if a, b := records[0], records[2]; len(records) != 2 || a.Outcome != journal.Complete || b.Outcome != journal.Cancelled || b.End != int64(2*time.Second) {
			t.Errorf("%d requests; %s; %s at %v", len(records), a.Outcome, b.Outcome, time.Duration(b.End))
		}
		if res.Interrupted != "" {
			t.Errorf("interrupted: %s", res.Interrupted)
		}
		for _, c := range on.conversations {
			if c.Outcome != journal.ConversationAbandoned || c.Error != "duration" || c.Sent != 1 {
				t.Errorf("%+v", c)
			}
		}
	})
}

// TestAbortRatio: a run of which too many requests fail ends, once so many have ended that it is no accident.
func TestAbortRatio(t *testing.T) {
	for _, tt := range []struct {
		share float64
		open  int
		ends  bool
	}{{0.5, 4, true}, {0.5, 40, true}, {0.02, 4, false}} {
		t.Run("", func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) { c.Faults = sim.Faults{sim.FaultHTTP500: tt.share} })
				s := &talking{n: 100, make: sequence(5, 0), cut: tt.ends}
				records, res := s.run(t, on, closed(), func(c *Config) {
					c.Conversations.Failed, c.Conversations.AbortRatio, c.Conversations.MaxOpen = GoOn, 0.1, tt.open
				})
				checkCounts(t, s, on, records)
				ended := 0
				for _, r := range records {
					if r.Outcome != journal.Cancelled {
						ended++
					}
				}
				if (res.Interrupted != "") != tt.ends || tt.ends && (ended < max(10, tt.open) || ended > max(10, tt.open)+tt.open) {
					t.Errorf("interrupted %q after %d requests", res.Interrupted, ended)
				}
			})
		})
	}
}
