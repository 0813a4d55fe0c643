package aiperf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/test/realserver"
)

// facts are what AIPerf's loader says of a trace, as far as it is looked at here; README.md tells what the fields mean.
type facts struct {
	Trace    string
	Refused  string
	Branches []*factBranch
}

type factBranch struct {
	ID      string
	Turns   []*factTurn
	Spawned []struct {
		ID       string
		Start    float64
		Children []string
	}
}

type factTurn struct {
	At, Took, Delay float64
	Max             int `json:"max_tokens"`
	Hit, Of         int
	Spawns, Joins   []string
	Barriers        [][2]any
}

func readFacts(t *testing.T, path string) (f facts) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

// readTree reads the only tree of a file.
func readTree(t *testing.T, path string) *tree.Tree {
	t.Helper()
	tr, err := trace.Open("", path)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := tr.Trees(trace.TreeOptions{Split: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	if trees.Len() != 1 {
		t.Fatalf("%s has %d trees", path, trees.Len())
	}
	one, err := trees.Tree(0)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// Our reader makes the same of a trace as AIPerf's: the same agents with the same turns, that wait for the same.
func TestTrees(t *testing.T) {
	kept, err := filepath.Glob(filepath.Join("testdata", "facts", "*.json"))
	if err != nil || len(kept) < 15 {
		t.Fatalf("%d files of facts, %v", len(kept), err)
	}
	for _, path := range kept {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "traces", name+".json")
			if strings.HasPrefix(name, "trace_") {
				file = filepath.Join("..", "..", "testdata", "traces", "weka", name+".json.gz")
			}
			compareTree(t, readFacts(t, path), readTree(t, file))
		})
	}
}

// signature tells a branch from the others: names of found agents are AIPerf's own.
func signature(id string, ats []string) string {
	inside := ""
	if _, rest, ok := strings.Cut(id, "sa:"); ok {
		inside, _, _ = strings.Cut(rest, ":")
	}
	return inside + "@" + strings.Join(ats, ",")
}

func at(ms float64) string { return fmt.Sprintf("%.1f", ms) }

func compareTree(t *testing.T, want facts, got *tree.Tree) {
	t.Helper()
	if got.ID != want.Trace {
		t.Errorf("it is %q, and theirs %q", got.ID, want.Trace)
	}
	abs := func(d time.Duration) float64 { return float64(got.At+d) / 1e6 }
	ours := make([][]int, len(got.Branches)) // turns
	for i := range got.Turns {
		b := got.Turns[i].Branch
		ours[b] = append(ours[b], i)
	}
	branch := map[string]int{}
	for b, turns := range ours {
		var ats []string
		for _, i := range turns {
			ats = append(ats, at(abs(got.Turns[i].At)))
		}
		s := signature(got.Branches[b].Name, ats)
		if _, twice := branch[s]; twice {
			t.Fatalf("two branches are %s", s)
		}
		branch[s] = b
	}
	of := map[string]int{} // our branch by AIPerf's id
	for _, w := range want.Branches {
		var ats []string
		for _, turn := range w.Turns {
			ats = append(ats, at(turn.At))
		}
		s := signature(strings.TrimPrefix(w.ID, want.Trace), ats)
		b, ok := branch[s]
		if !ok {
			t.Errorf("we have no branch %s (%s)", w.ID, s)
			continue
		}
		delete(branch, s)
		of[w.ID] = b
	}
	for s, b := range branch {
		// A sub-agent that stands before the first turn is dropped by AIPerf, and begins with the job here.
		if got.Branches[b].Parent != -1 {
			t.Errorf("AIPerf has no branch %s (%s)", got.Branches[b].Name, s)
		}
	}
	if t.Failed() {
		return
	}

	spawnedBy := map[string]int{} // our turn by the id of a group
	joined := map[string]int{}
	for _, w := range want.Branches {
		for k, turn := range w.Turns {
			for _, id := range turn.Spawns {
				spawnedBy[id] = ours[of[w.ID]][k]
			}
			for _, id := range turn.Joins {
				joined[id] = ours[of[w.ID]][k]
			}
		}
	}
	wantJoins := map[int][]int{}
	for _, w := range want.Branches {
		for _, group := range w.Spawned {
			for _, child := range group.Children {
				b := of[child]
				first := got.Turns[ours[b][0]]
				spawn := edges(first, tree.Spawn)
				if len(spawn) != 1 || spawn[0].Turn != spawnedBy[group.ID] {
					t.Errorf("%s is spawned by %+v, and by AIPerf's turn %d", child, spawn, spawnedBy[group.ID])
				}
				if since := abs(got.Branches[b].Since); math.Abs(since-group.Start) > 0.002 {
					t.Errorf("%s was spawned at %g ms, and by AIPerf at %g", child, since, group.Start)
				}
				if j, ok := joined[group.ID]; ok {
					wantJoins[j] = append(wantJoins[j], ours[b][len(ours[b])-1])
				}
			}
		}
	}
	for _, w := range want.Branches {
		for k, turn := range w.Turns {
			i := ours[of[w.ID]][k]
			g := got.Turns[i]
			where := fmt.Sprintf("%s turn %d", w.ID, k)
			if took := float64(g.Took) / 1e6; math.Abs(took-turn.Took) > 0.002 {
				t.Errorf("%s took %g ms, and by AIPerf %g", where, took, turn.Took)
			}
			if max(g.Output, 1) != turn.Max {
				t.Errorf("%s was answered %d tokens, and by AIPerf %d", where, g.Output, turn.Max)
			}
			next := edges(g, tree.Next)
			if len(next) != min(k, 1) || k > 0 && next[0].Turn != ours[of[w.ID]][k-1] {
				t.Errorf("%s comes after %+v", where, next)
			} else if k > 0 && math.Abs(float64(next[0].Pause)/1e6-turn.Delay) > 0.002 {
				t.Errorf("%s comes %v after the turn before it, and by AIPerf %g ms", where, next[0].Pause, turn.Delay)
			}
			var barriers, joins []int
			for _, b := range turn.Barriers {
				barriers = append(barriers, ours[of[b[0].(string)]][int(b[1].(float64))])
			}
			sameTurns(t, where+" waits at a barrier for", edges(g, tree.Barrier), barriers)
			joins = wantJoins[i]
			sameTurns(t, where+" joins", edges(g, tree.Join), joins)
		}
	}
}

