package stats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// otherwise are the traces in which AIPerf counts otherwise, and our hits and blocks.
var otherwise = map[string][2]int64{
	"d_background.json": {10, 25}, // it drops a sub-agent that nobody spawned, with two blocks
	"i_ids.json":        {20, 34}, // it counts an id behind the prompt's last block
}

// The blocks that a cache would know are those that AIPerf 0.13 counted in the same traces.
func TestHitsOfAIPerf(t *testing.T) {
	facts, err := filepath.Glob("../../../../test/aiperf/testdata/facts/*.json")
	if err != nil || len(facts) == 0 {
		t.Fatal("there are no facts", err)
	}
	for _, path := range facts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Hit int64 `json:"hit"`
			Of  int64 `json:"of"`
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if ours, differ := otherwise[name]; differ {
			want.Hit, want.Of = ours[0], ours[1]
		}
		file := filepath.Join("../../../../test/aiperf/testdata/traces", name)
		if strings.HasPrefix(name, "trace_") {
			file = testfiles.Path(t, "traces", filepath.Join("weka", name+".gz"))
		}
		tr, err := trace.Open("weka", file)
		if err != nil {
			t.Fatal(err)
		}
		trees, err := tr.Trees(trace.TreeOptions{Split: true})
		if err != nil {
			t.Fatal(err)
		}
		var h hits
		for i := range trees.Len() {
			made, err := trees.Tree(i)
			if err != nil {
				t.Fatal(err)
			}
			h.add(made)
		}
		trees.Close()
		if h.hit != want.Hit || h.blocks != want.Of {
			t.Errorf("%s: %d of %d blocks, want %d of %d", name, h.hit, h.blocks, want.Hit, want.Of)
		}
	}
}

// A job of known answers: the root asks at 0 s (2 s), spawns two agents, of which one begins while it still
// answers, and takes up the slower one.
//
//	root  0────2                       20──23
//	a       1──────5   8────10
//	b            4────────────15
func TestJobs(t *testing.T) {
	s := time.Second
	made := &tree.Tree{
		Branches: []tree.Branch{{Kind: tree.Root, Parent: -1}, {Kind: "Explore", Parent: 0}, {Kind: "Explore", Parent: 0}},
		Turns: []tree.Turn{
			{Took: 2 * s},
			{Branch: 1, At: 1 * s, Took: 4 * s, Parents: []tree.Parent{{Turn: 0, Edge: tree.Spawn, Sent: true, Pause: 1 * s}}},
			{Branch: 2, At: 4 * s, Took: 11 * s, Parents: []tree.Parent{{Turn: 0, Edge: tree.Spawn, Pause: 2 * s}}},
			{Branch: 1, At: 8 * s, Took: 2 * s, Parents: []tree.Parent{{Turn: 1, Edge: tree.Next, Pause: 3 * s}}},
			{At: 20 * s, Took: 3 * s, Parents: []tree.Parent{{Turn: 0, Edge: tree.Next, Pause: 18 * s}, {Turn: 3, Edge: tree.Join, Pause: 10 * s}, {Turn: 2, Edge: tree.Join, Pause: 5 * s}}},
		},
	}
	if model, all := critical(made); model != 16*s || all != 23*s { // 2 + 11 + 3
		t.Errorf("%v of %v, want 16 s of 23 s", model, all)
	}
	if n := peak(made); n != 2 {
		t.Errorf("%d at once, want 2", n)
	}
	j := newJobs()
	j.add(made)
	got := j.summary()
	if diff := cmp.Diff([]Kind{{"Explore", 2, 3}, {"root", 1, 2}}, got.Branches); diff != "" {
		t.Error(diff)
	}
	if got.Depth.Max != 2 || got.Spawned.Max != 2 || got.Spawned.N != 1 || got.Job.Sum != 23_000 || got.Pauses.Sum != 1000+2000+3000+5000 {
		t.Errorf("%+v", got)
	}
	// An agent that began while the last answer ran on is on the path only until then.
	made.Turns = made.Turns[:2]
	if model, all := critical(made); model != 5*s || all != 5*s {
		t.Errorf("%v of %v, want 5 s of 5 s", model, all)
	}
}

// Where nobody knows how long answers took there is no time of a job, which is not 0.
func TestJobsWithoutTimes(t *testing.T) {
	j := newJobs()
	j.add(&tree.Tree{Untimed: true, Branches: []tree.Branch{{Kind: tree.Root, Parent: -1}}, Turns: []tree.Turn{{}, {Parents: []tree.Parent{{Pause: time.Second}}}}})
	j.add(&tree.Tree{Branches: []tree.Branch{{Kind: "\x1b[31mred", Parent: -1}}, Turns: []tree.Turn{{}}})
	got := j.summary()
	if got.Untimed != 2 || got.Job.N != 0 || got.InFlight.N != 0 || got.Pauses.Max != 1000 {
		t.Errorf("%+v", got)
	}
	var b strings.Builder
	got.write(&b)
	if text := b.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, "job            n/a") || strings.Contains(text, "path") {
		t.Error(text)
	}
}

// The screen has 80 columns.
func TestTreesFit(t *testing.T) {
	j := newJobs()
	made := &tree.Tree{Turns: []tree.Turn{{At: 0, Took: 90_000 * time.Second}}}
	for i := range 30 {
		made.Branches = append(made.Branches, tree.Branch{Kind: strings.Repeat("k", i+30), Parent: -1})
	}
	for range 1500 {
		j.add(made)
	}
	s := &Stats{Format: "weka", Files: []string{"a.json"}, Trees: j.summary(), Cache: &Cache{ByTree: true, Block: 64, Blocks: 1e9, BlockShare: 1, TokenShare: 1}}
	var b strings.Builder
	if err := s.Write(&b, 0); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
