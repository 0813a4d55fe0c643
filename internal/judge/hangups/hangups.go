// Package hangups is what clients that hang up on purpose leave behind: tokens that nobody reads.
package hangups

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// Summary is of the requests that were ended on purpose.
type Summary struct {
	Requests int   `json:"requests"`
	Planned  int   `json:"planned"`         // to be ended so; the others had ended before
	Received int64 `json:"tokens_received"` // of them, before that
	Left     int64 `json:"tokens_left"`     // that they had asked for and did not get
	// ForNobody is how many tokens the servers went on to generate, up to their last scrape; nil: not known.
	ForNobody *Range `json:"tokens_for_nobody,omitempty"`
}

// Range is at least Low, at most High: nobody knows how far a server got with requests that failed.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Collector takes in the requests of a run.
type Collector struct {
	of    Summary
	ended float64 // tokens that those which were ended on purpose may have cost, as serving.Sent counts them
}

// Add takes in a measured request.
func (c *Collector) Add(r *row.Request) {
	if r.HangUpNs > 0 || r.HangUpTokens > 0 {
		c.of.Planned++
	}
	if r.Outcome != journal.HungUp {
		return
	}
	c.of.Requests++
	c.of.Received += int64(r.Row.Got)
	c.of.Left += max(int64(r.OutputTokens)-int64(r.Row.Got), 0)
	var own serving.Sent
	own.Add(r.Request)
	c.ended += own.Output.High
}

// Result is what became of them; nil: nobody was to hang up. generated is the servers' own count of the tokens that they
// generated; nil: they don't tell, or can't be held against what was sent.
func (c *Collector) Result(generated *serving.Counted) *Summary {
	if c.of.Planned == 0 {
		return nil
	}
	s := c.of
	if generated == nil || generated.Ours == nil || generated.OursMost == nil {
		return &s
	}
	// Others that did not come to their end may have cost so much.
	others := max(*generated.OursMost-*generated.Ours-c.ended, 0)
	rest := generated.Server - *generated.Ours - float64(s.Received)
	left := float64(s.Left)
	s.ForNobody = &Range{Low: min(max(rest-others, 0), left), High: min(max(rest, 0), left)}
	return &s
}
