package load

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/dialect"
)

// outcomeOf is what each fault must be to us.
var outcomeOf = map[string]journal.Outcome{
	"": journal.Complete, sim.FaultTruncate: journal.Truncated, sim.FaultErrorEvent: journal.StreamError,
	sim.FaultHTTP500: journal.HTTP5xx, sim.FaultHTTP429: journal.HTTP4xx, sim.FaultReset: journal.Reset,
	sim.FaultStall: journal.Timeout, sim.FaultShort: journal.Short, sim.FaultEmpty: journal.Empty,
	sim.FaultSlowHeaders: journal.Complete,
}

// excepting says where a protocol can't tell a fault from another outcome: the fault then ends in one of these, and in
// each of them at some time. None: the fault can't be.
type excepting map[string][]journal.Outcome

// Ends of answers that some APIs can't tell from others.
var (
	// shortIsWhole: it can't be told to go on beyond an answer's end, so that a shorter one is whole.
	shortIsWhole = excepting{sim.FaultShort: {journal.Complete}}
	// noEvents: an answer in one piece has no event for an error to stand in.
	noEvents = excepting{sim.FaultErrorEvent: {}}
)

// outcomesAreTheTruths sends n requests to a simulator that has all these faults, each often enough to come up. The
// times of those that ended in the fault are known to the nanosecond too, in virtual time.
func outcomesAreTheTruths(t *testing.T, s *server, backend string, n int, timeout time.Duration, faults sim.Faults, except excepting) {
	t.Helper()
	cfg, read := setup(t, s, backend, closed(), &prompts{n: n, tokens: 8})
	cfg.Timeout = timeout
	res, err := Run(t.Context(), nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if res.Sent != n || res.Interrupted != "" || res.PeakInFlight > cfg.Concurrency {
		t.Errorf("result = %+v", res)
	}
	records, _ := read()
	truth := s.truth()
	if len(records) != n || len(truth) != n {
		t.Fatalf("%d lines in the journal, %d in the truth, want %d", len(records), len(truth), n)
	}
	seen := map[string]map[journal.Outcome]int{}
	for i := range records {
		q := &records[i]
		fault := truth[q.ID].Fault
		want, excepted := except[fault]
		if !excepted {
			want = []journal.Outcome{outcomeOf[fault]}
		}
		if !slices.Contains(want, q.Outcome) {
			t.Errorf("%s had the fault %q: outcome %q (%s), want %v", q.ID, fault, q.Outcome, q.Error, want)
		}
		if (q.Outcome == journal.Complete) != (q.Error == "") {
			t.Errorf("%s: %s with error %q", q.ID, q.Outcome, q.Error)
		}
		if took := time.Duration(q.End - q.Sent); q.Outcome == journal.Timeout && (took < timeout || s.network != nil && took != timeout) {
			t.Errorf("%s: a timeout of %v after %v", q.ID, timeout, took)
		}
		if seen[fault] == nil {
			seen[fault] = map[journal.Outcome]int{}
		}
		seen[fault][q.Outcome]++
	}
	for fault := range faults {
		want, excepted := except[fault]
		if !excepted {
			want = []journal.Outcome{outcomeOf[fault]}
		}
		for _, o := range want {
			if seen[fault][o] == 0 {
				t.Errorf("the fault %q never ended as %s: the test shows nothing of it", fault, o)
			}
		}
	}
}

// allFaults are those that an answer can have, and shares of them in which each comes up.
var allFaults = sim.Faults{
	sim.FaultTruncate: 0.1, sim.FaultErrorEvent: 0.1, sim.FaultHTTP500: 0.04, sim.FaultHTTP429: 0.04, sim.FaultReset: 0.04,
	sim.FaultStall: 0.02, sim.FaultShort: 0.1, sim.FaultEmpty: 0.02, sim.FaultSlowHeaders: 0.02,
}

// Every request's outcome is the truth's, fault by fault, by every API.
func TestOutcomesAreTheTruths(t *testing.T) {
	for _, tt := range []struct {
		backend string
		n       int
		except  excepting
	}{
		{"vllm", 1000, nil},
		{"openai-chat", 1000, nil},
		{"openai" + unstreamed, 300, noEvents},
		{"openai-chat" + unstreamed, 300, noEvents},
		{"sglang", 300, nil},
		{"tgi", 300, shortIsWhole},
		{"ollama", 300, shortIsWhole},
		{"ollama-chat", 300, shortIsWhole},
		{"llamacpp", 300, nil},
		{"openai-responses", 300, nil},
		{"anthropic", 300, shortIsWhole},
		// No event of Triton's says that an answer is over, so that a body that ends in good order in the middle has
		// fewer tokens than asked for, and no more is known of it.
		{"trtllm", 300, excepting{sim.FaultTruncate: {journal.Truncated, journal.Short}}},
		{"kserve", 300, excepting{sim.FaultErrorEvent: {}, sim.FaultShort: {journal.Complete}}}, // no count, no reason
		{"custom-chat", 300, nil},
		{"custom-lines", 300, shortIsWhole},
		{"custom-grows", 300, nil},
		{"custom-whole", 300, noEvents},
	} {
		t.Run(tt.backend, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := startSim(t, func(c *sim.Config) {
					c.Faults, c.Stall, c.SlowHeaders = allFaults, time.Hour, 50*time.Millisecond
				})
				outcomesAreTheTruths(t, s, tt.backend, tt.n, time.Minute, allFaults, tt.except)
			})
		})
	}
}

