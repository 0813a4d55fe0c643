package load

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
)

// talking is a workload of conversations that make gives by their numbers.
type talking struct {
	n     int
	make  func(number int) []talk.Turn
	maker talk.Maker // nil: the turns have messages
	cut   bool       // the run ends before its conversations do, which go on after a failure

	unkept bool // plans is not filled

	number, index int
	plans         []*talk.Conversation
}

func (s *talking) Next() (*workload.Request, error) {
	if s.number == s.n {
		return nil, io.EOF
	}
	s.number++
	c := &talk.Conversation{Number: s.number, First: s.index, Turns: s.make(s.number), Maker: s.maker}
	if err := c.Check(); err != nil {
		return nil, err
	}
	s.index += len(c.Turns)
	if !s.unkept {
		s.plans = append(s.plans, c)
	}
	return &workload.Request{Index: c.First, Conversation: c.Number, Talk: c}, nil
}

func says(format string, args ...any) []talk.Message {
	return []talk.Message{{JSON: talk.Text("user", fmt.Sprintf(format, args...))}}
}

// sequence is a conversation of so many turns, one after the other.
func sequence(turns int, delay time.Duration) func(number int) []talk.Turn {
	return func(number int) []talk.Turn {
		list := make([]talk.Turn, turns)
		for i := range list {
			list[i] = talk.Turn{Messages: says("conversation %d, turn %d", number, i+1), OutputTokens: 3, PromptTokens: 5}
		}
		talk.Sequence(list)
		for i := 1; i < turns; i++ {
			list[i].Waits[0].Delay = delay
		}
		return list
	}
}

// agent plans, asks four others at once, each of which uses a tool twice, and joins them.
func agent(number int) []talk.Turn {
	turns := []talk.Turn{{Name: "plan", Continues: -1, Messages: says("agent %d: make a plan", number), OutputTokens: 4}}
	join := talk.Turn{Name: "join", Continues: 0, OutputTokens: 4, Messages: says("agent %d: put it together:", number)}
	for k := range 4 {
		ask, use := len(turns), len(turns)+1
		turns = append(turns,
			talk.Turn{Name: "ask" + strconv.Itoa(k), Waits: []talk.Wait{{Turn: 0}}, Continues: -1, OutputTokens: 2 + number%3, Messages: says("agent %d, part %d", number, k)},
			talk.Turn{Name: "use" + strconv.Itoa(k), Waits: []talk.Wait{{Turn: ask, Delay: time.Duration(k) * time.Millisecond}}, Continues: ask, OutputTokens: 2, Messages: says("the tool says %d", k)})
		join.Waits = append(join.Waits, talk.Wait{Turn: use})
		join.Messages[0].Answers = append(join.Messages[0].Answers, use)
	}
	return append(turns, join, talk.Turn{Name: "check", Waits: []talk.Wait{{Turn: len(turns)}}, Continues: len(turns), OutputTokens: 2, Messages: says("is it right?")})
}

// run sends a source and gives the journal's requests by their indexes.
func (s *talking) run(t *testing.T, on *server, spec pace.Spec, change func(*Config)) (map[int]journal.Request, *Result) {
	t.Helper()
	cfg, read := setup(t, on, "openai-chat", spec, s)
	cfg.Conversations = &Conversations{Header: "X-Session-ID"}
	drain := make(chan struct{})
	if change != nil {
		change(&cfg)
	}
	res, err := Run(t.Context(), drain, cfg)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := read()
	byIndex := map[int]journal.Request{}
	for _, r := range records {
		if _, twice := byIndex[r.Index]; twice {
			t.Errorf("request %d was sent twice", r.Index)
		}
		byIndex[r.Index] = r
	}
	return byIndex, res
}

