package measure

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
)

// Row is what is kept of a request: some 100 bytes, whatever its number of events.
type Row struct {
	Index    int
	OK       bool  // a success, by the rule in force
	Good     bool  // it kept every limit of --goodput
	Sent     int64 // nanoseconds on the run's clock, as the next three
	Due      int64
	Released int64
	End      int64
	Queue    int64 // nanoseconds that it waited for a slot, see queueTime

	// Nanoseconds from Sent to an event; -1 where there was none.
	First        int64 // the first token chunk
	FirstToken   int64 // the first event that carries text, reasoning or a tool call
	FirstVisible int64 // the first event that carries text of the answer itself
	Last         int64 // the last token chunk

	LongestGap int64 // nanoseconds between two token chunks; -1 where there are not two

	Planned        int32 // prompt tokens, as planned by us
	Prompt, Output int32 // tokens; Output is 0 for a failure
}

// Detail is the rest of a request, kept only for detailed results.
type Detail struct {
	ITL   []float64 // seconds between token chunks
	Text  string
	Error string // empty for a success
}

// seconds turns nanoseconds into what NumPy would be given.
func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// TTFT is the time to the first token chunk; 0 if none came.
func (r *Row) TTFT() float64 { return seconds(max(r.First, 0)) }

// Latency is the time to the last token chunk of a success; 0 for a failure.
func (r *Row) Latency() float64 {
	if !r.OK {
		return 0
	}
	return seconds(max(r.Last, 0))
}

// QueueTime is the time that the request waited in the client for a slot.
func (r *Row) QueueTime() float64 { return seconds(r.Queue) }

// carriesText are the kinds of event that a user would see something of.
const carriesText = journal.EventText | journal.EventReasoning | journal.EventTool

// rules are what decides about a request: ours, or vLLM's.
type rules struct {
	vllm         bool
	closed       bool // a closed loop: all requests are released at 0
	hasTokenizer bool
}

func newRules(o *journal.Options, compat string) rules {
	return rules{
		vllm:         compat == "vllm",
		closed:       o.Pace == "closed" || o.Pace == "",
		hasTokenizer: o.TokenizerID != "",
	}
}

// success says whether a request counts. Ours: it is complete. vLLM's: the answer
// was a 200, at least one token chunk came, and the connection did not break.
func (u rules) success(req *journal.Request, first int64) bool {
	if !u.vllm {
		return req.Outcome == journal.Complete
	}
	switch req.Outcome {
	case journal.Complete, journal.Truncated, journal.StreamError, journal.Short, journal.Empty:
		return first >= 0 && !req.Cut
	}
	return false
}

// queueTime is the wait for a slot. In a closed loop vLLM releases all requests at
// the start, so it is the time since then.
func (u rules) queueTime(req *journal.Request) int64 {
	if u.closed {
		return req.Sent
	}
	return req.Sent - max(req.Due, req.Released)
}

// countBy says where a number of output tokens comes from.
type countBy int

const (
	byUsage countBy = iota
	byTokenizer
	byEvents
)

// outputTokens is the length of the answer and where we have it from.
func (u rules) outputTokens(req *journal.Request) (int, countBy) {
	usage := req.UsageOutput
	if u.vllm && usage > 0 && !usageAlone(req) && (req.TextTokens > 0 || !u.hasTokenizer) {
		usage = 0
	}
	switch {
	case usage > 0:
		return usage, byUsage
	case req.TextTokens > 0:
		return req.TextTokens, byTokenizer
	case u.vllm:
		return 1, byEvents
	}
	if ev := &req.Events; ev.Tokens != nil && ev.TokensBy != "" && tokensComplete(ev) {
		sum := 0 // it said so event by event
		for i := range ev.Tokens {
			sum += tokensAt(ev, i, ev.Tokens, journal.EventChoices)
		}
		return sum, byUsage
	}
	n := 0
	for _, k := range req.Events.Kind {
		if k&journal.EventChoices != 0 && k&carriesText != 0 {
			n++
		}
	}
	return n, byEvents
}

// promptTokens is the length of the prompt: as the server counted, else as planned.
func (u rules) promptTokens(req *journal.Request) int {
	if req.UsagePrompt > 0 && (!u.vllm || usageAlone(req)) {
		return req.UsagePrompt
	}
	return req.PromptTokens
}

// usageAlone says whether usage came in an event without choices, the only place
// where vLLM's client looks for it.
func usageAlone(req *journal.Request) bool {
	for _, k := range req.Events.Kind {
		if k&journal.EventUsage != 0 && k&journal.EventChoices == 0 {
			return true
		}
	}
	return false
}

// row reads a request's times. It checks the shape of the events, since a journal
// may come from a file that somebody edited.
func (u rules) row(req *journal.Request) (Row, error) {
	ev := &req.Events
	if len(ev.Kind) != len(ev.At) || (ev.Lag != nil && len(ev.Lag) != len(ev.At)) ||
		(ev.Tokens != nil && len(ev.Tokens) != len(ev.At)) || (ev.Size != nil && len(ev.Size) != len(ev.At)) {
		return Row{}, fmt.Errorf("journal: request %d: event columns differ in length: at %d, kind %d, lag %d, tokens %d, size %d",
			req.Index, len(ev.At), len(ev.Kind), len(ev.Lag), len(ev.Tokens), len(ev.Size))
	}
	r := Row{
		Index: req.Index, Sent: req.Sent, Due: req.Due, Released: req.Released, End: req.End,
		Queue: u.queueTime(req), First: -1, FirstToken: -1, FirstVisible: -1, Last: -1, LongestGap: -1,
	}
	at := int64(0)
	for i, gap := range ev.At {
		at += gap
		if ev.Kind[i]&journal.EventChoices == 0 {
			continue
		}
		if r.First < 0 {
			r.First = at
		} else {
			r.LongestGap = max(r.LongestGap, at-r.Last)
		}
		if r.FirstToken < 0 && ev.Kind[i]&carriesText != 0 {
			r.FirstToken = at
		}
		if r.FirstVisible < 0 && ev.Kind[i]&journal.EventText != 0 {
			r.FirstVisible = at
		}
		r.Last = at
	}
	r.OK = u.success(req, r.First)
	r.Planned, r.Prompt = int32(req.PromptTokens), int32(u.promptTokens(req))
	return r, nil
}
