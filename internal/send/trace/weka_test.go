package trace

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// job is a Weka trace on one line, with a sub-agent whose requests have these times.
func job(id, first, second string) string {
	return `{"id":"` + id + `","block_size":64,"hash_id_scope":"local","later":{"x":[1]},"requests":[` +
		`{"t":1,"type":"s","model":"m","in":130,"out":4,"hash_ids":[1,2],"api_time":2},` +
		`{"t":100,"type":"subagent","agent_id":"a","subagent_type":"Explore","duration_ms":3000,"requests":[` +
		`{"t":` + first + `,"model":"m","in":64,"out":4,"hash_ids":[9],"api_time":1},{"t":` + second + `,"model":"m","in":128,"out":4,"hash_ids":[9,10],"api_time":0.5}]},` +
		`{"t":110,"type":"s","model":"m","in":200,"out":5,"hash_ids":[1,2,3],"api_time":1}]}`
}

// A file may hold a job on each line: all of them are read. Inner times count from the sub-agent's begin, or from the job's.
func TestJobsOnLinesWithBothClocks(t *testing.T) {
	folder := t.TempDir()
	text := job("a", "0.5", "2") + "\n" + job("b", "100.5", "102") + "\n\n" + strings.ReplaceAll(job("c", "0.5", "2"), ",", ",\n")
	plain, packed := filepath.Join(folder, "traces.jsonl"), filepath.Join(folder, "traces.jsonl.gz")
	if err := os.WriteFile(plain, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	writeGzip(t, packed, text)
	for _, path := range []string{plain, packed} {
		trees, err := openTrees(path, TreeOptions{Split: true})
		if err != nil {
			t.Fatal(err)
		}
		if trees.Len() != 3 {
			t.Fatalf("%d trees of 3", trees.Len())
		}
		var first *tree.Tree
		for i, id := range []string{"a", "b", "c"} {
			got, err := trees.Tree(i)
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != id {
				t.Errorf("tree %d is %q", i, got.ID)
			}
			if got.ID = "a"; first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("%s: %s", id, diff)
			}
		}
		want := &tree.Tree{
			ID: "a", At: time.Second, Block: 64,
			Branches: []tree.Branch{{Name: "root", Kind: "root", Parent: -1}, {Name: "sa:a", Kind: "Explore", Since: 99 * time.Second}},
			Turns: []tree.Turn{
				{Took: 2 * time.Second, Input: 130, Output: 4, IDs: []uint64{1, 2}, Model: "m"},
				{Branch: 1, At: 99500 * time.Millisecond, Took: time.Second, Input: 64, Output: 4, IDs: []uint64{9}, Model: "m", Parents: []tree.Parent{{Turn: 0, Edge: tree.Spawn, Pause: 97500 * time.Millisecond}}},
				{Branch: 1, At: 101 * time.Second, Took: 500 * time.Millisecond, Input: 128, Output: 4, Kept: 1, IDs: []uint64{10}, Model: "m", Parents: []tree.Parent{{Turn: 1, Edge: tree.Next, Pause: 500 * time.Millisecond}}},
				{
					At: 109 * time.Second, Took: time.Second, Input: 200, Output: 5, Kept: 2, IDs: []uint64{3}, Model: "m",
					Parents: []tree.Parent{{Turn: 0, Edge: tree.Next, Pause: 107 * time.Second}, {Turn: 2, Edge: tree.Join, Pause: 7500 * time.Millisecond}},
				},
			},
		}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Error(diff)
		}
		if err := trees.Close(); err != nil {
			t.Error(err)
		}
	}
}

func openTrees(path string, o TreeOptions) (Trees, error) {
	tr, err := Open("", path)
	if err != nil {
		return nil, err
	}
	return tr.Trees(o)
}