// stylesOf are the framings in which each API's events are looked for.
func stylesOf(backend string) []string {
	switch backend {
	case "vllm", "openai-chat":
		return append([]string{"", "split,crlf,pings,event-lines,nospace", "merge,usage-last", "split,reasoning,tools"}, dialect.FramingNames()...)
	case "sglang", "tgi":
		return []string{
			"", "split,crlf,pings,event-lines", "merge", "no-usage", "finish-event", "no-done", "nospace",
			"incremental", "incremental,merge", "incremental,split,pings,no-usage", "pings",
		}
	case "ollama", "ollama-chat", "llamacpp": // those that are of server-sent events mean nothing to lines
		return append([]string{"", "split,crlf", "merge,crlf", "split,crlf,pings,event-lines,nospace", "merge,usage-last", "split,reasoning,tools"}, dialect.FramingNames()...)
	case "openai-responses", "anthropic":
		return append([]string{"", "split,crlf,pings,nospace", "merge,usage-last", "split,reasoning,tools", "reasoning-content,tools,role-first", "merge,reasoning,no-usage"}, dialect.FramingNames()...)
	case "trtllm":
		return append([]string{"", "split,crlf,pings,event-lines,nospace", "merge,usage-last"}, dialect.FramingNames()...)
	case "custom-chat":
		return []string{"", "split,crlf,pings,event-lines,nospace", "merge,usage-last", "split,reasoning", "no-usage", "finish-event", "no-done"}
	case "custom-lines":
		return []string{"", "split", "merge"}
	case "custom-grows":
		return []string{"", "split,crlf,pings,event-lines", "merge", "finish-event", "no-done", "nospace"}
	}
	return nil
}

// Whatever the framing, we see the events, tokens and texts that were sent, by every API.
func TestFramingsAreTheTruths(t *testing.T) {
	for _, backend := range []string{
		"vllm", "openai-chat", "sglang", "tgi", "ollama", "ollama-chat", "llamacpp", "openai-responses", "anthropic", "trtllm",
		"custom-chat", "custom-lines", "custom-grows",
	} {
		for _, style := range stylesOf(backend) {
			t.Run(backend+" "+style, func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					framingIsTheTruths(t, startSim(t, framed(t, style)), backend, style)
				})
			})
		}
	}
}

// framed makes a simulator's answers have a style.
func framed(t *testing.T, style string) func(*sim.Config) {
	t.Helper()
	return func(c *sim.Config) {
		framing, err := dialect.ParseFraming(style)
		if err != nil {
			t.Fatal(err)
		}
		c.Framing, c.TokensPerChunk = framing, 2
	}
}

// framingIsTheTruths sends some requests to a simulator of a style.
func framingIsTheTruths(t *testing.T, s *server, backend, style string) {
	t.Helper()
	const n = 12
	cfg, read := setup(t, s, backend, closed(), &prompts{n: n, tokens: 33})
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records, run := read()
	truth := s.truth()
	if len(records) != n {
		t.Fatalf("%d records", len(records))
	}
	for i := range records {
		s.compareWithTruth(t, &records[i], truth[records[i].ID], run, strings.Contains(style, "no-usage") || cfg.Protocol.Lacks.Usage, strings.Contains(style, "crlf"))
	}
}

// compareWithTruth: all that we saw of an answer is what was sent, in virtual time at the nanosecond at which it was.
func (s *server) compareWithTruth(t *testing.T, q *journal.Request, known sim.Record, run *journal.Run, noUsage, crlf bool) {
	t.Helper()
	if q.Outcome != journal.Complete {
		t.Errorf("%s: %s %s", q.ID, q.Outcome, q.Error)
	}
	sum := sha256.Sum256([]byte(*q.Text))
	if hex.EncodeToString(sum[:]) != known.TextSHA256 {
		t.Errorf("%s: text %q, the server sent %q", q.ID, *q.Text, known.Text)
	}
	if q.FinishReason != known.Finish {
		t.Errorf("%s: finish reason %q, want %q", q.ID, q.FinishReason, known.Finish)
	}
	if !noUsage && (q.UsageOutput != known.CompletionTokens || q.UsagePrompt != known.PromptTokens) {
		t.Errorf("%s: usage %d and %d, want %d and %d", q.ID, q.UsagePrompt, q.UsageOutput, known.PromptTokens, known.CompletionTokens)
	}
	var kinds []string
	for _, k := range q.Events.Kind {
		kinds = append(kinds, kindName(k))
	}
	if diff := cmp.Diff(known.Kinds, kinds); diff != "" {
		t.Errorf("%s: events (-sent +seen):\n%s", q.ID, diff)
		return
	}
	at := run.StartUnixNs + q.Sent
	for i, gap := range q.Events.At {
		at += gap
		late := time.Duration(at - known.Events[i])
		switch {
		case s.network != nil && late == 0:
		case s.network == nil && late >= 0: // how late a machine is is its own
		case crlf && late < 0: // by the standard a \r ends a line, so an event may be whole before its last \n is sent
		default:
			t.Errorf("%s: event %d arrived %v after it was sent", q.ID, i, late)
		}
	}
}

// kindName is our kind in the simulator's words.
func kindName(k journal.EventKind) string {
	switch {
	case k&journal.EventText != 0:
		return dialect.KindToken
	case k&journal.EventReasoning != 0:
		return dialect.KindReasoning
	case k&journal.EventTool != 0:
		return dialect.KindTool
	case k&journal.EventFinish != 0:
		return dialect.KindFinish
	case k&journal.EventChoices != 0:
		return dialect.KindRole
	case k&journal.EventUsage != 0:
		return dialect.KindUsage
	}
	return dialect.KindFrame
}
