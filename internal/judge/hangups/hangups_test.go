package hangups

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// What the servers generated for nobody is what they count beyond what was received, as far as it can be told.
func TestForNobody(t *testing.T) {
	complete := journal.Request{Outcome: journal.Complete, OutputTokens: 100, UsageOutput: 100, HangUpNs: 1}
	left := journal.Request{Outcome: journal.HungUp, OutputTokens: 100, HangUpNs: 1}
	reset := journal.Request{Outcome: journal.Reset, OutputTokens: 100}
	for _, tt := range []struct {
		name   string
		list   []journal.Request
		got    int32 // tokens of each that was ended
		server float64
		want   *Summary
	}{
		{"nobody was to hang up", []journal.Request{reset}, 0, 10, nil},
		{"all ended before", []journal.Request{complete}, 0, 100, &Summary{Planned: 1, ForNobody: &Range{}}},
		{"it stops at once", []journal.Request{complete, left}, 30, 130, &Summary{1, 2, 30, 70, &Range{}}},
		{"it goes on for a while", []journal.Request{complete, left}, 30, 150, &Summary{1, 2, 30, 70, &Range{20, 20}}},
		{"it goes on to the end", []journal.Request{complete, left, left}, 30, 300, &Summary{2, 3, 60, 140, &Range{140, 140}}},
		{"others use it too", []journal.Request{complete, left}, 30, 900, &Summary{1, 2, 30, 70, &Range{70, 70}}},
		{"it counts fewer", []journal.Request{complete, left}, 30, 90, &Summary{1, 2, 30, 70, &Range{}}},
		{"another one broke", []journal.Request{complete, left, reset}, 30, 180, &Summary{1, 2, 30, 70, &Range{0, 50}}},
		{"another one broke, and it is more than that", []journal.Request{complete, left, reset}, 30, 290, &Summary{1, 2, 30, 70, &Range{60, 70}}},
	} {
		var c Collector
		var sent serving.Sent
		for i := range tt.list {
			r := &row.Request{Request: &tt.list[i]}
			if r.Outcome == journal.HungUp {
				r.Row.Got = tt.got
			}
			c.Add(r)
			sent.Add(r.Request)
		}
		counted := &serving.Counted{Server: tt.server, Ours: &sent.Output.Low, OursMost: &sent.Output.High}
		if diff := cmp.Diff(tt.want, c.Result(counted)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if s := c.Result(nil); s != nil && s.ForNobody != nil {
			t.Errorf("%s: known without a counter", tt.name)
		}
	}
}
