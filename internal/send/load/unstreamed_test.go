package load

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/dialect"
)

// Text, counts, finish reason and the moment of the end are the truth's.
func TestUnstreamedAnswersAreTheTruths(t *testing.T) {
	for _, name := range []string{"openai", "openai-chat"} {
		for _, style := range []string{"", "no-usage"} {
			t.Run(name+" "+style, func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					const n = 20
					s := startSim(t, func(c *sim.Config) {
						framing, err := dialect.ParseFraming(style)
						if err != nil {
							t.Fatal(err)
						}
						c.Framing = framing
					})
					cfg, read := setup(t, s, name+unstreamed, closed(), &prompts{n: n, tokens: 33})
					cfg.CountTokens = func(string) (int, error) { return 31, nil }
					if _, err := Run(t.Context(), nil, cfg); err != nil {
						t.Fatal(err)
					}
					records, run := read()
					truth := s.truth()
					if len(records) != n {
						t.Fatalf("%d records", len(records))
					}
					for i := range records {
						compareWhole(t, &records[i], truth[records[i].ID], run, style == "no-usage")
					}
				})
			})
		}
	}
}

func compareWhole(t *testing.T, q *journal.Request, known sim.Record, run *journal.Run, noUsage bool) {
	t.Helper()
	sum := sha256.Sum256([]byte(*q.Text))
	if q.Outcome != journal.Complete || hex.EncodeToString(sum[:]) != known.TextSHA256 || q.FinishReason != known.Finish {
		t.Errorf("%s: %s (%s), %q, finish %q; the server sent %q, %q", q.ID, q.Outcome, q.Error, *q.Text, q.FinishReason, known.Text, known.Finish)
	}
	if noUsage {
		if q.UsageOutput != 0 || q.TextTokens != 31 {
			t.Errorf("%s: usage %d, by our tokenizer %d", q.ID, q.UsageOutput, q.TextTokens)
		}
	} else if q.UsageOutput != known.CompletionTokens || q.UsagePrompt != known.PromptTokens {
		t.Errorf("%s: usage %d and %d, want %d and %d", q.ID, q.UsagePrompt, q.UsageOutput, known.PromptTokens, known.CompletionTokens)
	}
	if len(q.Events.At) != 1 {
		t.Fatalf("%s: %d events, want the answer as one", q.ID, len(q.Events.At))
	}
	at := run.StartUnixNs + q.Sent + q.Events.At[0]
	if late := time.Duration(at - known.Ended); late != 0 {
		t.Errorf("%s: the answer came %v after it was sent", q.ID, late)
	}
}
