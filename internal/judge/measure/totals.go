package measure

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// totals are sums over requests, for which their order does not matter.
type totals struct {
	requests, completed int
	input, output       int64
	inputs, soundNs     int64 // texts and sound in the successes
	unknownSound        bool  // the length of some is not known
	firstSent           int64 // of the successes; 0 if there are none
	lastEnd             int64
}

func (t *totals) add(r *row.Row) {
	t.requests++
	t.lastEnd = max(t.lastEnd, r.End)
	if !r.OK {
		return
	}
	if t.completed == 0 || r.Sent < t.firstSent {
		t.firstSent = r.Sent
	}
	t.completed++
	t.input += int64(r.Prompt)
	t.output += int64(r.Output)
}

// addMedia counts what a success holds beside one text.
func (t *totals) addMedia(r *journal.Request) {
	t.inputs += int64(max(r.Inputs, 1))
	t.soundNs += max(r.SoundNs, 0)
	t.unknownSound = t.unknownSound || r.SoundNs < 0
}

// result fills in what follows from the totals alone.
func (t *totals) result(r *Result) {
	last := t.lastEnd
	if t.requests == 0 && r.End != nil {
		last = r.End.At
	}
	r.Requests, r.Completed, r.Failed = t.requests, t.completed, t.requests-t.completed
	r.InputTokens, r.OutputTokens = t.input, t.output
	r.Inputs, r.Sound = t.inputs, seconds(t.soundNs)
	if t.unknownSound {
		r.Sound = math.NaN()
	}
	r.Duration = seconds(last)
	r.RequestThroughput = r.number("request_throughput")
	r.OutputThroughput = r.number("output_throughput")
	r.TotalTokenThroughput = r.number("total_token_throughput")
}

// perSecond is n/s, and 0 where no time passed.
func perSecond[N int | int64](n N, s float64) float64 {
	if s <= 0 {
		return 0
	}
	return float64(n) / s
}

func seconds(ns int64) float64 { return row.Seconds(ns) }