// checkCounts: nothing is lost from the count. Each conversation that was begun has a
// line; what was planned was sent, or is counted as never sent.
func checkCounts(t *testing.T, s *talking, on *server, records map[int]journal.Request) {
	t.Helper()
	sent := map[int]int{}
	for _, r := range records {
		sent[r.Conversation]++
	}
	if len(on.conversations) != len(sent) {
		t.Errorf("%d conversations were begun, %d have a line", len(sent), len(on.conversations))
	}
	total := 0
	for _, c := range on.conversations {
		total += c.Sent
		if plan := s.plans[c.Number-1]; c.Turns != len(plan.Turns) || c.Sent+c.Skipped != c.Turns || c.Sent != sent[c.Number] {
			t.Errorf("conversation %d has %d turns, of which %d were sent: %+v", c.Number, len(plan.Turns), sent[c.Number], c)
		}
		failed, cut := 0, c.Sent < c.Turns
		for i := range c.Turns {
			switch r := records[s.plans[c.Number-1].First+i]; r.Outcome {
			case "", journal.Complete:
			case journal.Cancelled:
				cut = true
			default:
				failed++
			}
		}
		want := journal.ConversationAbandoned
		if failed > 0 && !(s.cut && cut) {
			want = journal.ConversationFailed
		} else if c.Complete == c.Turns {
			want = journal.ConversationComplete
		}
		if c.Outcome != want {
			t.Errorf("conversation %d ended as %s, want %s: %+v", c.Number, c.Outcome, want, c)
		}
		if (c.Outcome == journal.ConversationComplete) != (c.Error == "") {
			t.Errorf("conversation %d does not say why: %+v", c.Number, c)
		}
	}
	if total != len(records) {
		t.Errorf("the lines count %d requests, there are %d", total, len(records))
	}
}

// TestGraphsAreSentInTheirOrder: by the simulator's truth no request of an agent came
// before the last token of each answer that it waits for, and by the journal it was due
// just its delay after that.
func TestGraphsAreSentInTheirOrder(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 100, make: agent}
		records, res := s.run(t, on, pace.Spec{Name: pace.Closed}, func(c *Config) { c.Concurrency, c.Conversations.MaxOpen = 64, 30 })
		checkCounts(t, s, on, records)
		truth := on.truth()
		turns := 0
		for _, plan := range s.plans {
			for i, turn := range plan.Turns {
				turns++
				r, seen := records[plan.First+i], truth["t-"+strconv.Itoa(plan.First+i)]
				if r.Outcome != journal.Complete || seen.Received == 0 {
					t.Fatalf("conversation %d, %s: %+v", plan.Number, turn.Name, r)
				}
				if len(turn.Waits) == 0 {
					continue
				}
				var last int64
				for k, w := range turn.Waits {
					a := w.Turn
					before, seenBefore := records[plan.First+a], truth["t-"+strconv.Itoa(plan.First+a)]
					if r.After[k] != before.Index {
						t.Errorf("%s waited for %v, the plan says %v", turn.Name, r.After, turn.Waits)
					}
					if end := slices.Max(seenBefore.Events); seen.Received < end {
						t.Errorf("conversation %d: %s came %v before the end of %s", plan.Number, turn.Name, time.Duration(end-seen.Received), plan.Turns[a].Name)
					}
					last = max(last, before.End+int64(w.Delay))
				}
				if r.Due != last || r.Delay != int64(turn.Waits[r.Follows].Delay) || r.Sent < r.Due {
					t.Errorf("conversation %d: %s was due %d and sent %d; by the answers that it waits for it is due %d", plan.Number, turn.Name, r.Due, r.Sent, last)
				}
			}
		}
		if turns != 1100 || len(truth) != turns || res.Sent != turns {
			t.Errorf("%d turns were planned, %d sent, %d in the truth", turns, res.Sent, len(truth))
		}
		if res.PeakInFlight > 64 {
			t.Errorf("%d requests were in flight, 64 at most were asked for", res.PeakInFlight)
		}
		if most := mostOpen(on.conversations); most > 30 {
			t.Errorf("%d conversations were open, 30 at most were asked for", most)
		}
	})
}

