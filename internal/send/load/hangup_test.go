package load

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/hangup"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// hungUp are the requests of a journal that ended so, by their index.
func hungUp(records []journal.Request) (list []int) {
	for _, r := range byIndex(records) {
		if r.Outcome == journal.HungUp {
			list = append(list, r.Index)
		}
	}
	return list
}

// Those that the plan draws are ended at their moment, the simulator saw each of them leave then, and all others are complete.
func TestHangUpIsTheTruths(t *testing.T) {
	const n, tokens = 200, 20
	ms := time.Millisecond
	for _, tt := range []struct {
		name string
		plan hangup.Plan
		// The first token comes after 30 ms, the others 10 ms later each; got is how many have come by then.
		got int
	}{
		{"at once", hangup.Plan{Share: 0.3, Timed: true}, 0},
		{"before the first token", hangup.Plan{Share: 0.3, Timed: true, After: 25 * ms}, 0},
		{"in the middle", hangup.Plan{Share: 0.3, Timed: true, After: 75 * ms}, 5},
		{"with tokens", hangup.Plan{Share: 0.3, Tokens: 7}, 7},
		{"with tokens before the time", hangup.Plan{Share: 0.3, Tokens: 3, Timed: true, After: 75 * ms}, 3},
		{"everybody", hangup.Plan{Share: 1, Tokens: 1}, 1},
		{"too late", hangup.Plan{Share: 1, Timed: true, After: time.Hour, Tokens: tokens + 1}, tokens},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(c *sim.Config) { c.TTFT, c.ITL = random.Constant(30*ms), random.Constant(10*ms) })
				cfg, read := setup(t, s, "vllm", closed(), &prompts{n: n, tokens: tokens})
				plan := tt.plan
				plan.Seed = 7
				cfg.HangUp, cfg.Progress = &plan, &Progress{}
				if _, err := Run(context.Background(), nil, cfg); err != nil {
					t.Fatal(err)
				}
				records, _ := read()
				truth := s.truth()
				var drawn []int
				for i := range n {
					if after, with := plan.At(i); (after > 0 || with > 0) && tt.got < tokens {
						drawn = append(drawn, i)
					}
				}
				got := hungUp(records)
				if len(records) != n || !slices.Equal(got, drawn) || (tt.got < tokens) != (len(drawn) > n/5) {
					t.Fatalf("%d records; hung up %v, drawn %v", len(records), got, drawn)
				}
				for _, r := range records {
					left, seen := r.Outcome == journal.HungUp, truth[r.ID]
					if left && (len(r.Events.At) != tt.got || (seen.Finish != "abort" && seen.ID != "")) {
						t.Errorf("%s: %d events, and the simulator saw %q after %d tokens", r.ID, len(r.Events.At), seen.Finish, seen.CompletionTokens)
					}
					if after, _ := plan.At(r.Index); left && after > 0 && tt.plan.Tokens == 0 && time.Duration(r.End-r.Sent) != after {
						t.Errorf("%s ended after %v", r.ID, time.Duration(r.End-r.Sent))
					}
					if left && !strings.Contains(r.Error, "on purpose") || !left && (r.Outcome != journal.Complete || seen.CompletionTokens != tokens) {
						t.Errorf("%s: %s: %s; the simulator sent %d tokens", r.ID, r.Outcome, r.Error, seen.CompletionTokens)
					}
					if after, with := plan.At(r.Index); r.HangUpNs != int64(after) || r.HangUpTokens != with {
						t.Errorf("%s: planned %d ns, %d tokens", r.ID, r.HangUpNs, r.HangUpTokens)
					}
				}
				if p := cfg.Progress.Snapshot(); p.HungUp != int64(len(drawn)) || p.Failed != 0 || p.Ended() != n {
					t.Errorf("%+v", p)
				}
			})
		})
	}
}

