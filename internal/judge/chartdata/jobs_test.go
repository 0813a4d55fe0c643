package chartdata

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// TestJobs draws a root that spawns two branches and joins the slower one.
func TestJobs(t *testing.T) {
	// Each takes 100 ms to its first token and has two tokens 100 ms apart.
	turn := func(number, branch, due int64, after []int, delay int64) journal.Request {
		r := stream(due*ms, due*ms+ms, 99*ms, 100*ms, 2)
		r.Conversation, r.Turn, r.Branch, r.After, r.Delay = 1, int(number), int(branch), after, delay*ms
		return r
	}
	list := []journal.Request{
		turn(1, 0, 0, nil, 0),                // ends at 200
		turn(2, 1, 300, []int{0}, 100),       // a branch: 300–500
		turn(3, 2, 250, []int{0}, 50),        // another: 250–450
		turn(4, 0, 600, []int{0, 1, 2}, 100), // joins; it follows the slower one
	}
	list[3].Follows = 1
	p := &plan{n: len(list), make: func(i int) journal.Request { return list[i] }}
	c := NewCollector(0)
	if _, err := measure.Measure(p, measure.Options{RowLimit: 1000}, c); err != nil {
		t.Fatal(err)
	}
	c.Conversation(&journal.Conversation{Number: 1, Trace: "t", Outcome: journal.ConversationComplete, Branches: []journal.Branch{{Kind: "root"}, {Kind: "Explore"}, {Kind: "Plan"}}})
	c.Conversation(&journal.Conversation{Number: 7}) // of which no turn was seen
	run := c.Run(nil, nil)
	if len(run.Jobs) != 1 || run.JobsTotal != 1 || len(run.Jobs[0].Branches) != 3 || run.Jobs[0].Branches[1].Kind != "Explore" {
		t.Fatalf("%+v", run.Jobs)
	}
	var critical []int
	for _, b := range run.Jobs[0].Branches {
		for _, turn := range b.Turns {
			if turn.Critical {
				critical = append(critical, turn.Turn)
			}
		}
	}
	if slices.Sort(critical); !slices.Equal(critical, []int{1, 2, 4}) {
		t.Errorf("the critical path has the turns %v", critical)
	}
	if last := run.Jobs[0].Branches[0].Turns[1]; last.From != 0.5 || last.Due != 0.6 {
		t.Errorf("the pause before the last turn is %v to %v", last.From, last.Due)
	}
}

// TestJobsAreBounded: what is not drawn is counted.
func TestJobsAreBounded(t *testing.T) {
	const each, n = 500, 20_000
	p := &plan{n: n, make: func(i int) journal.Request {
		r := stream(int64(i)*ms, int64(i)*ms, ms, ms, 2)
		r.Conversation, r.Turn, r.Branch = i/each+1, i%each+1, i%7
		return r
	}}
	run := collect(t, p, 0)
	turns, left := 0, 0
	for _, j := range run.Jobs {
		left += j.Left
		for _, b := range j.Branches {
			turns += len(b.Turns)
		}
	}
	if run.JobsTotal != n/each || len(run.Jobs) != MaxJobs || turns != maxTurns || turns+left != MaxJobs*each {
		t.Errorf("%d of %d jobs are kept with %d turns, %d are left out", len(run.Jobs), run.JobsTotal, turns, left)
	}
}