func edges(t tree.Turn, edge tree.Edge) (out []tree.Parent) {
	for _, p := range t.Parents {
		if p.Edge == edge {
			out = append(out, p)
		}
	}
	return out
}

func sameTurns(t *testing.T, what string, parents []tree.Parent, want []int) {
	t.Helper()
	var got []int
	for _, p := range parents {
		got = append(got, p.Turn)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s turns %v, and by AIPerf %v", what, got, want)
	}
}

// The same with traces that are drawn: whatever the two disagree about is found by chance, not by what we thought of.
func TestRealTrees(t *testing.T) {
	program := realserver.Lines(t, "INFEROMETER_AIPERF", 1, how)[0]
	random := testfiles.Random(t)
	from, to := t.TempDir(), t.TempDir()
	args := []string{"facts.py", to}
	var names []string
	for n := range 300 {
		name := fmt.Sprintf("drawn_%03d", n)
		raw, err := json.Marshal(drawn(random, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(from, name+".json")
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		names, args = append(names, name), append(args, path)
	}
	if out, err := exec.Command(filepath.Join(filepath.Dir(program), "python"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	refused, disordered := 0, 0
	for _, name := range names {
		want := readFacts(t, filepath.Join(to, name+".json"))
		if want.Refused != "" {
			refused++
			continue
		}
		if !inOrder(want) {
			disordered++
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(from, name+".json")
			compareTree(t, want, readTree(t, path))
			if t.Failed() {
				raw, _ := os.ReadFile(path)
				t.Logf("%s", raw)
			}
		})
	}
	t.Logf("of %d traces AIPerf refuses %d, and has turns of %d in another order than their times'", len(names), refused, disordered)
	if 4*(refused+disordered) > len(names) {
		t.Error("too few are left")
	}
}

// inOrder says whether the turns of all branches stand in the order of their times. AIPerf puts a compaction behind
// requests without ids that came later, and then sends them before it. We don't.
func inOrder(f facts) bool {
	for _, b := range f.Branches {
		if !slices.IsSortedFunc(b.Turns, func(x, y *factTurn) int { return cmp.Compare(x.At, y.At) }) {
			return false
		}
	}
	return true
}
