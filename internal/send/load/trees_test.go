package load

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// drawn gives trees by chance: branches that fork, by the sending of a turn or by its end, and are joined or not; turns that
// wait for those of others; and branches that begin at a moment of their own.
func drawn(rng *rand.Rand, pause time.Duration) func(number int) []talk.Turn {
	return func(number int) []talk.Turn {
		b := &drawing{rng: rng, pause: pause}
		b.branch(nil, 4+rng.IntN(10), 0)
		for range rng.IntN(3) {
			b.branch([]talk.Wait{{Turn: talk.FromBegin, Delay: b.delay()}}, 1+rng.IntN(4), 1)
		}
		return b.turns
	}
}

type drawing struct {
	rng      *rand.Rand
	pause    time.Duration
	turns    []talk.Turn
	branches int
}

func (b *drawing) delay() time.Duration {
	if b.rng.IntN(3) == 0 {
		return 0
	}
	return time.Duration(b.rng.Int64N(int64(b.pause)))
}

// branch draws a branch and those that it begins, and gives its last turn.
func (b *drawing) branch(waits []talk.Wait, turns, depth int) (last int) {
	own := b.branches
	b.branches++
	var joins []talk.Wait
	for k := range turns {
		if len(b.turns) > 0 && b.rng.IntN(6) == 0 { // a barrier
			if i := b.rng.IntN(len(b.turns)); b.turns[i].Branch != own && !slices.ContainsFunc(waits, func(w talk.Wait) bool { return w.Turn == i }) {
				waits = append(waits, talk.Wait{Turn: i, Delay: b.delay() / 4})
			}
		}
		last = len(b.turns)
		b.turns = append(b.turns, talk.Turn{
			Branch: own, Waits: waits, Continues: -1, OutputTokens: 1 + b.rng.IntN(5),
			Messages: says("branch %d, turn %d of %d", own, k, turns),
		})
		waits = append(joins, talk.Wait{Turn: last, Delay: b.delay()})
		joins = nil
		if depth < 2 && b.rng.IntN(4) == 0 {
			spawn := talk.Wait{Turn: last, Delay: b.delay() / 2, Sent: b.rng.IntN(3) == 0, Spawn: true}
			if end := b.branch([]talk.Wait{spawn}, 1+b.rng.IntN(5), depth+1); b.rng.IntN(3) > 0 {
				join := talk.Wait{Turn: end, Delay: b.delay() / 4}
				if b.rng.IntN(2) == 0 {
					waits = append(waits, join)
				} else {
					joins = append(joins, join)
				}
			}
		}
	}
	return last
}

// checkTrees holds the requests of complete trees against their plans: each was due when the last of its waits was over, no
// branch had two in flight, and by the truth of the server none came before what it waits for. late is how much later than
// its due time each was sent.
func checkTrees(t *testing.T, s *talking, records map[int]journal.Request, on *server) (late []time.Duration) {
	t.Helper()
	truth, turns := on.truth(), 0
	for _, plan := range s.plans {
		ends := map[int]int64{} // of branches
		for i := range plan.Turns {
			turns++
			r, seen := records[plan.First+i], truth["t-"+strconv.Itoa(plan.First+i)]
			if r.Outcome != journal.Complete || seen.Received == 0 {
				t.Fatalf("conversation %d, turn %d: %+v", plan.Number, i+1, r)
			}
			if r.Sent < ends[r.Branch] {
				t.Errorf("conversation %d, turn %d: branch %d has two turns in flight", plan.Number, i+1, r.Branch)
			}
			ends[r.Branch] = r.End
			due, place := int64(-1), 0
			for _, w := range plan.Turns[i].Waits {
				from := records[plan.First].Due - int64(firstDelay(plan))
				if w.Turn != talk.FromBegin {
					before, seenBefore := records[plan.First+w.Turn], truth["t-"+strconv.Itoa(plan.First+w.Turn)]
					at, what := slices.Max(seenBefore.Events), "end"
					if from = before.End; w.Sent {
						if from, at, what = before.Released, seenBefore.Received, "sending"; on.network == nil {
							at = 0 // it was on its way for a time
						}
					}
					if seen.Received < at+int64(w.Delay) {
						t.Errorf("conversation %d: turn %d came %v before the pause after the %s of turn %d was over", plan.Number, i+1, time.Duration(at+int64(w.Delay)-seen.Received), what, w.Turn+1)
					}
					if r.After[place] != before.Index {
						t.Errorf("conversation %d, turn %d: waited for %v by the journal, for %v by the plan", plan.Number, i+1, r.After, plan.Turns[i].Waits)
					}
					place++
				}
				due = max(due, from+int64(w.Delay))
			}
			if due >= 0 && r.Due != due || r.Released < r.Due || r.Sent < r.Due {
				t.Errorf("conversation %d: turn %d was due %d and sent %d; by what it waits for it is due %d", plan.Number, i+1, r.Due, r.Sent, due)
			}
			checkFollows(t, records, &r)
			late = append(late, time.Duration(r.Sent-r.Due))
		}
	}
	if len(records) != turns || len(truth) != turns {
		t.Errorf("%d turns were planned, %d sent, %d in the truth", turns, len(records), len(truth))
	}
	return late
}

