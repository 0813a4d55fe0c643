package trace

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// treesOf reads all trees of a text.
func treesOf(t testing.TB, text, format string) ([]*tree.Tree, error) {
	tr, err := openText(t, text, format)
	if err != nil {
		return nil, err
	}
	trees, err := tr.Trees(TreeOptions{})
	if err != nil {
		return nil, err
	}
	defer trees.Close()
	var all []*tree.Tree
	for i := range trees.Len() {
		x, err := trees.Tree(i)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// root is a tree of one chain.
func root(id string, shared bool, block int, turns ...tree.Turn) *tree.Tree {
	return &tree.Tree{ID: id, Branches: []tree.Branch{{Name: "root", Kind: "root", Parent: -1}}, Block: block, Shared: shared, Turns: turns}
}

func after(turn int, pause time.Duration) []tree.Parent {
	return []tree.Parent{{Turn: turn, Edge: tree.Next, Pause: pause}}
}

// Rows of one session are a tree: each waits for the one before it, as long as the format says.
func TestSessionsAreTrees(t *testing.T) {
	message := json.RawMessage(`{"role":"user","content":"a \"b\""}`)
	full := []tree.Parent{{Turn: 0, Edge: tree.Next, Pause: 2 * time.Second, History: tree.Full}}
	at := func(x *tree.Tree, at time.Duration) *tree.Tree { x.At = at; return x }
	untimed := func(x *tree.Tree) *tree.Tree { x.Untimed = true; return x }
	for _, c := range []struct {
		name, format, text string
		want               []*tree.Tree
	}{
		{"delays after the turn before", "mooncake", `{"session_id":"a","input_length":600,"output_length":40,"hash_ids":[3,4]}
{"timestamp":5000,"input_length":10,"output_length":4}
{"session_id":"a","delay":1500,"input_length":1100,"output_length":9,"hash_ids":[3,5,6]}`, []*tree.Tree{
			untimed(root("1", true, 512, tree.Turn{Input: 600, Output: 40, IDs: []uint64{3, 4}}, tree.Turn{Input: 1100, Output: 9, Kept: 1, IDs: []uint64{5, 6}, Parents: after(0, 1500*time.Millisecond)})),
			at(root("2", true, 512, tree.Turn{Input: 10, Output: 4}), 5*time.Second),
		}},
		{"texts add to each other", "mooncake", `{"session_id":"a","text_input":"a \"b\"","output_length":4,"extra":{"seed":1}}
{"session_id":"a","text_input":"a \"b\"","delay":2000}`, []*tree.Tree{
			untimed(root("1", true, 0, tree.Turn{Output: 4, Own: []json.RawMessage{message}, Fields: map[string]json.RawMessage{"seed": json.RawMessage("1")}}, tree.Turn{Own: []json.RawMessage{message}, Parents: full})),
		}},
		{"messages and payloads are whole", "mooncake", `{"session_id":"a","messages":[{"role":"user","content":"a \"b\""}],"tools":[1]}
{"session_id":"b","payload":{"messages":[{"role":"user","content":"a \"b\""}],"model":"m","stream":true,"max_tokens":7}}`, []*tree.Tree{
			untimed(root("1", true, 0, tree.Turn{Own: []json.RawMessage{message}, Fields: map[string]json.RawMessage{"tools": json.RawMessage("[1]")}})),
			untimed(root("2", true, 0, tree.Turn{Own: []json.RawMessage{message}, Fields: map[string]json.RawMessage{"max_tokens": json.RawMessage("7")}})),
		}},
		{"chats by their parents", "", bailianText, []*tree.Tree{
			at(root("1", true, 16, tree.Turn{Input: 20, Output: 9, IDs: []uint64{1, 2}}, tree.Turn{At: 8750 * time.Millisecond, Input: 48, Output: 3, Kept: 1, IDs: []uint64{3, 4}, Parents: after(0, 8750*time.Millisecond)}), 61250*time.Millisecond),
			at(root("2", true, 16, tree.Turn{Input: 1, Output: 3, IDs: []uint64{5}}), 71*time.Second),
		}},
		{"prompts that grow get blocks", "", "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n5.0,7,2,GPT-4,30,4,34,x\n6,,2,ChatGPT,3,2,5,x\n9,7,1,GPT-4,50,3,9,x\n9.5,7,1,GPT-4,50,0,9,x", []*tree.Tree{
			at(root("1", false, 16, tree.Turn{Took: 2 * time.Second, Input: 30, Output: 4, IDs: []uint64{1, 2}, Model: "GPT-4"}, tree.Turn{At: 4 * time.Second, Took: time.Second, Input: 50, Output: 3, Kept: 1, IDs: []uint64{3, 4, 5}, Model: "GPT-4", Parents: after(0, 2*time.Second)}), 5*time.Second),
			at(root("2", false, 16, tree.Turn{Took: 2 * time.Second, Input: 3, Output: 2, IDs: []uint64{1}, Model: "ChatGPT"}), 6*time.Second),
		}},
		{"turns without times", "", agenticText, []*tree.Tree{
			untimed(root("trace:1", false, 16, tree.Turn{Input: 100, Output: 220, IDs: []uint64{1, 2, 3, 4, 5, 6, 7}}, tree.Turn{Input: 180, Output: 220, Kept: 6, IDs: []uint64{8, 9, 10, 11, 12, 13}, Parents: after(0, 0)})),
			untimed(root("trace:2", false, 16, tree.Turn{Input: 7, Output: 220, IDs: []uint64{1}})),
		}},
	} {
		got, err := treesOf(t, c.text, c.format)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSessionErrors(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"mooncake", mooncakeText, "it has no sessions of several requests"},
		{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4808,10\n", "it has no sessions of several requests"},
		{"mooncake", `{"timestamp":1,"session_id":"a","input_length":1,"output_length":1}`, "it has no sessions of several requests"},
		{"inferometer", `{"inferometer":1,"timestamp":1,"id":1,"session":"a","outcome":"complete"}` + "\n" + `{"inferometer":1,"timestamp":1,"id":2,"session":"a","input_length":2,"outcome":"refused"}`, "the session of row 1: it has no request that can be sent"},
		{"mooncake", `{"input_length":1,"output_length":1}`, "row 1: it needs a timestamp, or a session_id"},
		{"mooncake", `{"session_id":"a","text_input":"x","input_length":1}`, "row 1: it has more than one of"},
		{"mooncake", `{"session_id":"a","payload":{"prompt":"x"}}`, "only bodies of chat completions"},
		{"mooncake", `{"session_id":"a","messages":[]}`, "row 1: it has no message"},
		{"burstgpt", "Timestamp,Session ID,Model,Request tokens,Response tokens\n5,7,m,1,0\n6,7,m,1,0\n", "the session of row 1: it has no request that can be sent"},
		{"mooncake", strings.Repeat(`{"session_id":"a","input_length":1,"output_length":1}`+"\n", tree.MaxTurns+1), "a session has more than 65536 requests"},
	} {
		_, err := treesOf(t, c.text, c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.text, err, c.want)
		}
		if strings.Contains(c.want, "no sessions") != errors.Is(err, ErrNoSessions) {
			t.Errorf("%.60s: %v", c.text, err)
		}
	}
}

// A compressed file of trees is the same as a plain one, and leaves nothing behind.
func TestPackedTrees(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	plain := filepath.Join("treefile", "testdata", "mlperf.jsonl")
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), "mlperf.jsonl.gz")
	writeGzip(t, packed, string(text))
	var read [2][]*tree.Tree
	for i, path := range []string{plain, packed} {
		trees, err := openTrees(path, TreeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range trees.Len() {
			x, err := trees.Tree(k)
			if err != nil {
				t.Fatal(err)
			}
			read[i] = append(read[i], x)
		}
		if err := trees.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read[0], read[1]); diff != "" || len(read[0]) == 0 {
		t.Errorf("%d trees\n%s", len(read[0]), diff)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Sub-agents of Dynamo name the session that spawned them: the real recording has two trees, of which one has three
// sub-agents that it waits for.
func TestDynamoTrees(t *testing.T) {
	trees, err := openTrees(testfiles.Path(t, "traces", "dynamo_pi_request_trace.jsonl.gz"), TreeOptions{Split: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	turns, kinds, joins := 0, map[string]int{}, 0
	for i := range trees.Len() {
		x, err := trees.Tree(i)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, x)
		turns += len(x.Turns)
		for _, b := range x.Branches {
			kinds[b.Kind]++
		}
		for _, q := range x.Turns {
			for _, p := range q.Parents {
				if p.Edge == tree.Join {
					joins++
				}
			}
		}
	}
	want := map[string]int{"root": 2, "scout": 2, "reviewer": 1}
	if trees.Len() != 2 || turns != 17 || joins != 3 || !maps.Equal(kinds, want) {
		t.Errorf("%d trees, %d turns, %v, %d joins", trees.Len(), turns, kinds, joins)
	}
}

// A session may go on in the next file where the format says so; else each file has sessions of its own.
func TestSessionsOfSeveralFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"1.jsonl", "2.jsonl"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`{"session_id":"a","input_length":1,"output_length":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, continued := range []bool{false, true} {
		f := *mooncake
		f.Continued = continued
		tr, err := Open("mooncake", folder)
		if err != nil {
			t.Fatal(err)
		}
		tr.Format = &f
		trees, err := tr.Trees(TreeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := trees.Tree(0)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 1, true: 2}[continued]; len(x.Turns) != want {
			t.Errorf("%d turns, want %d", len(x.Turns), want)
		}
	}
}

// Whatever the bytes are: no panic, and trees that hold together.
func FuzzSessions(f *testing.F) {
	for _, text := range []string{
		mooncakeText, bailianText, agenticText, recordedText,
		`{"session_id":"a","input_length":600,"output_length":40,"hash_ids":[3,4]}` + "\n" + `{"session_id":"a","delay":-1500,"text_input":"x"}`,
		"Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens\n5.0,7,-2,GPT-4,30,4\n9,7,x,GPT-4,50,3",
		`{"event":{"schema":"1","event_type":"request_end","agent_context":{"session_id":"a","parent_session_id":"a"},"request":{"input_tokens":15,"output_tokens":3,"request_received_ms":1,"total_time_ms":-1}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		trees, err := treesOf(t, string(text), "")
		if err != nil {
			return
		}
		for _, x := range trees {
			checkTree(t, x)
		}
	})
}