func writeGzip(t *testing.T, path, text string) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// A request may have fewer ids than blocks, or more: then what is too much goes, and is counted.
func TestTooFewAndTooManyIDs(t *testing.T) {
	tr, err := openText(t, `{"block_size":64,"requests":[{"t":1,"in":200,"out":5,"hash_ids":[1]},{"t":2,"in":64,"out":5,"hash_ids":[1,2,3]}]}`, "")
	if err != nil {
		t.Fatal(err)
	}
	trees, err := tr.Trees(TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trees.Tree(0)
	if err != nil {
		t.Fatal(err)
	}
	if got.Cut != 1 || len(got.Turns[0].IDs) != 1 || got.Turns[1].Kept != 1 || len(got.Turns[1].IDs) != 0 {
		t.Errorf("%+v", got)
	}
}

// What is no job is refused with a sentence that says where it is.
func TestHostileJobs(t *testing.T) {
	request := `{"t":1,"in":1,"out":1}`
	for _, c := range []struct{ text, want string }{
		{`{"requests":[` + strings.Repeat(request+",", tree.MaxTurns) + request + `]}`, "more than 65536 requests"},
		{`{"requests":[` + strings.Repeat(`{"t":1,"type":"subagent","requests":[]},`, tree.MaxTurns) + request + `]}`, "more than 65536 requests and sub-agents"},
		{`{"requests":[{"t":1,"type":"subagent","requests":[` + strings.Repeat(request+",", tree.MaxTurns) + request + `]}]}`, "65537 requests are more than 65536"},
		{`{"requests":[{"t":1,"type":"subagent","requests":[{"t":1,"requests":[]}]}]}`, "a sub-agent can't have sub-agents of its own"},
		{`{"requests":[{"t":1,"in":1,"out":1,"requests":[` + request + `]}]}`, "row 2: a request needs t, in and out, and has no requests of its own"},
		{`{"requests":[{"t":1e300,"in":1,"out":1}]}`, "row 1: a time of 1e+300 s is not within 31 years"},
		{`{"requests":[{"t":NaN,"in":1,"out":1}]}`, "invalid character 'N'"},
		{`{"requests":[{"t":1,"in":-1,"out":1}]}`, "row 1: an input of -1 tokens"},
		{`{"requests":[{"t":1,"in":1,"out":1,"hash_ids":[-1]}]}`, "cannot unmarshal number -1"},
		{`{"requests":[{"t":1,"type":"subagent","duration_ms":1e300,"requests":[]}]}`, "row 1: a time of 1e+297 s"},
		{`{"requests":[` + request + `],"system_tokens":-1}`, "system_tokens of -1"},
		{`{"requests":[` + request + `],"block_size":0}`, "block_size can't be 0"},
		{`{"requests":` + request + `}`, "{ stands where [ should"},
		{`{"requests":[` + request + "]}\nx", "line 2: a JSON object must begin here"},
		{`{"requests":[` + request + "]}\n{\"requests\":[", "the JSON object of line 2 has no end"},
		{"\n", "there is no JSON object"},
	} {
		tr, err := openText(t, c.text, "weka")
		if err != nil {
			t.Fatal(err)
		}
		trees, err := tr.Trees(TreeOptions{Split: true})
		if err == nil {
			_, err = trees.Tree(trees.Len() - 1)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.text, err, c.want)
		}
	}
}

// Whatever the bytes are: no panic, and trees that hold together.
func FuzzWeka(f *testing.F) {
	f.Add([]byte(job("a", "0.5", "2") + "\n" + job("b", "100.5", "102")))
	f.Add([]byte(wekaText))
	f.Add([]byte(`{"requests":[{"t":5,"in":64,"out":1,"hash_ids":[1]},{"t":-5,"in":64,"out":900,"hash_ids":[2],"api_time":-1},{"t":1,"type":"subagent","t":3,"requests":[{"t":-1,"in":1,"out":0}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := openText(t, string(text), "weka")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []TreeOptions{{}, {Split: true}} {
			trees, err := tr.Trees(o)
			if err != nil {
				continue
			}
			for i := range trees.Len() {
				if got, err := trees.Tree(i); err == nil {
					checkTree(t, got)
				}
			}
			if err := trees.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// checkTree holds a tree against what its comments promise.
func checkTree(t *testing.T, x *tree.Tree) {
	t.Helper()
	last := make([]int, len(x.Branches))
	for i := range last {
		last[i] = -1
	}
	lengths := make([]int, len(x.Branches))
	for i := range x.Turns {
		q := &x.Turns[i]
		next := -1
		for _, p := range q.Parents {
			if p.Turn < 0 || p.Turn >= i || p.Pause < 0 {
				t.Fatalf("turn %d waits %v for turn %d", i, p.Pause, p.Turn)
			}
			if p.Edge == tree.Next {
				next = p.Turn
			}
		}
		if next != last[q.Branch] {
			t.Fatalf("turn %d comes after %d, and the one before it on its branch is %d", i, next, last[q.Branch])
		}
		last[q.Branch] = i
		if q.Kept > lengths[q.Branch] || q.At < 0 || q.Took < 0 {
			t.Fatalf("turn %d keeps %d blocks of %d", i, q.Kept, lengths[q.Branch])
		}
		lengths[q.Branch] = q.Kept + len(q.IDs)
		if x.Block > 0 && lengths[q.Branch] > (q.Input+x.Block-1)/x.Block {
			t.Fatalf("turn %d has %d blocks for %d tokens", i, lengths[q.Branch], q.Input)
		}
	}
}