// mostOpen is how many conversations were open at once.
func mostOpen(list []journal.Conversation) (most int) {
	for _, a := range list {
		n := 0
		for _, b := range list {
			if b.Begin <= a.Begin && a.Begin < b.End {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestFailedTurnsEndTheirConversations, in an outcome of its own, and the others go on.
func TestFailedTurnsEndTheirConversations(t *testing.T) {
	for name, plan := range map[string]func(int) []talk.Turn{"sequences": sequence(6, 0), "agents": agent} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) {
					c.Faults = sim.Faults{sim.FaultHTTP500: 0.05, sim.FaultTruncate: 0.05, sim.FaultShort: 0.05}
				})
				s := &talking{n: 120, make: plan}
				records, res := s.run(t, on, pace.Spec{Name: pace.Closed}, func(c *Config) { c.Concurrency = 16 })
				checkCounts(t, s, on, records)
				if len(on.conversations) != 120 || res.Interrupted != "" {
					t.Errorf("%d of 120 conversations have a line; interrupted %q", len(on.conversations), res.Interrupted)
				}
				outcomes := map[journal.ConversationOutcome]int{}
				skipped := 0
				for _, c := range on.conversations {
					outcomes[c.Outcome]++
					skipped += c.Skipped
					if c.Outcome == journal.ConversationFailed && !strings.HasPrefix(c.Error, "turn ") {
						t.Errorf("the error names no turn: %q", c.Error)
					}
				}
				if outcomes["failed"] < 10 || outcomes["complete"] < 10 || outcomes["abandoned"] > 0 || skipped == 0 {
					t.Errorf("outcomes %v, %d turns never sent", outcomes, skipped)
				}
				// No turn was sent after one of its own conversation had failed, but for those in flight. A short answer is one to go on from.
				short := 0
				for _, r := range records {
					for _, a := range r.After {
						switch o := records[a].Outcome; o {
						case journal.Complete:
						case journal.Short:
							short++
						default:
							t.Errorf("request %d was sent behind request %d, which ended as %s", r.Index, a, o)
						}
					}
				}
				if short == 0 {
					t.Error("no turn was sent behind a short answer")
				}
			})
		})
	}
}

// TestConversationsAreCut: a run that ends before its conversations do says so of each.
func TestConversationsAreCut(t *testing.T) {
	for _, tt := range []struct {
		name, why, interrupted string
		pace                   pace.Spec
		change                 func(*Config)
	}{
		{name: "duration", why: "duration", pace: pace.Spec{Name: pace.Closed, Duration: 200 * time.Millisecond}},
		{
			name: "deadline", why: "deadline", interrupted: "deadline", pace: pace.Spec{Name: pace.Closed},
			change: func(c *Config) { c.Deadline = 200 * time.Millisecond },
		},
		{
			name: "rate", why: "duration",
			pace: pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 100}, Duration: 200 * time.Millisecond},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(*sim.Config) {})
				s := &talking{n: 1000, make: sequence(100, 2*time.Millisecond)}
				records, res := s.run(t, on, tt.pace, func(c *Config) {
					c.Concurrency, c.Conversations.MaxOpen = 8, 8
					if tt.change != nil {
						tt.change(c)
					}
				})
				checkCounts(t, s, on, records)
				if res.Interrupted != tt.interrupted {
					t.Errorf("interrupted: %q, want %q", res.Interrupted, tt.interrupted)
				}
				for _, c := range on.conversations {
					if c.Outcome != journal.ConversationAbandoned || c.Error != tt.why || c.Skipped == 0 {
						t.Errorf("%+v, want it abandoned for %q", c, tt.why)
					}
				}
				if len(on.conversations) == 0 {
					t.Error("no conversation was begun")
				}
			})
		})
	}
}

// TestDrainedConversations: after Ctrl-C no turn is sent, and what is in flight ends.
func TestDrainedConversations(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 10, make: sequence(1000, time.Millisecond)}
		cfg, read := setup(t, on, "openai-chat", pace.Spec{Name: pace.Closed}, s)
		cfg.Conversations = &Conversations{MaxOpen: 5}
		cfg.Progress = &Progress{}
		drain := make(chan struct{})
		go func() {
			for cfg.Progress.Snapshot().Completed < 50 {
				time.Sleep(time.Millisecond)
			}
			close(drain)
		}()
		res, err := Run(t.Context(), drain, cfg)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := read()
		records := map[int]journal.Request{}
		for _, r := range list {
			records[r.Index] = r
			if r.Outcome != journal.Complete {
				t.Errorf("request %d ended as %s: %s", r.Index, r.Outcome, r.Error)
			}
		}
		checkCounts(t, s, on, records)
		if res.Interrupted != "signal" || len(on.conversations) != 5 {
			t.Errorf("interrupted %q, %d conversations", res.Interrupted, len(on.conversations))
		}
	})
}

