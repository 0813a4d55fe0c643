package load

import (
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
)

// primer is a conversation of two branches, of which one is sent a minute before the other.
func primer(number int, words string) *workload.Request {
	c := &talk.Conversation{Number: number, First: 2 * (number - 1), Turns: []talk.Turn{
		{Continues: -1, Messages: says("the root of %d", number), OutputTokens: 1, Waits: []talk.Wait{{Turn: talk.FromBegin, Delay: time.Minute}}},
		{Continues: -1, Branch: 1, Messages: says("the branch of %d%s", number, words), OutputTokens: 1, Waits: []talk.Wait{{Turn: talk.FromBegin}}},
	}}
	return &workload.Request{Index: c.First, Conversation: number, Talk: c}
}

// TestPrimers: they are sent at their times before the clock starts, under the sessions of what they prime, and are warm-ups.
func TestPrimers(t *testing.T) {
	virtual(t, func(t *testing.T) {
		on := startSim(t, func(*sim.Config) {})
		s := &talking{n: 2, make: sequence(1, 0)}
		cfg, read := setup(t, on, "openai-chat", closed(), s)
		cfg.Conversations = &Conversations{Header: "X-Session-ID", BranchSessions: true, MaxOpen: 1, IdleCap: 10 * time.Second}
		cfg.Primers = []*workload.Request{primer(1, ""), primer(2, "")}
		res, err := Run(t.Context(), nil, cfg)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		primers := map[string]journal.Request{}
		for _, r := range records {
			if r.Warmup {
				primers[r.ID] = r
			}
		}
		root, branch := primers["t-primer-2-1"], primers["t-primer-2-2"]
		if len(primers) != 4 || res.Sent != 2 || len(res.Skips) != 0 || len(on.conversations) != 2 {
			t.Fatalf("%d primers, %d requests, %d skips, %d conversations", len(primers), res.Sent, len(res.Skips), len(on.conversations))
		}
		if root.End > 0 || root.Outcome != journal.Complete || root.Due-branch.End != int64(10*time.Second) {
			t.Errorf("the root was due %v after the branch, of a minute of which all but 10 s is skipped: %+v", time.Duration(root.Due-branch.End), root)
		}
		truth := on.truth()
		for id, want := range map[string]string{"t-primer-2-1": "t-conv-2", "t-primer-2-2": "t-conv-2-1", "t-1": "t-conv-2"} {
			if got := truth[id].Session; got != want {
				t.Errorf("%s has the session %q, want %q", id, got, want)
			}
		}
	})
}

// TestFailedPrimers: a root's ends the run, a branch's does not.
func TestFailedPrimers(t *testing.T) {
	long := strings.Repeat(", far too long", 50)
	for name, tt := range map[string]struct {
		limit int
		words string
		want  string
	}{
		"branch": {40, long, ""},
		"root":   {3, "", "the primer of conversation "},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				on := startSim(t, func(c *sim.Config) { c.MaxModelLen = tt.limit })
				cfg, read := setup(t, on, "openai-chat", closed(), &talking{n: 1, make: sequence(1, 0)})
				cfg.Conversations = &Conversations{}
				cfg.Primers = []*workload.Request{primer(1, tt.words), primer(2, tt.words)}
				cfg.Started = func() error { return cfg.Journal.Run(&journal.Run{Schema: journal.Schema}) }
				_, err := Run(t.Context(), nil, cfg)
				if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if err != nil {
					_ = cfg.Started() // a journal without a first line can't be read
				}
				read()
			})
		})
	}
}
