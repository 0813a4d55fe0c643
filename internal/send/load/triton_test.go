package load

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/sim"
)

// sendTriton sends some requests with more fields to a model of the sim's.
func sendTriton(t *testing.T, backend, model, extra string) (*server, []journal.Request, *journal.Run) {
	t.Helper()
	s := startSim(t, func(c *sim.Config) { c.TokensPerChunk = 2 })
	cfg, read := setup(t, s, backend, closed(), &prompts{n: 12, tokens: 33})
	cfg.URL = s.url + protocol.FillPath(cfg.Protocol.Path(), model)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(extra), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		cfg.Call.Extra = append(cfg.Call.Extra, protocol.Field{Name: name, Value: value})
	}
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, run := read()
	if len(records) != 12 {
		t.Fatalf("%d records", len(records))
	}
	return s, records, run
}

// TestAccumulatedTextsAreTheTruths: a model that sends all of the text with each event.
func TestAccumulatedTextsAreTheTruths(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s, records, run := sendTriton(t, "trtllm", "tensorrt_llm_bls", `{"accumulate_tokens":true}`)
		truth := s.truth()
		for i := range records {
			s.compareWithTruth(t, &records[i], truth[records[i].ID], run, false, false)
			if records[i].Events.TokensBy != "usage" {
				t.Errorf("tokens by %q", records[i].Events.TokensBy)
			}
		}
	})
}

// TestInferTextsAreTheTruths: texts, and counts where they are asked for.
func TestInferTextsAreTheTruths(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for _, extra := range []string{`{}`, `{"return_num_output_tokens":true,"return_num_input_tokens":true,"temperature":0.5,"outputs":[{"name":"text_output"}]}`} {
			s, records, run := sendTriton(t, "kserve", "ensemble", extra)
			truth := s.truth()
			for i := range records {
				q, known := &records[i], truth[records[i].ID]
				sum := sha256.Sum256([]byte(*q.Text))
				if q.Outcome != journal.Complete || hex.EncodeToString(sum[:]) != known.TextSHA256 || len(q.Events.At) != 1 {
					t.Errorf("%s: %s %s: %q, the server sent %q", q.ID, q.Outcome, q.Error, *q.Text, known.Text)
				}
				if extra != "{}" && (q.UsageOutput != known.CompletionTokens || q.UsagePrompt != known.PromptTokens) {
					t.Errorf("%s: usage %d and %d, want %d and %d", q.ID, q.UsagePrompt, q.UsageOutput, known.PromptTokens, known.CompletionTokens)
				}
				if late := run.StartUnixNs + q.End - known.Ended; late != 0 {
					t.Errorf("%s: ended %d ns after the server sent the end", q.ID, late)
				}
			}
		}
	})
}

// TestTritonUnknownModel: the name in the URL is one segment, and its error's words are shown.
func TestTritonUnknownModel(t *testing.T) {
	virtual(t, func(t *testing.T) {
		for backend, model := range map[string]string{"trtllm": "a/b c", "kserve": "../../v1/completions"} {
			_, records, _ := sendTriton(t, backend, model, `{}`)
			if q := &records[0]; q.Status != 404 || !strings.Contains(q.Error, model) {
				t.Errorf("%s: %d %s", backend, q.Status, q.Error)
			}
		}
	})
}
