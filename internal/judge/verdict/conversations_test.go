package verdict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// talks are conversations: begin says when each is due, think how long the user thinks
// after an answer. Prompts and latencies grow with the history, of which the server has
// all but the newest part in its cache. Each turn that follows is late by so much.
type talks struct {
	n, turns    int
	think, late int64
	begin       func(i int, free int64) int64 // free: when one of those before it was over
	slots       int                           // open at a time; 0: no bound
	same        bool                          // all users say the same after their first turn
}

func (c *talks) fill(w *world) {
	w.run.Options.Dataset, w.run.Options.Backend, w.run.Options.Endpoint = "multi-turn", "openai-chat", "/v1/chat/completions"
	free := make([]int64, max(c.slots, 1))
	for i := range c.n {
		slot := i % len(free)
		at := c.begin(i, free[slot])
		for turn := range c.turns {
			r := stream(i*c.turns+turn, at+msNs/10)
			r.Conversation, r.Turn, r.NewConn = i+1, turn+1, i < 10 && turn == 0
			r.Due, r.Released = at, at+msNs/20
			r.UsagePrompt, r.UsageCached, r.CachedKnown = prompt+1+turn*(prompt+tokens), turn*prompt, true
			more := int64(turn) * 15 * msNs
			r.Events.At[0] += more
			r.End += more
			if turn > 0 {
				r.After, r.Delay = []int{r.Index - 1}, c.think
				r.Released, r.Sent, r.End = r.Released+c.late, r.Sent+c.late, r.End+c.late
				if c.same {
					r.PromptHash = "00000000000000ff"
				}
			}
			w.requests = append(w.requests, r)
			at = r.End + c.think
			free[slot] = r.End
		}
	}
}

func openTalks(c talks) *world {
	w := newWorld("constant")
	w.run.Options.RequestRate = 10
	c.begin = func(i int, _ int64) int64 { return int64(i) * 100 * msNs }
	c.fill(w)
	return w
}

func closedTalks(c talks) *world {
	w := newWorld("closed")
	w.run.Options.MaxConcurrency, w.run.Options.MaxConversations = c.slots, c.slots
	c.begin = func(_ int, free int64) int64 { return free }
	c.fill(w)
	return w
}

// Runs of conversations are valid: nothing that they do by plan is taken for a fault.
// What a check can't say of them it does not say, with the reason.
func TestConversationsAreValid(t *testing.T) {
	for name, tt := range map[string]struct {
		world *world
		want  map[string]string // how the check's level and sentence begin
	}{
		"open loop": {openTalks(talks{n: 200, turns: 5, think: 300 * msNs}), map[string]string{
			"rate":             "ok: conversations were due at 10 a second and went out at 10",
			"lateness":         "ok: requests were sent",
			"growing":          "not checked: in a run of conversations the number in flight grows until",
			"cached_tokens":    "not checked: turns of a conversation share their history by design",
			"lag":              "ok: each following request went out",
			"ramp_drain":       "not checked: not a closed loop",
			"prompt_tokens":    "ok",
			"repeated_prompts": "ok: 0 of 200 prompts",
		}},
		"users that say the same": {openTalks(talks{n: 200, turns: 5, think: 300 * msNs, same: true}), map[string]string{
			"repeated_prompts": "ok: 0 of 200 prompts",
		}},
		"closed loop with think time": {closedTalks(talks{n: 300, turns: 4, think: 500 * msNs, slots: 10}), map[string]string{
			"rate":       "not checked: a closed loop asks for no rate",
			"lateness":   "ok: counted from the answers before them, later turns were ready",
			"ramp_drain": "not checked: a user who is thinking has nothing in flight",
			"drift":      "ok: TTFT of first turns",
			"little":     "ok",
		}},
		"a few deep ones": {closedTalks(talks{n: 10, turns: 60, think: 100 * msNs, slots: 10}), map[string]string{
			"drift":      "not checked: too few first turns (10)",
			"ramp_drain": "not checked: a user who is thinking",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.world.derive()
			v := tt.world.judge(t, Options{})
			if v.Level != TrustValid {
				t.Errorf("%s: %v", v.Level, bad(v))
			}
			for check, want := range tt.want {
				k := v.Check(check)
				if got := fmt.Sprintf("%s: %s", k.Level, k.Sentence); !strings.HasPrefix(got, want) {
					t.Errorf("%s is %s, want %s…", check, got, want)
				}
			}
		})
	}
}

// What is wrong with a run of conversations is found all the same.
func TestSpoiledConversations(t *testing.T) {
	held := openTalks(talks{n: 200, turns: 5, think: 300 * msNs})
	held.run.Options.MaxConversations = 20
	held.each(1, func(r *journal.Request) { // each conversation begins later than it should, ever more so
		by := int64(r.Conversation) * 50 * msNs
		r.Sent, r.End = r.Sent+by, r.End+by
		if r.Turn > 1 {
			r.Due, r.Released = r.Due+by, r.Released+by
		}
	})
	for name, tt := range map[string]struct {
		world        *world
		check, words string
	}{
		"late turns":                  {closedTalks(talks{n: 300, turns: 4, think: 500 * msNs, late: 60 * msNs, slots: 10}), "lateness", "later turns were ready 60"},
		"conversations held back":     {held, "rate", "the limit of 20 open ones held them back"},
		"first turns sent once more":  {repeatedTalks(), "repeated_prompts", "of 200 prompts had been sent before"},
		"a limit that is never lived": {neverFull(), "ramp_drain", "the concurrency of 40 was never reached"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.world.derive()
			v := tt.world.judge(t, Options{})
			if k := v.Check(tt.check); !k.Level.Bad() || !strings.Contains(k.Sentence, tt.words) {
				t.Errorf("%s: %s; bad are %v", k.Level, k.Sentence, bad(v))
			}
		})
	}
}

// repeatedTalks has the same first turns twice.
func repeatedTalks() *world {
	w := openTalks(talks{n: 200, turns: 5, think: 300 * msNs})
	w.each(1, func(r *journal.Request) {
		if r.Turn == 1 {
			r.PromptHash = fmt.Sprintf("%016x", r.Conversation%100+1)
		}
	})
	return w
}

// neverFull has no think time and no limit of conversations, and yet unused slots.
func neverFull() *world {
	w := closedTalks(talks{n: 300, turns: 4, slots: 10})
	w.run.Options.MaxConcurrency, w.run.Options.MaxConversations = 40, 0
	return w
}
