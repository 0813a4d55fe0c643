package row

import "github.com/inferometer/inferometer/internal/journal"

// TokenSource says how the tokens of single events are known.
type TokenSource string

// Besides the journal's own sources (usage, token_ids, logprobs, tokenizer) there are two.
const (
	// TokensByCount: the request's total equals its number of events, so each has one.
	TokensByCount TokenSource = "count"
	// TokensUnknown: nobody said, and the total does not tell.
	TokensUnknown TokenSource = ""
)

// TokensOf gives the tokens in each event, and how that is known. The slice is
// nil when each event that mask selects has exactly one.
func TokensOf(req *journal.Request) (tokens []int, mask journal.EventKind, by TokenSource) {
	ev := &req.Events
	if ev.Tokens == nil && ev.TokensBy != "" {
		return nil, journal.EventChoices, TokenSource(ev.TokensBy)
	}
	if ev.Tokens != nil && ev.TokensBy != "" && tokensComplete(ev) {
		return ev.Tokens, journal.EventChoices, TokenSource(ev.TokensBy)
	}
	// An event with text holds at least one token. If there are as many tokens as
	// such events, each holds exactly one. That is so too where nobody counted, but as
	// many events came as tokens were asked for: there can't be more.
	total := req.UsageOutput
	if total == 0 {
		total = req.TextTokens
	}
	chunks, texts := 0, 0
	for _, k := range ev.Kind {
		if k&journal.EventChoices == 0 {
			continue
		}
		chunks++
		if k&CarriesText != 0 {
			texts++
		}
	}
	switch {
	case texts > 0 && (texts == total || total == 0 && req.OutputTokens > 0 && texts >= req.OutputTokens):
		return nil, CarriesText, TokensByCount
	case chunks > 0 && chunks == total:
		return nil, journal.EventChoices, TokensByCount
	}
	return nil, journal.EventChoices, TokensUnknown
}

func tokensComplete(ev *journal.Events) bool {
	for i, n := range ev.Tokens {
		if n < 0 && ev.Kind[i]&journal.EventChoices != 0 {
			return false
		}
	}
	return true
}

// tokensAt is the number of tokens in event i, by what TokensOf returned.
func tokensAt(ev *journal.Events, i int, tokens []int, mask journal.EventKind) int {
	if ev.Kind[i]&journal.EventChoices == 0 {
		return 0
	}
	if tokens != nil {
		return max(tokens[i], 0)
	}
	if ev.Kind[i]&mask == 0 {
		return 0
	}
	return 1
}

// EachTokens calls f for each event with tokens, with its time since the send and
// since the one before, and its number of tokens.
func EachTokens(ev *journal.Events, tokens []int, mask journal.EventKind, f func(at, gap int64, n int, first bool)) {
	at, before := int64(0), int64(-1)
	for i, d := range ev.At {
		at += d
		n := tokensAt(ev, i, tokens, mask)
		if n == 0 {
			continue
		}
		f(at, at-max(before, 0), n, before < 0)
		before = at
	}
}
