package load

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
)

// The token that ends an answer is a token of TGI's, and no text: as an event it has no text,
// and the counts have it.
func TestTGIsEndTokenIsCountedAndUnseen(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(c *sim.Config) { c.EOS = 0.2 })
		cfg, read := setup(t, s, "tgi", closed(), &prompts{n: 40, tokens: 12})
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		records, run := read()
		truth := s.truth()
		ended := 0
		for i := range records {
			q := &records[i]
			s.compareWithTruth(t, q, truth[q.ID], run, false, false)
			if q.Events.TokensBy != "token_ids" && len(q.Events.At) > 1 {
				t.Errorf("%s: tokens by %q", q.ID, q.Events.TokensBy)
			}
			if q.FinishReason == "stop" {
				ended++
			}
		}
		if ended == 0 || ended == len(records) {
			t.Errorf("%d of %d answers ended by themselves: the test shows nothing", ended, len(records))
		}
	})
}

// Answers in one piece, from the path that each server has for them.
func TestEnginesUnstreamed(t *testing.T) {
	for _, name := range []string{"sglang", "tgi"} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(c *sim.Config) { c.EOS = 0.1 })
				cfg, read := setup(t, s, name, closed(), &prompts{n: 20, tokens: 12})
				whole, err := cfg.Protocol.Unstreamed()
				if err != nil {
					t.Fatal(err)
				}
				cfg.Protocol, cfg.Call.NoStream, cfg.URL = whole, true, s.url+whole.Path()
				if _, err := Run(t.Context(), nil, cfg); err != nil {
					t.Fatal(err)
				}
				records, _ := read()
				truth := s.truth()
				if len(records) != 20 {
					t.Errorf("%d records", len(records))
				}
				for i := range records {
					q, known := &records[i], truth[records[i].ID]
					if q.Outcome != journal.Complete || *q.Text != known.Text || q.UsageOutput != known.CompletionTokens || q.FinishReason != known.Finish || known.Stream {
						t.Errorf("%s %s: %q, %d tokens, %s; the truth has %q, %d, %s", q.Outcome, q.Error, *q.Text, q.UsageOutput, q.FinishReason, known.Text, known.CompletionTokens, known.Finish)
					}
				}
			})
		})
	}
}
