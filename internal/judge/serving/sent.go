package serving

import "github.com/inferometer/inferometer/internal/journal"

// Sent is what we sent to one server between its scrapes and got from it, warm-ups and
// probes too: what the server should have counted if nobody else used it.
type Sent struct {
	Requests, Prompt, Output Range
	NoPrompt, NoOutput       int // requests whose tokens are not known: without usage, or without an end and not counted before
}

// Range is at least Low, at most High. They differ by requests that did not come to their
// end: nobody knows how far the server got.
type Range struct{ Low, High float64 }

// Add takes in a request. Samples are sent after the last scrape and don't count.
func (s *Sent) Add(r *journal.Request) {
	if r.Sample {
		return
	}
	switch r.Outcome {
	case journal.Complete, journal.Short, journal.Empty:
		s.Requests.add(1, 1)
		s.Prompt.add(r.UsagePrompt, r.UsagePrompt)
		s.Output.add(r.UsageOutput, r.UsageOutput)
		if r.UsagePrompt == 0 {
			s.NoPrompt++
		}
		if r.UsageOutput == 0 && r.Outcome != journal.Empty {
			s.NoOutput++
		}
	case journal.Refused, journal.HTTP4xx:
	default:
		const template = 256 // tokens that a chat template may add
		s.Requests.add(0, 1)
		s.Prompt.add(0, max(r.UsagePrompt, r.PromptTokens+template))
		if r.UsagePrompt+r.PromptTokens == 0 {
			s.NoPrompt++
		}
		s.Output.add(0, max(r.UsageOutput, r.OutputTokens, len(r.Events.At)))
	}
}

func (r *Range) add(low, high int) {
	r.Low += float64(low)
	r.High += float64(high)
}

func (s *Sent) plus(o *Sent) {
	for _, p := range []struct{ to, from *Range }{{&s.Requests, &o.Requests}, {&s.Prompt, &o.Prompt}, {&s.Output, &o.Output}} {
		p.to.Low += p.from.Low
		p.to.High += p.from.High
	}
	s.NoPrompt += o.NoPrompt
	s.NoOutput += o.NoOutput
}
