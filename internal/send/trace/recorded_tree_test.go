package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// recordedJob is an agent that asks for a title, plans, sends two sub-agents off and one that knows what it knows, and
// goes on with what they found.
const recordedJob = `{"inferometer":1,"timestamp":0,"id":1,"input_length":20,"output_length":3,"session":"s","model":"small","outcome":"complete","e2el_ms":100}
{"inferometer":1,"timestamp":50,"id":2,"input_length":40,"output_length":10,"block_size":16,"hash_ids":[1,2,3],"session":"s","model":"m","outcome":"complete","e2el_ms":450,"tool_calls":2,"sampling":{"temperature":0.5,"max_tokens":9}}
{"inferometer":1,"timestamp":600,"id":3,"input_length":32,"output_length":10,"block_size":16,"hash_ids":[7,8],"session":"s","model":"m","outcome":"complete","e2el_ms":400}
{"inferometer":1,"timestamp":650,"id":4,"input_length":32,"output_length":10,"block_size":16,"hash_ids":[7,9],"session":"s","model":"m","outcome":"complete","e2el_ms":200}
{"inferometer":1,"timestamp":700,"id":5,"input_length":32,"session":"s","model":"m","outcome":"http_5xx","e2el_ms":1}
{"inferometer":1,"timestamp":1100,"id":6,"continues":4,"input_length":48,"output_length":10,"block_size":16,"hash_ids":[7,9,10],"session":"s","model":"m","outcome":"complete","e2el_ms":400}
{"inferometer":1,"timestamp":2000,"id":7,"continues":2,"input_length":64,"output_length":10,"block_size":16,"hash_ids":[1,2,4,5],"session":"s","model":"m","outcome":"complete","e2el_ms":500,"tool_results":2}
{"inferometer":1,"timestamp":800,"id":8,"continues":2,"input_length":64,"output_length":10,"block_size":32,"hash_ids":[21,22],"session":"s","model":"m","outcome":"complete","e2el_ms":500}
`

// describe is a tree as text: a line for each turn.
func describe(t *tree.Tree) string {
	var b strings.Builder
	for i := range t.Turns {
		q := &t.Turns[i]
		fmt.Fprintf(&b, "%s %s %v+%v kept %d %v", q.Name, t.Branches[q.Branch].Kind, q.At, q.Took, q.Kept, q.IDs)
		for _, p := range q.Parents {
			fmt.Fprintf(&b, " %s(%s %v)", []string{"next", "spawn", "join", "barrier"}[p.Edge], t.Turns[p.Turn].Name, p.Pause)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRecordedTree(t *testing.T) {
	got, err := readRecordedTree(inputOf(strings.NewReader(recordedJob)), TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `1 auxiliary 0s+100ms kept 0 []
2 root 50ms+450ms kept 0 [1 2 3]
3 subagent 600ms+400ms kept 0 [7 8] spawn(2 100ms)
4 subagent 650ms+200ms kept 0 [7 9] spawn(2 150ms)
8 agent 800ms+500ms kept 0 [] spawn(2 300ms)
6 subagent 1.1s+400ms kept 2 [10] next(4 250ms)
7 root 2s+500ms kept 2 [4 5] next(2 1.5s) join(3 1s) join(6 500ms) join(8 700ms)
`
	if d := describe(got); d != want {
		t.Errorf("%s\nnot\n%s", d, want)
	}
	if got.ID != "s" || !got.Shared || got.Block != 16 {
		t.Errorf("%+v", got)
	}
	if f := got.Turns[1].Fields; len(f) != 1 || string(f["temperature"]) != "0.5" {
		t.Errorf("%s", f)
	}
	if _, err := recordedTree(nil); err == nil {
		t.Error("no rows are a tree")
	}
}

// FuzzRecordedTree: whatever the rows say, a tree is whole or refused.
func FuzzRecordedTree(f *testing.F) {
	f.Add(recordedJob)
	f.Add(`{"inferometer":1,"timestamp":0,"id":1,"continues":1,"outcome":"complete"}`)
	f.Add(`{"inferometer":1,"timestamp":-1e9,"id":1,"continues":2,"outcome":"complete","e2el_ms":-5}{"inferometer":1,"timestamp":1e300,"id":2,"continues":1,"outcome":"complete"}`)
	f.Add(`{"inferometer":1,"id":1,"outcome":"complete"}`)
	f.Add(`{"inferometer":1,"timestamp":1,"input_length":1,"block_size":0,"hash_ids":[1],"outcome":"complete"}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readRecordedTree(inputOf(strings.NewReader(text)), TreeOptions{})
		if err != nil {
			return
		}
		rows := strings.Count(text, "{")
		if len(got.Turns) == 0 || len(got.Turns) > rows || len(got.Branches) > len(got.Turns) {
			t.Fatalf("%d turns, %d branches of %d rows", len(got.Turns), len(got.Branches), rows)
		}
		for i := range got.Turns {
			q := &got.Turns[i]
			if q.At < 0 || q.Took < 0 || q.Branch >= len(got.Branches) || slices.ContainsFunc(q.Parents, func(p tree.Parent) bool { return p.Turn >= i || p.Pause < 0 }) {
				t.Fatalf("%+v", q)
			}
		}
	})
}

// inputOf is one of bytes that are at hand.
func inputOf(r io.Reader) *input {
	in := &input{}
	in.read(r)
	return in
}
