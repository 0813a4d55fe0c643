package treefile

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files anew")

// files are the examples of testdata and what each is.
var files = map[string]*Format{
	"multi_turn.jsonl": multiTurn, "dag_jsonl.jsonl": dag, "guidellm.jsonl": guidellm, "mlperf.jsonl": mlperf, "tracelab.jsonl": tracelab,
	"otel.json": otel, "otel_spans.jsonl": otel, "otlp.jsonl": otel, "tree.jsonl": own,
}

// trees reads all of a file.
func trees(t testing.TB, f *Format, path string) []*tree.Tree {
	t.Helper()
	all, err := f.Open([]string{path}, os.Open, false)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var list []*tree.Tree
	for i := range all.Len() {
		made, err := all.Tree(i)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, made)
	}
	return list
}

// write is trees in our own form.
func write(t testing.TB, list []*tree.Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, made := range list {
		if err := Write(&b, made); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// Each example is its golden tree, which reads as it was written.
func TestFormats(t *testing.T) {
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			list := trees(t, f, filepath.Join("testdata", name))
			got, golden := write(t, list), filepath.Join("testdata", "golden", name)
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(list, trees(t, own, golden)); diff != "" {
				t.Errorf("read again: %s", diff)
			}
		})
	}
}

// No example is taken for another format.
func TestLooks(t *testing.T) {
	for name, want := range files {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range Formats {
			if f.Looks(text) {
				if f != want {
					t.Errorf("%s is taken for %s", name, f.Name)
				}
				break
			}
		}
	}
}

// What is wrong is said with its row, and never read as something else.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		f          *Format
		text, want string
	}{
		{multiTurn, `{"turns":[{"text":"a","image":"x.png"}]}`, "images, audio and video"},
		{multiTurn, `{"turns":[{"text":"a"},{"text":"b","delay":-1}]}`, "less than none"},
		{multiTurn, `{"turns":[{"text":"a","texts":["b"]}]}`, "only one of them"},
		{multiTurn, `{"turns":[]}`, "no turns"},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user","content":"x"}],"spawn":["b"]}]}`, `row 1: json: unknown field "spawn"`},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user","content":"x"}],"spawns":["b"]}]}`, `row 1: there is no conversation "b"`},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user"}],"spawns":["b"]}]}` + "\n" + `{"session_id":"b","turns":[{"messages":[{"role":"user"}],"spawns":["a"]}]}`, "begin each other"},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user"}],"spawns":["b"]}]}` + "\n" + `{"session_id":"b","turns":[{"messages":[{"role":"user"}],"spawns":["c"]}]}` + "\n" + `{"session_id":"c","turns":[{"messages":[{"role":"user"}],"spawns":["b"]}]}`, "begins itself"},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user"}],"forks":["b"]},{"messages":[{"role":"user"}]}]}` + "\n" + `{"session_id":"b","turns":[{"messages":[{"role":"user"}]}]}`, "ends the conversation, which has more turns"},
		{dag, `{"session_id":"a","turns":[{"messages":[{"role":"user"}],"spawns":[{"children":["b"],"join_at":1}]}]}` + "\n" + `{"session_id":"b","turns":[{"messages":[{"role":"user"}]}]}`, "join_at must be within"},
		{dag, `{"session_id":"a","orchestrator":true,"spawns":["b"]}`, "orchestrator"},
		{dag, `{"session_id":"a","turns":[{"messages":[]}]}`, "no messages"},
		{guidellm, `{"turns":[{"node_id":"a","parents":[{"parent_node_id":"b"}]},{"node_id":"b","parents":[{"parent_node_id":"a"}]}]}`, "wait for each other"},
		{guidellm, `{"turns":[{"node_id":"a"},{"node_id":"a"}]}`, "two turns"},
		{guidellm, `{"turns":[{"node_id":"a","columns":{"tool_response_column":["x"]}}]}`, "not read"},
		{mlperf, `{"conversation_id":"c","turn":1,"role":"assistant","content":"x"}`, `can't follow ""`},
		{mlperf, `{"conversation_id":"c","turn":1,"role":"user","content":"x"}` + "\n" + `{"conversation_id":"d","turn":1,"role":"user","content":"x"}` + "\n" + `{"conversation_id":"c","turn":2,"role":"assistant","content":"x"}`, "do not stand together"},
		{mlperf, `{"conversation_id":"c","turn":1,"role":"user","content":"x"}` + "\n" + `{"conversation_id":"c","turn":1,"role":"assistant","content":"x"}`, "stands behind"},
		{otel, `{"spans":[{"span_id":"a","attributes":{}}]}`, "0 spans of requests"},
		{otel, `{"spans":[{"span_id":"a","start_time":"yesterday","attributes":{"gen_ai.operation.name":"chat","gen_ai.input.messages":"[]"}}]}`, "ISO 8601"},
		{tracelab, `{"session_id":"a","timing_events":[{"event_type":"text","timestamp":"2026-01-01T00:00:00Z"}],"input_tokens_total":-5}`, "not within"},
		{own, `{"inferometer_tree":2}`, "version 2"},
		{own, `{"inferometer_tree":1,"branches":[{}],"turns":[{"parents":[{"turn":0,"edge":"next"}]}]}`, "can't wait for turn 0"},
		{own, `{"inferometer_tree":1,"branches":[{}],"turns":[{"kept":1}]}`, "keeps 1 blocks of 0"},
		{own, `{"inferometer_tree":1,"branches":[{}],"turns":[{"branch":1}]}`, "no branch 1"},
		{own, `{"inferometer_tree":1,"branches":[{}],"turns":[{"at_s":1e300}]}`, "31 years"},
		{own, `{"inferometer_tree":1`, "row 1: the file ends inside it"},
		{own, `words`, `'w' stands where a JSON object should begin`},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := c.f.Open([]string{path}, os.Open, false)
		if err == nil {
			for i := 0; i < all.Len() && err == nil; i++ {
				_, err = all.Tree(i)
			}
			all.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.f.Name, c.text, err, c.want)
		}
	}
}