// The real engines hang up on the same requests.
func TestRealHangUp(t *testing.T) {
	plan := hangup.Plan{Seed: 3, Share: 0.4, Tokens: 3}
	for _, noLoop := range []bool{false, true} {
		s := startReal(t, func(c *sim.Config) { c.ITL = random.Constant(5 * time.Millisecond) })
		s.noLoop = noLoop
		cfg, read := setup(t, s, "openai-chat", closed(), &prompts{n: 60, tokens: 30})
		cfg.HangUp = &plan
		if _, err := Run(context.Background(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		truth := s.truth()
		for _, r := range records {
			_, with := plan.At(r.Index)
			if (with > 0) != (r.Outcome == journal.HungUp) || with == 0 && r.Outcome != journal.Complete {
				t.Errorf("net/http %v: %s: %s %s, drawn %v", noLoop, r.ID, r.Outcome, r.Error, with > 0)
			}
			if seen := truth[r.ID]; (with > 0) != (seen.Finish == "abort") {
				t.Errorf("net/http %v: %s: the simulator saw %q after %d of %d tokens", noLoop, r.ID, seen.Finish, seen.CompletionTokens, seen.MaxTokens)
			}
		}
	}
}

// Warm-ups, and what is sent beside the load, are never ended on purpose.
func TestHangUpLeavesOthersAlone(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		list := &prompts{n: 20, tokens: 8}
		cfg, read := setup(t, s, "vllm", closed(), list)
		cfg.HangUp = &hangup.Plan{Share: 1, Timed: true}
		cfg.Warmups = append(cfg.Warmups, list.request(100), list.request(101))
		if _, err := Run(context.Background(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		for _, r := range records {
			if want := map[bool]journal.Outcome{true: journal.Complete, false: journal.HungUp}[r.Warmup]; r.Outcome != want {
				t.Errorf("%+v", r)
			}
		}
		if len(records) != 22 {
			t.Errorf("%d records", len(records))
		}
	})
}

// Who hangs up on a turn asks on, with what has come of its answer; such a conversation is neither complete nor failed.
func TestHangUpWithinConversations(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 40, make: sequence(3, 5*time.Millisecond)}
		plan := &hangup.Plan{Share: 0.3, Tokens: 2}
		records, _ := s.run(t, on, closed(), func(c *Config) { c.HangUp, c.KeepPrompts = plan, true })
		if len(records) != 120 {
			t.Fatalf("%d of 120 turns were sent", len(records))
		}
		followed := 0
		for i, r := range records {
			if _, with := plan.At(i); (with > 0) != (r.Outcome == journal.HungUp) || with == 0 && r.Outcome != journal.Complete {
				t.Errorf("turn %d: %s %s", i, r.Outcome, r.Error)
			}
			next, has := records[i+1]
			if r.Outcome != journal.HungUp || !has || next.Conversation != r.Conversation {
				continue
			}
			followed++
			if !strings.Contains(*next.Prompt, strings.TrimSpace(*r.Text)) || *r.Text == "" || next.Due-r.End != int64(5*time.Millisecond) {
				t.Errorf("turn %d goes on with %s after %q", i, *next.Prompt, *r.Text)
			}
		}
		if followed < 10 {
			t.Errorf("%d turns followed one that was ended", followed)
		}
		for _, c := range on.conversations {
			left := false
			for i := range 3 {
				left = left || records[3*(c.Number-1)+i].Outcome == journal.HungUp
			}
			want := map[bool]journal.ConversationOutcome{true: journal.ConversationAbandoned, false: journal.ConversationComplete}[left]
			if c.Outcome != want || left != strings.Contains(c.Error, "on purpose") {
				t.Errorf("conversation %d: %s %q", c.Number, c.Outcome, c.Error)
			}
		}
	})
}

// What ended by itself is what it is, and what failed before that moment has failed.
func TestJudgeHungUp(t *testing.T) {
	t.Parallel()
	chunk := []stream.Event{{Kind: stream.EventChoices | stream.EventText, Tokens: 1}}
	for _, tt := range []struct {
		name  string
		trace stream.Trace
		want  journal.Outcome
	}{
		{"before an answer", stream.Trace{}, journal.HungUp},
		{"within one", stream.Trace{Status: 200, Events: chunk}, journal.HungUp},
		{"of an error", stream.Trace{Status: 503}, journal.HTTP5xx},
		{"after an error event", stream.Trace{Status: 200, Events: chunk, ErrorMark: true}, journal.StreamError},
		{"of what nobody understands", stream.Trace{Status: 200, Malformed: errors.New("no")}, journal.Protocol},
		{"after a finish reason", stream.Trace{Status: 200, Events: chunk, FinishReason: "stop"}, journal.Complete},
		{"after [DONE]", stream.Trace{Status: 200, Events: chunk, Done: true}, journal.Complete},
		{"of an endless one", stream.Trace{Status: 200, Events: chunk, Overlong: 99}, journal.Long},
	} {
		if got, words := judge(&tt.trace, wire.ErrHungUp, asked{tokens: 1}); got != tt.want {
			t.Errorf("%s: %s: %s", tt.name, got, words)
		}
	}
	if got, _ := judge(&stream.Trace{Status: 200}, wire.ErrHungUp, asked{pooling: true}); got != journal.HungUp {
		t.Errorf("vectors: %s", got)
	}
	if got, _ := judge(&stream.Trace{}, io.EOF, asked{}); got != journal.Reset {
		t.Errorf("the server hangs up: %s", got)
	}
}
