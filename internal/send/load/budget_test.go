package load

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
)

// tinyRoom holds some three of the bodies below, so that a run of hundreds fills it again and again.
const tinyRoom = 600

// roomWatch looks at the room each time before another request is made. The source may be asked only by the
// goroutine that fills the room, so what it sees can only become less until it goes on.
type roomWatch struct {
	workload.Source
	of          *budget
	least, most int
}

func (w *roomWatch) Next() (*workload.Request, error) {
	w.of.mu.Lock()
	w.least, w.most = min(w.least, w.of.size), max(w.most, w.of.size)
	w.of.mu.Unlock()
	return w.Source.Next()
}

// inTinyRoom runs a configuration with room for a few bodies that wait. However it ends, all that was taken of
// the room is given back, and nothing twice.
func inTinyRoom(t *testing.T, drain <-chan struct{}, cfg Config) (*Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // a room that stays full has no other end
	defer cancel()
	r := newRun(ctx, drain, cfg)
	r.ahead.budget = newBudget(tinyRoom)
	watch := &roomWatch{Source: cfg.Source, of: r.ahead.budget}
	r.cfg.Source = watch
	res, err := r.execute(drain)
	if ctx.Err() != nil {
		t.Error("the run went silent")
	}
	if r.ahead.budget.size != 0 {
		t.Errorf("%d bytes of the room are still taken after the run", r.ahead.budget.size)
	}
	if watch.least < 0 || watch.most > tinyRoom {
		t.Errorf("between %d and %d bytes waited in a room of %d", watch.least, watch.most, tinyRoom)
	}
	return res, err
}

// together is a conversation whose two turns begin at once.
func together(number int) []talk.Turn {
	return []talk.Turn{
		{Continues: -1, Messages: says("conversation %d, here", number), OutputTokens: 2, PromptTokens: 5},
		{Continues: -1, Messages: says("conversation %d, and there", number), OutputTokens: 2, PromptTokens: 5},
	}
}

// Requests that are made ahead wait for room, and the room is given back for as long as the run goes on.
func TestRoomIsGivenBack(t *testing.T) {
	const n = 300
	fast := pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 1000}, N: n}
	faulty := func(c *sim.Config) { c.Faults = sim.Faults{sim.FaultHTTP500: 0.2, sim.FaultReset: 0.2} }
	for _, tt := range []struct {
		name   string
		spec   pace.Spec
		server func(*sim.Config)
		turns  func(number int) []talk.Turn // nil: single requests
		sent   int                          // 0: not known before
		change func(*Config)
	}{
		{name: "single, closed loop", spec: closed(), sent: n},
		{name: "single, open loop", spec: fast, sent: n},
		{name: "single, of a trace", spec: fast, sent: n, change: func(c *Config) { c.Timed = true }},
		{name: "single, failing", spec: closed(), server: faulty, sent: n},
		{name: "single, warm-ups", spec: closed(), sent: n, change: func(c *Config) {
			c.Warmups = []*workload.Request{(&prompts{tokens: 2}).request(0), (&prompts{tokens: 2}).request(1)}
		}},
		{name: "single, paused", spec: fast, sent: n, change: pausedAt(n / 2)},
		{name: "single, begun on a signal", spec: closed(), sent: n, change: func(c *Config) { c.Begin = func(context.Context) error { return nil } }},
		{name: "conversations, closed loop", spec: closed(), turns: sequence(2, 0), sent: 2 * n},
		{name: "conversations, open loop", spec: fast, turns: sequence(2, time.Millisecond), sent: 2 * n},
		{name: "conversations, turns at once", spec: closed(), turns: together, sent: 2 * n},
		{name: "conversations, failing", spec: closed(), server: faulty, turns: sequence(2, 0)},
		{name: "conversations, few open", spec: closed(), turns: sequence(2, 0), sent: 2 * n, change: func(c *Config) { c.Conversations.MaxOpen = 2 }},
		{name: "conversations, paused", spec: fast, turns: sequence(2, 0), sent: 2 * n, change: pausedAt(n / 2)},
		{name: "conversations, begun on a signal", spec: closed(), turns: sequence(2, 0), sent: 2 * n, change: func(c *Config) {
			c.Begin = func(context.Context) error { return nil }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				if tt.server == nil {
					tt.server = func(*sim.Config) {}
				}
				cfg := roomConfig(t, startSim(t, tt.server), tt.spec, n, tt.turns)
				if tt.change != nil {
					tt.change(&cfg)
				}
				res, err := inTinyRoom(t, nil, cfg)
				if err != nil {
					t.Fatal(err)
				}
				if tt.sent > 0 && res.Sent != tt.sent || res.Sent < n || res.Interrupted != "" {
					t.Errorf("%d requests were sent, not %d (%q)", res.Sent, tt.sent, res.Interrupted)
				}
			})
		})
	}
}

// roomConfig sends single requests, or conversations of these turns. Nobody reads the journal.
func roomConfig(t *testing.T, s *server, spec pace.Spec, n int, turns func(int) []talk.Turn) Config {
	t.Helper()
	var source workload.Source = &prompts{n: n, tokens: 2}
	if turns != nil {
		source = &talking{n: n, make: turns}
	}
	cfg, _ := setup(t, s, "openai-chat", spec, source)
	if turns != nil {
		cfg.Conversations = &Conversations{}
	}
	t.Cleanup(func() {
		if err := cfg.Journal.Close(); err != nil {
			t.Error(err)
		}
	})
	return cfg
}

func pausedAt(n int) func(*Config) {
	return func(c *Config) {
		c.Control = &Control{}
		c.Sending = pausing(c.Control, n, 50*time.Millisecond)
	}
}

// ending is a source that fails after so many requests.
type ending struct {
	workload.Source
	left int
}

var errBroken = errors.New("the file ends in the middle of a line")

func (e *ending) Next() (*workload.Request, error) {
	if e.left--; e.left < 0 {
		return nil, errBroken
	}
	return e.Source.Next()
}

// What waits when a run stops is given back too, so that every end leaves an empty room.
func TestRoomIsGivenBackAtAnEarlyEnd(t *testing.T) {
	const n = 300
	for name, turns := range map[string]func(int) []talk.Turn{"single": nil, "conversations": sequence(2, 0)} {
		for _, tt := range []struct {
			name   string
			change func(c *Config, drain chan struct{})
			err    error
		}{
			{name: "drained", change: func(c *Config, drain chan struct{}) {
				c.Sending = func(k int) bool {
					if k == 50 {
						close(drain)
					}
					return k < 50
				}
			}},
			{name: "deadline", change: func(c *Config, _ chan struct{}) { c.Deadline = 30 * time.Millisecond; c.Concurrency = 2 }},
			{name: "broken workload", change: func(c *Config, _ chan struct{}) { c.Source = &ending{c.Source, 50} }, err: errBroken},
			{name: "no beginning", change: func(c *Config, _ chan struct{}) {
				c.Begin = func(context.Context) error { return io.ErrUnexpectedEOF }
			}, err: io.ErrUnexpectedEOF},
		} {
			t.Run(name+", "+tt.name, func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					cfg := roomConfig(t, startSim(t, func(*sim.Config) {}), closed(), n, turns)
					drain := make(chan struct{})
					tt.change(&cfg, drain)
					if _, err := inTinyRoom(t, drain, cfg); !errors.Is(err, tt.err) {
						t.Errorf("error %v, want %v", err, tt.err)
					}
				})
			})
		}
	}
}
