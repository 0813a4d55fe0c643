package row

import "github.com/inferometer/inferometer/internal/journal"

// CarriesText are the kinds of event that carry something of the answer.
const CarriesText = journal.EventText | journal.EventReasoning | journal.EventTool

// Rules decide what of a request counts: ours, or vLLM's for --compat vllm.
type Rules struct {
	VLLM         bool
	Closed       bool // a closed loop: all requests are released at 0
	HasTokenizer bool
	Pooling      bool // answers have no tokens
	Unstreamed   bool // nor have they a first one: they are texts in one piece
}

// NewRules are the rules for a run with these options.
func NewRules(o *journal.Options, compat string) Rules {
	return Rules{
		VLLM:         compat == "vllm",
		Closed:       o.Pace == "closed" || o.Pace == "",
		HasTokenizer: o.TokenizerID != "",
		Pooling:      o.Pooling,
		Unstreamed:   o.Unstreamed,
	}
}

// success says whether a request counts. Ours: it is complete. vLLM's: the answer
// was a 200, at least one token chunk came, and the connection did not break.
func (u Rules) success(req *journal.Request, first int64) bool {
	if !u.VLLM {
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
func (u Rules) queueTime(req *journal.Request) int64 {
	if u.Closed && req.After == nil {
		return req.Sent
	}
	return req.Sent - max(req.Due, req.Released)
}

// CountedBy says where a number of output tokens comes from.
type CountedBy uint8

// The sources, best first.
const (
	ByUsage     CountedBy = iota // the server's own count
	ByTokenizer                  // our tokenizer, on the text
	ByEvents                     // events with text, for want of tokens
)

// outputTokens is the length of the answer and where we have it from; texts are its
// chunks with text.
func (u Rules) outputTokens(req *journal.Request, texts int) (int, CountedBy) {
	if u.Pooling {
		return 0, ByUsage
	}
	usage := req.UsageOutput
	if u.VLLM && usage > 0 && !usageAlone(req) && (req.TextTokens > 0 || !u.HasTokenizer) {
		usage = 0
	}
	switch {
	case usage > 0:
		return usage, ByUsage
	case req.TextTokens > 0:
		return req.TextTokens, ByTokenizer
	case u.Unstreamed && req.Events.TokensBy == "":
		return 0, ByEvents // one event, of any number of tokens
	case u.VLLM:
		return 1, ByEvents
	}
	if ev := &req.Events; ev.Tokens != nil && ev.TokensBy != "" && tokensComplete(ev) {
		sum := 0 // it said so event by event
		for i := range ev.Tokens {
			sum += tokensAt(ev, i, ev.Tokens, journal.EventChoices)
		}
		return sum, ByUsage
	}
	return texts, ByEvents
}

// promptTokens is the length of the prompt: as the server counted, else as planned.
func (u Rules) promptTokens(req *journal.Request) int {
	if req.UsagePrompt > 0 && (!u.VLLM || u.Pooling || usageAlone(req)) {
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