// TestStickyConversations: all turns of one go to the same server, though their prompts
// begin alike.
func TestStickyConversations(t *testing.T) {
	virtual(t, func(t *testing.T) {
		servers := replicas(t)
		s := &talking{n: 60, make: func(number int) []talk.Turn {
			turns := sequence(3, 0)(number)
			turns[0].Messages = says("%s %d", strings.Repeat("the same ", 100), number)
			return turns
		}}
		records, _ := s.run(t, servers[0], pace.Spec{Name: pace.Closed}, func(c *Config) {
			c.Concurrency = 20
			for _, one := range servers {
				c.Targets = append(c.Targets, one.url+c.Protocol.Path())
			}
			b, err := target.NewBalancer(target.Sticky, len(servers))
			if err != nil {
				t.Fatal(err)
			}
			c.Balance = b
			c.Started = func() error {
				return c.Journal.Run(&journal.Run{Schema: journal.Schema, Targets: make([]journal.Target, len(servers))})
			}
		})
		used := map[int]int{}
		for _, plan := range s.plans {
			at := records[plan.First].Target
			used[at]++
			for i := range plan.Turns {
				if r := records[plan.First+i]; r.Target != at || r.Outcome != journal.Complete {
					t.Errorf("conversation %d, turn %d went to %d and ended as %s; the first went to %d", plan.Number, i+1, r.Target, r.Outcome, at)
				}
			}
		}
		for i := range servers {
			if used[i] < 5 {
				t.Errorf("server %d has %d of 60 conversations", i, used[i])
			}
		}
	})
}

// TestPlanHash: with live history the bodies depend on the answers, and the hash is that
// of the plan: the same on two servers that answer differently.
func TestPlanHash(t *testing.T) {
	virtual(t, func(t *testing.T) {
		sums := map[string]bool{}
		for _, seed := range []uint64{1, 2} {
			on := startSim(t, func(c *sim.Config) { c.Seed = seed })
			_, res := (&talking{n: 10, make: sequence(3, 0)}).run(t, on, pace.Spec{Name: pace.Closed}, nil)
			sums[res.WorkloadSHA] = true
		}
		if len(sums) != 1 {
			t.Errorf("the same conversations have the hashes %v", sums)
		}
		on := startSim(t, func(*sim.Config) {})
		_, res := (&talking{n: 10, make: sequence(3, time.Millisecond)}).run(t, on, pace.Spec{Name: pace.Closed}, nil)
		if sums[res.WorkloadSHA] {
			t.Error("another think time has the same hash")
		}
		dry, _ := setup(t, on, "openai-chat", closed(), &talking{n: 10, make: sequence(3, 0)})
		turns := 0
		sha, err := Dry(dry, func(*Planned) bool { turns++; return true })
		if err != nil || !sums[sha] || turns != 30 {
			t.Errorf("a rehearsal of %d turns has the hash %s: %v", turns, sha, err)
		}
		_ = dry.Journal.Close()
	})
}

// What falls due between the look at what is due and the wait for it wakes the dispatcher at once:
// nothing else would.
func TestWaitSeesWhatHasBecomeDue(t *testing.T) {
	for _, name := range []string{"a turn", "a conversation"} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				r := newRun(ctx, nil, Config{Clock: wire.NewClock(), Schedule: Schedule{GoTimers: true}, Workload: Workload{Conversations: &Conversations{}}})
				due := r.cfg.Clock.Now() - 1
				d := &dispatcher{run: r, timer: time.NewTimer(0), now: due - 1}
				if j := (&job{place: place{conversation: &conversation{place: -1}}, body: []byte("x"), due: due}); name == "a turn" {
					r.conversations.push(j)
				} else {
					d.next = j
				}
				if d.wait(); r.cfg.Clock.Now() != due+1 {
					t.Errorf("it was slept through for %v", time.Duration(r.cfg.Clock.Now()-due-1))
				}
			})
		})
	}
}