func firstDelay(c *talk.Conversation) time.Duration {
	if w := c.Turns[0].Waits; len(w) > 0 {
		return w[0].Delay
	}
	return 0
}

// checkFollows: a request is due its delay, without what was skipped, after the one that it follows.
func checkFollows(t *testing.T, records map[int]journal.Request, r *journal.Request) {
	t.Helper()
	if len(r.After) == 0 || r.Follows < 0 {
		return
	}
	before, there := records[r.After[r.Follows]]
	from := before.End
	if r.FollowsSent {
		from = before.Released
	}
	if !there || r.Due != from+r.Delay-r.Skipped {
		t.Errorf("request %d is due %d, and follows request %d of %d by %d less %d", r.Index, r.Due, before.Index, from, r.Delay, r.Skipped)
	}
}

// TestDrawnTrees: ten thousand turns of trees that were drawn by chance. A server that is ten times slower changes none of it.
func TestDrawnTrees(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	for _, slower := range []time.Duration{1, 10} {
		t.Run(fmt.Sprintf("%d times as slow", slower), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) {
					c.TTFT, c.ITL = random.Constant(slower*20*time.Millisecond), random.Constant(slower*3*time.Millisecond)
				})
				s := &talking{n: 480, make: drawn(rand.New(rand.NewPCG(seed, 1)), 500*time.Millisecond)}
				records, res := s.run(t, on, pace.Spec{Name: pace.Closed}, func(c *Config) { c.Concurrency, c.Conversations.MaxOpen = 0, 50 })
				checkCounts(t, s, on, records)
				if late := slices.Max(checkTrees(t, s, records, on)); late > turnWait {
					t.Errorf("a turn was sent %v after its time; the dispatcher is deaf for %v", late, turnWait)
				}
				if res.Sent < 10_000 {
					t.Errorf("%d turns were sent, 10,000 are wanted", res.Sent)
				}
				if most := mostOpen(on.conversations); most != 50 {
					t.Errorf("%d conversations were open at once, want 50", most)
				}
			})
		})
	}
}

// TestRealTrees: on the kernel's clock too no turn comes before its time, and of a hundred 99 leave within 2 ms of it. That is
// held against a quiet machine alone: one on which a timer of this process is not late itself.
func TestRealTrees(t *testing.T) {
	on := startReal(t, func(c *sim.Config) {
		c.TTFT, c.ITL = random.Constant(10*time.Millisecond), random.Constant(time.Millisecond)
	})
	stop, timers := make(chan struct{}), make(chan []time.Duration)
	go func() {
		var late []time.Duration
		for {
			began := time.Now()
			select {
			case <-time.After(5 * time.Millisecond):
				late = append(late, time.Since(began)-5*time.Millisecond)
			case <-stop:
				timers <- late
				return
			}
		}
	}()
	s := &talking{n: 100, make: drawn(testfiles.Random(t), 60*time.Millisecond)}
	records, _ := s.run(t, on, closed(), func(c *Config) { c.Concurrency, c.Conversations.MaxOpen = 0, 40 })
	close(stop)
	late, machine := checkTrees(t, s, records, on), <-timers
	slices.Sort(late)
	slices.Sort(machine)
	p99, timer := late[len(late)*99/100], machine[len(machine)*99/100]
	t.Logf("%d turns: p50 %v, p99 %v after their time; a timer p99 %v", len(late), late[len(late)/2], p99, timer)
	if p99 > 2*time.Millisecond && timer < time.Millisecond {
		t.Errorf("p99 is %v after its time", p99)
	}
}

