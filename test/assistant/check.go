package assistant

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// Check reads a recording of jobs that were done with a session each, and holds its trees against what was done:
// the branches, what waited for what, and how long.
func Check(t testing.TB, recording string, jobs [][]Call) {
	t.Helper()
	opened, err := trace.Open("", recording)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := opened.Trees(trace.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	if trees.Len() != len(jobs) {
		t.Fatalf("%d trees of %d jobs", trees.Len(), len(jobs))
	}
	for i := range jobs {
		one, err := trees.Tree(i)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, one)
		checkTimes(t, one, jobs[i])
	}
}

// seen is by how much the times at the proxy may be off those at the client, on a machine that others use too.
const seen = 150 * time.Millisecond

// checkTimes holds the begin and the end of each turn against what the loop saw.
func checkTimes(t testing.TB, one *tree.Tree, calls []Call) {
	t.Helper()
	calls = slices.SortedFunc(slices.Values(calls), func(a, b Call) int { return a.Begun.Compare(b.Begun) })
	if len(calls) != len(one.Turns) {
		t.Fatalf("%d turns of %d calls", len(one.Turns), len(calls))
	}
	left := slices.Clone(one.Turns)
	for i, c := range calls {
		begun, took := c.Begun.Sub(calls[0].Begun), c.Ended.Sub(c.Begun)
		// Calls at the same time may be in another order at the proxy.
		at := slices.IndexFunc(left, func(q tree.Turn) bool { return (q.At-begun).Abs() <= seen && (q.Took-took).Abs() <= seen })
		if at < 0 {
			t.Errorf("turn %d began at %v and took %v; the recording has no such one, of it are left %v", i, begun, took, times(left))
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
}

// times are when turns began and how long they took.
func times(turns []tree.Turn) (list [][2]time.Duration) {
	for i := range turns {
		list = append(list, [2]time.Duration{turns[i].At, turns[i].Took})
	}
	return list
}

// checkTree: two turns of the root, three branches off the second, and two turns more that wait for all of them.
func checkTree(t testing.TB, one *tree.Tree) {
	t.Helper()
	var branches []string
	for i := range one.Branches {
		turns := 0
		for k := range one.Turns {
			if one.Turns[k].Branch == i {
				turns++
			}
		}
		branches = append(branches, fmt.Sprint(one.Branches[i].Kind, " ", turns))
	}
	slices.Sort(branches[1:])
	if want := []string{"root 4", "agent 2", "subagent 2", "subagent 2"}; !slices.Equal(branches, want) {
		t.Fatalf("branches %v, not %v", branches, want)
	}
	var root []int
	spawned, joined := 0, 0
	for i := range one.Turns {
		q := &one.Turns[i]
		if q.Branch == 0 {
			root = append(root, i)
		}
		for _, p := range q.Parents {
			switch p.Edge {
			case tree.Spawn:
				if p.Turn != root[1] || p.Sent {
					t.Errorf("turn %d was spawned by %+v", i, p)
				}
				spawned++
			case tree.Join:
				if len(root) != 3 || i != root[2] || one.Turns[p.Turn].Branch == 0 {
					t.Errorf("turn %d joins %+v", i, p)
				}
				joined++
			case tree.Next:
				if one.Turns[p.Turn].Branch != q.Branch || q.Kept == 0 {
					t.Errorf("turn %d follows %+v and keeps %d blocks", i, p, q.Kept)
				}
			}
		}
	}
	if spawned != 3 || joined != 3 {
		t.Errorf("%d branches were spawned and %d joined", spawned, joined)
	}
}
