// Package row turns a journal's record of a request into a Row: what happened,
// derived once. Everything that is said of requests afterwards (metrics, checks,
// charts) is a function of rows, so that a first token or a success means the same
// in all of them.
package row

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// Row is what is kept per request: some 120 bytes, however many events it had.
type Row struct {
	Index     int
	OK        bool      // a success, by the rules in force
	Good      bool      // it met every limit of --goodput
	HungUp    bool      // its client ended it on purpose: neither a success nor a failure
	Whole     bool      // the answer is a text in one piece: there is no first token
	CountedBy CountedBy // who counted Got

	Sent     int64 // nanoseconds on the run's clock, as the next three
	Due      int64
	Released int64
	End      int64
	Queue    int64 // nanoseconds that it waited for a slot, see Rules.queueTime

	// Nanoseconds from Sent to an event; -1 where there was none.
	First        int64 // the first token chunk; of an answer in one piece there is none
	FirstToken   int64 // the first token chunk that carries text, reasoning or a tool call
	FirstVisible int64 // the first token chunk that carries text of the answer itself
	Last         int64 // the last token chunk
	LastTool     int64 // the last token chunk that carries a part of a tool call

	LongestGap int64 // nanoseconds between two token chunks; -1 where there are not two

	Planned int32 // prompt tokens, as planned by us
	Prompt  int32 // prompt tokens, as the server counted, else as planned
	Output  int32 // output tokens of a success; 0 for a failure
	Got     int32 // output tokens, whatever the outcome
	Counted int32 // prompt tokens, as the server counted; -1 where it did not say
	Cached  int32 // of these from its cache, as it says; -1 where it did not
	Turn    int32 // in its conversation, from 1; 0: it is part of none
}

// Seconds turns nanoseconds into what NumPy would be given.
func Seconds(ns int64) float64 { return float64(ns) / 1e9 }

// TTFT is the time to the first token chunk; 0 if none came.
func (r *Row) TTFT() float64 { return Seconds(max(r.First, 0)) }

// Latency is the time to the last token chunk of a success; 0 for a failure.
func (r *Row) Latency() float64 {
	if !r.OK {
		return 0
	}
	return Seconds(max(r.Last, 0))
}

// QueueTime is the time that the request waited in the client for a slot.
func (r *Row) QueueTime() float64 { return Seconds(r.Queue) }

// TPOT is the time per output token after the first; ok is false for an answer of one token.
func (r *Row) TPOT() (v float64, ok bool) {
	if r.Output <= 1 || r.Whole {
		return 0, false
	}
	return (r.Latency() - r.TTFT()) / float64(r.Output-1), true
}

// Read derives a request's row. It checks the shape of the events, since a journal
// may come from a file that somebody edited; the functions of this package that take
// a request rely on that check.
func (u Rules) Read(req *journal.Request) (Row, error) {
	if err := CheckShape(req); err != nil {
		return Row{}, err
	}
	r, _ := u.derive(req, nil)
	return r, nil
}

// CheckShape says whether the columns of its events have one length.
func CheckShape(req *journal.Request) error {
	ev := &req.Events
	if len(ev.Kind) != len(ev.At) || (ev.Lag != nil && len(ev.Lag) != len(ev.At)) ||
		(ev.Tokens != nil && len(ev.Tokens) != len(ev.At)) || (ev.Size != nil && len(ev.Size) != len(ev.At)) {
		return fmt.Errorf("journal: request %d: event columns differ in length: at %d, kind %d, lag %d, tokens %d, size %d",
			req.Index, len(ev.At), len(ev.Kind), len(ev.Lag), len(ev.Tokens), len(ev.Size))
	}
	return nil
}

// derive is the row, and how many token chunks carry text. It appends the time of each
// token chunk to chunks, unless that is nil.
func (u Rules) derive(req *journal.Request, chunks *[]int64) (r Row, texts int) {
	ev := &req.Events
	r = Row{
		Index: req.Index, Sent: req.Sent, Due: req.Due, Released: req.Released, End: req.End,
		Queue: u.queueTime(req), First: -1, FirstToken: -1, FirstVisible: -1, Last: -1, LastTool: -1, LongestGap: -1,
	}
	at := int64(0)
	for i, gap := range ev.At {
		at += gap
		kind := ev.Kind[i]
		if kind&journal.EventChoices == 0 {
			continue
		}
		if r.First < 0 {
			r.First = at
		} else {
			r.LongestGap = max(r.LongestGap, at-r.Last)
		}
		if kind&CarriesText != 0 {
			texts++
			if r.FirstToken < 0 {
				r.FirstToken = at
			}
			if r.FirstVisible < 0 && kind&journal.EventText != 0 {
				r.FirstVisible = at
			}
		}
		if r.Last = at; kind&journal.EventTool != 0 {
			r.LastTool = at
		}
		if chunks != nil {
			*chunks = append(*chunks, at)
		}
	}
	r.OK, r.HungUp = u.success(req, r.First), req.Outcome == journal.HungUp
	if u.Unstreamed {
		r.Whole, r.First, r.FirstToken, r.FirstVisible = true, -1, -1, -1
	}
	r.Planned, r.Prompt = int32(req.PromptTokens), int32(u.promptTokens(req))
	r.Counted, r.Cached, r.Turn = -1, -1, int32(req.Turn)
	if req.UsagePrompt > 0 {
		r.Counted = int32(req.UsagePrompt)
		if req.CachedKnown || req.UsageCached > 0 {
			r.Cached = int32(req.UsageCached)
		}
	}
	got, by := u.outputTokens(req, texts)
	r.Got, r.CountedBy = int32(min(got, math.MaxInt32)), by
	if r.OK {
		r.Output = r.Got
	}
	return r, texts
}

// EachGap calls f for each token chunk with its time since the send and since the chunk before.
func EachGap(req *journal.Request, f func(at, gap int64, first bool)) {
	at, before := int64(0), int64(-1)
	for i, d := range req.Events.At {
		at += d
		if req.Events.Kind[i]&journal.EventChoices == 0 {
			continue
		}
		f(at, at-max(before, 0), before < 0)
		before = at
	}
}