// Each field of a tree survives being written, those too that are added later.
func TestRoundTrip(t *testing.T) {
	r := testfiles.Random(t)
	for range 200 {
		want := drawn(r)
		if err := want.Check(); err != nil {
			t.Fatal(err)
		}
		got, err := own.read(material{values: [][]byte{write(t, []*tree.Tree{want})}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
	for _, zero := range []any{tree.Tree{}, tree.Branch{}, tree.Turn{}, tree.Parent{}} {
		ours := map[string]any{"Tree": Line{}, "Branch": Branch{}, "Turn": Turn{}, "Parent": Parent{}}[reflect.TypeOf(zero).Name()]
		for i := range reflect.TypeOf(zero).NumField() {
			name := reflect.TypeOf(zero).Field(i).Name
			if _, found := reflect.TypeOf(ours).FieldByName(name); !found {
				t.Errorf("the field %s of a %T is not written", name, zero)
			}
		}
	}
}

// drawn is a tree by chance, with all of its fields.
func drawn(r *rand.Rand) *tree.Tree {
	t := &tree.Tree{ID: "a<b>", At: time.Duration(r.Int64N(1e18)), Block: 1 + r.IntN(64), Shared: r.IntN(2) == 0, Untimed: r.IntN(2) == 0, Cut: r.IntN(3)}
	turns := 1 + r.IntN(12)
	for i := range 1 + r.IntN(turns) {
		t.Branches = append(t.Branches, tree.Branch{Name: "n", Kind: tree.Found, Parent: r.IntN(i+1) - 1, System: r.IntN(9), Since: time.Duration(r.Int64N(1e15))})
	}
	blocks := make([]int, len(t.Branches))
	for i := range turns {
		u := tree.Turn{Branch: r.IntN(len(t.Branches)), At: time.Duration(i) * 1234567891, Took: time.Duration(r.Int64N(1e12)), Input: r.IntN(1e6), Output: r.IntN(1e4), Name: "t", Model: "m"}
		u.Kept = r.IntN(blocks[u.Branch] + 1)
		for range 1 + r.IntN(4) {
			u.IDs = append(u.IDs, r.Uint64())
		}
		blocks[u.Branch] = u.Kept + len(u.IDs)
		if i > 0 {
			u.Parents = []tree.Parent{{Turn: r.IntN(i), Edge: tree.Edge(r.IntN(4)), Pause: time.Duration(r.Int64N(1e13)), Sent: r.IntN(2) == 0, History: tree.History(r.IntN(3))}}
			u.Own = append(u.Own, message("user", "<&> é"))
			u.Answer = message("assistant", "x")
			u.Fields = field(u.Fields, "seed", []byte("7"))
		}
		t.Turns = append(t.Turns, u)
	}
	return t
}

// Whatever a file holds, it is refused or makes trees that keep their own rules and read as they are written.
func FuzzFormats(f *testing.F) {
	for name := range files {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for i := range Formats {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		format := Formats[int(which)%len(Formats)]
		format.Looks(text)
		from, by := newValues(bytes.NewReader(text)), format.group()
		var all [][]byte
		for from.next() {
			all = append(all, bytes.Clone(from.value))
			if by.add(len(all)-1, from.value) != nil {
				return
			}
		}
		groups, err := by.groups()
		if err != nil {
			return
		}
		for _, g := range groups {
			var values [][]byte
			for _, n := range g.values {
				values = append(values, all[n])
			}
			made, err := format.read(material{key: g.key, values: values, split: true})
			if err != nil {
				continue
			}
			var b bytes.Buffer
			if err := Write(&b, made); err != nil {
				t.Fatal(err)
			}
			again, err := own.read(material{values: [][]byte{b.Bytes()}})
			if err != nil {
				t.Fatalf("%s: %v", b.Bytes(), err)
			}
			var c bytes.Buffer
			if err := Write(&c, again); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
				t.Fatalf("%s\n%s", b.Bytes(), c.Bytes())
			}
		}
	})
}
