package load

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/dialect"
)

// TestNamedUnstreamed: an answer that is one object has the same text and counts.
func TestNamedUnstreamed(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, backend := range []string{"openai-responses", "anthropic"} {
			s := startSim(t, func(*sim.Config) {})
			cfg, read := setup(t, s, backend, closed(), &prompts{n: 5, tokens: 9})
			whole, err := cfg.Protocol.Unstreamed()
			if err != nil {
				t.Fatal(err)
			}
			cfg.Protocol, cfg.Call.NoStream = whole, true
			if _, err := Run(t.Context(), nil, cfg); err != nil {
				t.Fatal(err)
			}
			records, _ := read()
			truth := s.truth()
			if len(records) != 5 {
				t.Errorf("%d records", len(records))
			}
			for i := range records {
				q := &records[i]
				known := truth[q.ID]
				if q.Outcome != journal.Complete || *q.Text != known.Text || q.FinishReason != "length" || q.UsageOutput != 9 || q.UsagePrompt != known.PromptTokens {
					t.Errorf("%s: %s %s, finish %q, usage %d and %d, text %q; the truth is %+v", backend, q.Outcome, q.Error, q.FinishReason, q.UsagePrompt, q.UsageOutput, *q.Text, known)
				}
			}
		}
	})
}

// TestNamedConversations: a server that refuses what its API refuses takes the turns of
// conversations, with the calls of tools that it made itself and their results.
func TestNamedConversations(t *testing.T) {
	for _, backend := range []string{"openai-responses", "anthropic"} {
		for _, style := range []string{"", "tools", "reasoning"} {
			t.Run(backend+" "+style, func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					on := startSim(t, func(c *sim.Config) {
						var err error
						if c.Framing, err = dialect.ParseFraming(style); err != nil {
							t.Fatal(err)
						}
					})
					s := &talking{n: 5, make: func(number int) []talk.Turn {
						turns := []talk.Turn{
							{Messages: append([]talk.Message{{JSON: talk.Text("system", "be brief")}}, says("conversation %d", number)...), OutputTokens: 4},
							{Messages: []talk.Message{tool("rain")}, OutputTokens: 4},
							{Messages: says("thanks"), OutputTokens: 4},
						}
						talk.Sequence(turns)
						return turns
					}}
					records, _ := s.run(t, on, closed(), func(c *Config) {
						p, err := protocol.FindBackend(backend)
						if err != nil {
							t.Fatal(err)
						}
						c.Protocol, c.URL, c.Call.IgnoreEOS = p, on.url+p.Path(), !p.Lacks.IgnoreEOS
					})
					var prompts [3][]int
					for i := range 15 {
						q := records[i]
						if q.Outcome != journal.Complete || q.UsageOutput != 4 {
							t.Errorf("turn %d: %s %s, %d tokens", q.Turn, q.Outcome, q.Error, q.UsageOutput)
							continue
						}
						prompts[q.Turn-1] = append(prompts[q.Turn-1], q.UsagePrompt)
					}
					for k := 1; k < 3; k++ {
						if len(prompts[k]) == 0 || slices.Min(prompts[k]) <= slices.Max(prompts[k-1]) {
							t.Errorf("turn %d has no more prompt than the one before: %v", k+1, prompts)
						}
					}
				})
			})
		}
	}
}
