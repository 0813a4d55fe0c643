package play

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// facts are what AIPerf's own loader makes of a trace (test/aiperf/README.md).
type facts struct {
	Hit, Of  int
	Branches []struct {
		ID    string
		Turns []struct {
			Adds   [][2]any
			Reset  bool
			Tokens int
			Hit    int
			Of     int
		}
	}
	Starts []struct {
		Seed   uint64
		Ratios [2]float64
		Lane   int
		Trace  string
		Star   float64
		Live   []live
	}
	Markers []struct {
		Benchmark  string
		Pass, Lane int
		Text       string
	}
}

type live struct {
	ID     string
	Next   int
	Primer *int
}

const factsDir = "../../../../test/aiperf/testdata"

func readFacts(t *testing.T, name string) (*Recording, *facts) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(factsDir, "facts", name))
	if err != nil {
		t.Fatal(err)
	}
	f := &facts{}
	if err := json.Unmarshal(raw, f); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(factsDir, "traces", name)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join("../../../../testdata/traces/weka", name)
		if _, err := os.Stat(path); err != nil {
			path += ".gz"
		}
	}
	return recordingOf(t, path), f
}

func recordingOf(t *testing.T, path string) *Recording {
	t.Helper()
	file, err := trace.Open("", path)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := file.Trees(trace.TreeOptions{Split: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	one, err := trees.Tree(0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(one)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// branchOf finds a branch by AIPerf's id; its worker groups are found agents here.
func branchOf(r *Recording, id string) int {
	_, name, found := strings.Cut(id, "::")
	if !found {
		return 0
	}
	return slices.IndexFunc(r.Branches, func(b tree.Branch) bool { return b.Name == name })
}

// Roles, lengths, hits and starts are those of AIPerf 0.13.
func TestAIPerf(t *testing.T) {
	files, err := os.ReadDir(filepath.Join(factsDir, "facts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file.Name(), ".json"), func(t *testing.T) {
			r, f := readFacts(t, file.Name())
			checkPrompts(t, r, f)
			if r.ID != "d_background" { // it has a sub-agent before the first turn, which AIPerf leaves out
				checkStarts(t, r, f)
			}
			for _, m := range f.Markers {
				if got := markText(rid(m.Benchmark, m.Pass, m.Lane, r.ID)); got != m.Text {
					t.Errorf("marker %q, want %q", got, m.Text)
				}
			}
		})
	}
}

func checkPrompts(t *testing.T, r *Recording, f *facts) {
	t.Helper()
	hit, of := 0, 0
	for i := range r.Turns {
		hit, of = hit+int(r.hits[i]), of+int(r.blocks[i])
	}
	if (hit != f.Hit || of != f.Of) && r.ID != "i_ids" && r.ID != "d_background" { // AIPerf counts ids that no block has, and leaves out an agent
		t.Errorf("%d of %d blocks were known, want %d of %d", hit, of, f.Hit, f.Of)
	}
	for _, b := range f.Branches {
		at := branchOf(r, b.ID)
		if at < 0 {
			if strings.Contains(b.ID, "::wg:") {
				continue
			}
			t.Errorf("no branch %s", b.ID)
			continue
		}
		var want []string
		for k, turn := range b.Turns {
			if turn.Reset {
				want = nil
			}
			for _, m := range turn.Adds {
				want = append(want, fmt.Sprint(m[0], " ", m[1]))
			}
			i := int(r.turns[at][k])
			var got []string
			sum := 0
			for _, s := range r.segments(i) {
				n := s.blocks*r.Block + s.tail
				sum += n
				got = append(got, fmt.Sprint(roleNames[s.role], " ", n))
			}
			if sum != r.Turns[i].Input {
				t.Errorf("%s, turn %d: messages of %d tokens, want %d", b.ID, k, sum, r.Turns[i].Input)
			}
			if sum != turn.Tokens && r.ID == "i_ids" {
				continue // AIPerf's sum is short there
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, turn %d: messages %v, want %v", b.ID, k, got, want)
			}
		}
	}
}

func checkStarts(t *testing.T, r *Recording, f *facts) {
	t.Helper()
	for _, s := range f.Starts {
		if s.Trace != r.ID {
			continue
		}
		o := option.New[Options]()
		o.StartMin, o.StartMax = s.Ratios[0], s.Ratios[1]
		if got := r.star(s.Seed, s.Lane, s.Ratios[0], s.Ratios[1]); got < s.Star*(1-1e-12) || got > s.Star*(1+1e-12) {
			t.Errorf("seed %d, lane %d: the start is at %v ms, want %v", s.Seed, s.Lane, got, s.Star)
		}
		begin := r.start(s.Seed, s.Lane, o)
		primers := begin.primers(r)
		wanted := 0
		for _, live := range s.Live {
			at := branchOf(r, live.ID)
			if at < 0 {
				continue
			}
			next := slices.IndexFunc(r.turns[at], func(i int32) bool { return !begin.done[i] })
			if next != live.Next {
				t.Errorf("seed %d, lane %d: %s goes on with turn %d, want %d", s.Seed, s.Lane, live.ID, next, live.Next)
				continue
			}
			if live.Primer != nil {
				wanted++
				if !slices.Contains(primers, int(r.turns[at][*live.Primer])) {
					t.Errorf("seed %d, lane %d: no primer for %s", s.Seed, s.Lane, live.ID)
				}
			}
		}
		if len(primers) != wanted && !slices.ContainsFunc(s.Live, func(l live) bool { return branchOf(r, l.ID) < 0 }) {
			t.Errorf("seed %d, lane %d: %d primers, want %d", s.Seed, s.Lane, len(primers), wanted)
		}
	}
}
