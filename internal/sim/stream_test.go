package sim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/dialect"
)

// TestFramings sends each framing alone and some together, and reads the
// streams back: kinds, texts, usage and end must be those of the truth.
func TestFramings(t *testing.T) {
	styles := append([]string{""}, dialect.FramingNames()...)
	styles = append(styles, "nospace,crlf,event-lines,pings", "split,crlf,pings,event-lines", "merge,usage-last,reasoning,tools",
		"reasoning-content,finish-event,no-done", "split,tools,role-first", "merge,pings,no-usage,no-role")
	for _, style := range styles {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			cfg := fast()
			var err error
			if cfg.Framing, err = dialect.ParseFraming(style); err != nil {
				t.Fatal(err)
			}
			r := start(t, cfg)
			streams := map[string]*got{}
			for i := range 3 {
				for _, path := range []string{dialect.PathCompletions, dialect.PathChat} {
					id := fmt.Sprintf("%s-%d", path[1:], i)
					body := fmt.Sprintf(`{"prompt":"hello %d","messages":[{"role":"user","content":"hello %d"}],"max_tokens":%d,"stream":true,"stream_options":{"include_usage":true}}`, i, i, 1+30*i)
					streams[id] = read(r.post(path, id, body))
				}
			}
			truth := r.truth()
			if len(truth) != len(streams) {
				t.Fatalf("%d records of %d requests", len(truth), len(streams))
			}
			for id, g := range streams {
				compare(t, id, cfg.Framing, g, truth[id])
			}
		})
	}
}

func compare(t *testing.T, id string, f dialect.Framing, g *got, rec Record) {
	t.Helper()
	if g.err != nil {
		t.Fatalf("%s: %v", id, g.err)
	}
	if !slices.Equal(g.kinds, rec.Kinds) || len(rec.Events) != len(rec.Kinds) || len(rec.Tokens) != len(rec.Kinds) {
		t.Errorf("%s: read events %v, truth has %v (%d times)", id, g.kinds, rec.Kinds, len(rec.Events))
	}
	if g.text != rec.Text || g.reason != rec.ReasoningText || g.tool != rec.ToolText {
		t.Errorf("%s: read %q %q %q, truth has %q %q %q", id, g.text, g.reason, g.tool, rec.Text, rec.ReasoningText, rec.ToolText)
	}
	if sha(g.text) != rec.TextSHA256 {
		t.Errorf("%s: hash of the text differs", id)
	}
	if g.finish != rec.Finish || g.finish == "" {
		t.Errorf("%s: read finish %q, truth has %q", id, g.finish, rec.Finish)
	}
	if g.done == f.Has(dialect.FrameNoDone) {
		t.Errorf("%s: [DONE] read: %v", id, g.done)
	}
	if (g.comment > 0) != f.Has(dialect.FramePings) || (g.events > 0) != f.Has(dialect.FrameEventLines) {
		t.Errorf("%s: %d comments, %d event lines", id, g.comment, g.events)
	}
	sum := 0
	for _, n := range rec.Tokens {
		sum += n
	}
	if sum != rec.CompletionTokens || rec.CompletionTokens != rec.MaxTokens {
		t.Errorf("%s: %d tokens in events, %d in all, %d asked for", id, sum, rec.CompletionTokens, rec.MaxTokens)
	}
	if f.Has(dialect.FrameNoUsage) != (g.usage == nil) {
		t.Fatalf("%s: usage %v", id, g.usage)
	}
	if g.usage != nil && (int(g.usage["completion_tokens"].(float64)) != rec.CompletionTokens || int(g.usage["prompt_tokens"].(float64)) != rec.PromptTokens) {
		t.Errorf("%s: usage %v, truth %d and %d", id, g.usage, rec.PromptTokens, rec.CompletionTokens)
	}
	if !slices.IsSorted(rec.Events) || rec.Events[0] < rec.Received || rec.Started < rec.Received {
		t.Errorf("%s: received %d, started %d, events %v", id, rec.Received, rec.Started, rec.Events)
	}
}
