package measure

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/inferometer/inferometer/internal/journal"
)

var rounding = cmpopts.EquateApprox(1e-9, 0)

func TestStalls(t *testing.T) {
	even := stream(0, 0, 10, 20, 30, 40) // three gaps of 10 ms
	tests := []struct {
		name string
		reqs []journal.Request
		want *Stalls
	}{
		{"no gap", []journal.Request{stream(0, 0, 10), stream(1, 0, 20)}, nil},
		{"all at once", []journal.Request{stream(0, 0, 10, 10, 10, 90)}, nil},
		{"none", []journal.Request{even}, &Stalls{Threshold: 100}},
		{"a slow server: a second above its median", []journal.Request{stream(1, 0, 1100, 2200, 3300), stream(2, 0, 1100, 2200, 4400)}, &Stalls{
			Threshold: 2100, Count: 1, Requests: 1, Share: 0.5, Longest: 2200, Total: 2200,
		}},
		{"exactly ten times is none", []journal.Request{even, stream(1, 0, 10, 110)}, &Stalls{Threshold: 100}},
		{
			"two in one request, one in another", // gaps: 3 × 10; 101, 250; 10, 400; 10
			[]journal.Request{even, stream(1, 0, 10, 111, 361), stream(2, 0, 10, 20, 420), stream(3, 0, 10, 20)},
			&Stalls{Threshold: 100, Count: 3, Requests: 2, Share: 0.5, Longest: 400, Total: 751},
		},
		{
			"a failure's gaps do not count",
			[]journal.Request{even, failed(stream(1, 0, 10, 900), journal.Truncated, "")},
			&Stalls{Threshold: 100},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{run: closedRun(1), end: &journal.End{}, requests: tt.reqs}
			if d := cmp.Diff(tt.want, measured(t, m, Options{}).Stalls, rounding); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestStallsOfGapsThatAreGone: from a histogram they are the same within the error
// that is stated, and it is stated there alone.
func TestStallsOfGapsThatAreGone(t *testing.T) {
	m := &memory{run: closedRun(4), end: &journal.End{}}
	for i := range int64(200) {
		chunks := []int64{10, 20, 30, 40}
		if i%20 == 3 {
			chunks = append(chunks, 540+i)
		}
		m.requests = append(m.requests, stream(int(i), i*10, chunks...))
	}
	exact := measured(t, m, Options{}).Stalls
	if exact.Count != 10 || exact.Requests != 10 || exact.Longest != 683 || exact.Error != 0 {
		t.Fatalf("%+v", exact)
	}
	for name, opt := range map[string]Options{"gaps": {ExactLimit: 100}, "requests too": {RowLimit: 50}} {
		got := measured(t, m, opt).Stalls
		if got.Error == 0 {
			t.Errorf("%s: the error is not stated", name)
		}
		if d := cmp.Diff(exact, got, cmpopts.EquateApprox(got.Error, 0), cmpopts.IgnoreFields(Stalls{}, "Error")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestFirstVisible(t *testing.T) {
	const (
		reasoning = journal.EventChoices | journal.EventReasoning
		tool      = journal.EventChoices | journal.EventTool
		role      = journal.EventChoices
	)
	kinds := func(r journal.Request, kinds ...journal.EventKind) journal.Request {
		r.Events.Kind = append(slices.Clone(kinds), r.Events.Kind[len(kinds):]...)
		return r
	}
	late := stream(0, 30, 10, 20, 30)
	late.Due = 20 * ms
	tests := []struct {
		name           string
		req            journal.Request
		token, visible float64 // from sent; 0: none
	}{
		{"text at once", stream(0, 0, 10, 20, 30), 10, 10},
		{"a role first", kinds(late, role), 20, 20},
		{"reasoning first", kinds(late, role, reasoning), 20, 30},
		{"reasoning and text in one event", kinds(late, reasoning|text), 10, 10},
		{"a tool call is not text", kinds(late, tool, tool), 10, 30},
		{"never", kinds(late, reasoning, reasoning, reasoning), 10, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := measured(t, &memory{run: closedRun(1), end: &journal.End{}, requests: []journal.Request{tt.req}}, Options{}).Latency
			near(t, "first token", l.Sent.FirstToken.Mean, tt.token)
			near(t, "first visible", l.Sent.FirstVisible.Mean, tt.visible)
			if tt.visible == 0 {
				if l.Sent.FirstVisible.Count != 0 || l.Due.FirstVisible.Count != 0 {
					t.Error("nothing was visible, and it is counted")
				}
				return
			}
			near(t, "from due", l.Due.FirstVisible.Mean, tt.visible+float64(tt.req.Sent-tt.req.Due)/1e6)
		})
	}
}