// TestFailedTurns: by each rule every turn is sent or counted as never sent, and those are never sent that the rule leaves out.
func TestFailedTurns(t *testing.T) {
	seed := testfiles.Random(t).Uint64()
	for _, rule := range []FailedRule{EndConversation, EndBranch, GoOn} {
		t.Run(string(rule), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) {
					c.Faults = sim.Faults{sim.FaultHTTP500: 0.03, sim.FaultTruncate: 0.02, sim.FaultReset: 0.02}
				})
				s := &talking{n: 150, make: drawn(rand.New(rand.NewPCG(seed, 2)), 50*time.Millisecond)}
				records, res := s.run(t, on, pace.Spec{Name: pace.Closed}, func(c *Config) {
					c.Concurrency, c.Conversations.MaxOpen, c.Conversations.Failed = 0, 20, rule
				})
				checkCounts(t, s, on, records)
				if res.Interrupted != "" || len(on.conversations) != s.n {
					t.Errorf("interrupted %q, %d of %d conversations have a line", res.Interrupted, len(on.conversations), s.n)
				}
				failures, skipped := 0, 0
				for _, plan := range s.plans {
					left := leftOut(plan, records, rule)
					for i := range plan.Turns {
						r, sent := records[plan.First+i]
						if sent && r.Outcome != journal.Complete {
							failures++
						}
						if sent {
							checkFollows(t, records, &r)
						} else {
							skipped++
						}
						if rule != EndConversation && sent == left[i] {
							t.Errorf("conversation %d, turn %d of branch %d: sent %v, left out %v", plan.Number, i+1, plan.Turns[i].Branch, sent, left[i])
						}
					}
				}
				if failures < 50 || (skipped == 0) != (rule == GoOn) {
					t.Errorf("%d turns failed, %d were never sent", failures, skipped)
				}
			})
		})
	}
}

// leftOut are the turns that are not sent by a rule, since their branch has failed or was never begun. Parents stand before
// those that wait for them.
func leftOut(plan *talk.Conversation, records map[int]journal.Request, rule FailedRule) map[int]bool {
	left, ended := map[int]bool{}, map[int]bool{}
	for i, turn := range plan.Turns {
		for _, w := range turn.Waits {
			if w.Spawn && left[w.Turn] {
				ended[turn.Branch] = true
			}
		}
		r, sent := records[plan.First+i]
		left[i] = ended[turn.Branch]
		if sent && r.Outcome != journal.Complete && rule == EndBranch {
			ended[turn.Branch] = true
		}
	}
	return left
}

// TestOverflowEndsItsBranch, whatever else goes on after a failure; without the rule it is a failure as any other.
func TestOverflowEndsItsBranch(t *testing.T) {
	for _, ends := range []bool{true, false} {
		t.Run(fmt.Sprint(ends), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) { c.MaxModelLen = 40 })
				s := &talking{n: 3, make: func(int) []talk.Turn {
					long := says("%s", strings.Repeat("far too long ", 50))
					return []talk.Turn{
						{Continues: -1, Messages: says("root"), OutputTokens: 2},
						{Continues: -1, Branch: 1, Waits: []talk.Wait{{Turn: 0, Spawn: true}}, Messages: long, OutputTokens: 2},
						{Continues: -1, Branch: 1, Waits: []talk.Wait{{Turn: 1}}, Messages: says("after it"), OutputTokens: 2},
						{Continues: -1, Branch: 2, Waits: []talk.Wait{{Turn: 2, Spawn: true}}, Messages: says("begun by it"), OutputTokens: 2},
						{Continues: -1, Waits: []talk.Wait{{Turn: 0}, {Turn: 2, Delay: time.Second}, {Turn: 3}}, Messages: says("the join"), OutputTokens: 2},
					}
				}}
				records, _ := s.run(t, on, pace.Spec{Name: pace.Closed}, func(c *Config) { c.Conversations.Failed, c.Conversations.EndOnOverflow = GoOn, ends })
				for _, plan := range s.plans {
					over := records[plan.First+1]
					if !over.Overflow() {
						t.Fatalf("the server took it: %+v", over)
					}
					join, sent := records[plan.First+4]
					_, after := records[plan.First+2]
					_, begun := records[plan.First+3]
					if !sent || after == ends || begun == ends {
						t.Errorf("ends %v: join %v, the turn after it %v, the branch that this begins %v", ends, sent, after, begun)
					}
					if ends && (join.Due != over.End+int64(time.Second) || join.After[join.Follows] != over.Index) {
						t.Errorf("the join was due %v after the overflow, and follows %v of %v", time.Duration(join.Due-over.End), join.Follows, join.After)
					}
				}
				for _, c := range on.conversations {
					if c.Outcome != journal.ConversationFailed || c.Sent+c.Skipped != 5 || !strings.HasPrefix(c.Error, "turn 2: http_4") {
						t.Errorf("%+v", c)
					}
				}
			})
		})
	}
}
