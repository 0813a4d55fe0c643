package verdict

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// view is a request with what several checks need of it besides its row.
type view struct {
	*row.Request
	complete bool
	said     int    // output tokens, as the events say; -1 where one with text does not
	prompt   uint64 // hash; 0: none
	repeated bool   // the same prompt was sent before, in this run
}

func (v *view) read(r *row.Request) {
	*v = view{Request: r, complete: r.Complete(), said: saidTokens(&r.Events), prompt: hashOf(r.PromptHash)}
}

// saidTokens adds up the tokens that the server gave for its events. Our own tokenizer
// is no witness against the server.
func saidTokens(ev *journal.Events) int {
	if len(ev.Tokens) == 0 || ev.TokensBy == "tokenizer" {
		return -1
	}
	sum := 0
	for i, n := range ev.Tokens {
		if n >= 0 {
			sum += n
		} else if ev.Kind[i]&row.CarriesText != 0 {
			return -1
		}
	}
	return sum
}

// got is the number of output tokens, if somebody counted them: the server, or the events.
func (v *view) got() (int, bool) {
	if v.UsageOutput > 0 {
		return v.UsageOutput, true
	}
	return v.said, v.said >= 0
}

// reached says whether the server answered the request to its end by its own
// account: it must have counted it.
func (v *view) reached() bool {
	switch v.Outcome {
	case journal.Complete, journal.Short, journal.Empty:
		return true
	}
	return false
}

// mayHaveReached says whether the server may have counted a request, or a part of it.
func (v *view) mayHaveReached() bool {
	switch v.Outcome {
	case journal.Refused, journal.HTTP4xx:
		return false
	}
	return true
}

// latency is how long the request was open.
func (v *view) latency() int64 { return max(v.End-v.Sent, 0) }
