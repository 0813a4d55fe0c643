package section

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() {
	Add(atClient, client)
	Add(atSteady, steady)
}

// client is how far the client itself can be trusted.
func client(run *Run) *Section {
	r := run.Result
	cl, t := &r.Client, &table.Table{}
	t.Fact("Event times by", cl.Stamps)
	if cl.SharedReads > 0 {
		t.Fact("Events that share a read", number.Share(float64(cl.SharedReads)/float64(max(cl.Events, 1))))
	}
	if cl.Cost != nil {
		t.Fact("Client CPU", number.Share(cl.Cost.CPUShare))
	}
	// Where events were counted for want of tokens, the ratio says nothing.
	if per := r.TokensPerEvent; !r.Run.Options.Whole() && per.Events > 0 && r.Tokens.ByEvents == 0 {
		t.Fact("Tokens per event", number.Rate(per.Mean))
	}
	if r.PeakConcurrency != r.PeakConcurrent {
		t.Fact("Peak concurrent requests, as it was", fmt.Sprint(r.PeakConcurrency))
	}
	return &Section{ID: "client", Title: "Client", Tables: []*table.Table{t}}
}

// steady is the time in which the load was what was asked for.
func steady(run *Run) *Section {
	s := run.Result.SteadyState
	if s == nil {
		return nil
	}
	w, t := &s.Window, &table.Table{}
	t.Fact("Window", fmt.Sprintf("%.1f s to %.1f s, at least %d of %d open", w.Start, w.End, w.ThresholdAbs, w.Target))
	t.Fact("Requests", fmt.Sprintf("%d sent, %d completed in it, of %d; by their parts %.1f", w.Started, w.Completed, w.RequestsTotal, w.Requests))
	t.Fact("Request throughput (req/s), steady", number.Rate(s.RequestThroughput))
	if !run.Result.Run.Options.Whole() {
		t.Fact("Output throughput (tok/s), steady", number.Maybe(s.OutputThroughput, number.Rate))
		t.Fact("Mean TTFT (ms), steady", number.Millis(s.MeanTTFT))
		t.Fact("Mean TPOT (ms), steady", number.Millis(s.MeanTPOT))
	}
	return &Section{ID: "steady", Title: "Steady state", Tables: []*table.Table{t}}
}
