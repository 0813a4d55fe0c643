package row

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestPacedRates(t *testing.T) {
	const second = int64(1e9)
	window := &journal.Asked{Requests: 20, Over: 10 * second}
	for name, c := range map[string]struct {
		options      journal.Options
		end          *journal.End
		p            Paced
		asked, drawn float64 // 0: none
	}{
		"a time":                    {journal.Options{RequestRate: 2, Asked: window}, &journal.End{}, Paced{20, 9 * second}, 2, 2},
		"a time, by an old version": {journal.Options{RequestRate: 2}, &journal.End{}, Paced{25, 10 * second}, 2, 2.5},
		"stopped":                   {journal.Options{RequestRate: 2, Asked: window}, &journal.End{Interrupted: journal.Signal}, Paced{5, 2 * second}, 2, 2.5},
		"killed":                    {journal.Options{RequestRate: 2, Asked: window}, nil, Paced{5, 2 * second}, 2, 2.5},
		"until":                     {journal.Options{RequestRate: 2, Asked: window}, &journal.End{Stopped: journal.UntilReached}, Paced{5, 2 * second}, 2, 2.5},
		"its bound came first":      {journal.Options{RequestRate: 2, Asked: window}, &journal.End{Stopped: journal.BoundReached}, Paced{20, 9 * second}, 2, 2},
		"stages":                    {journal.Options{Asked: window}, &journal.End{}, Paced{19, 9 * second}, 2, 1.9},
		"stages, stopped":           {journal.Options{Asked: window}, &journal.End{Interrupted: journal.Signal}, Paced{5, 2 * second}, 0, 0},
		"the dataset ended":         {journal.Options{RequestRate: 2, Asked: &journal.Asked{Requests: 2000, Over: 1000 * second}}, &journal.End{}, Paced{20, 10 * second}, 2, 2},
		"stopped for a while":       {journal.Options{RequestRate: 2, Asked: window}, &journal.End{Pauses: []journal.Pause{{From: 1, To: 2}}}, Paced{20, 9 * second}, 0, 0},
		"no rate":                   {journal.Options{}, &journal.End{}, Paced{20, 9 * second}, 0, 0},
		"nothing came":              {journal.Options{RequestRate: 2, Asked: window}, &journal.End{}, Paced{}, 0, 0},
	} {
		if _, _, ok := c.p.Rates(&journal.Run{Options: c.options, Share: "1/2"}, c.end); ok {
			t.Errorf("%s: a share of a run has the rate of all of it", name)
		}
		asked, drawn, ok := c.p.Rates(&journal.Run{Options: c.options}, c.end)
		if ok != (c.asked > 0) || math.Abs(asked-c.asked) > 1e-9 || math.Abs(drawn-c.drawn) > 1e-9 {
			t.Errorf("%s: %g, %g, %v; want %g and %g", name, asked, drawn, ok, c.asked, c.drawn)
		}
	}
}
