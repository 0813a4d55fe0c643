package journal

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines are requests as AppendRequest writes them, without the newline.
func lines() [][]byte {
	var out [][]byte
	for i := range examples {
		out = append(out, bytes.TrimSuffix(AppendRequest(nil, &examples[i]), []byte("\n")))
	}
	return out
}

func TestDecodeRequestKnowsWhatWeWrite(t *testing.T) {
	for i, line := range lines() {
		var got Request
		if !decodeRequest(line, &got, new(Events)) {
			t.Errorf("our own line is left to encoding/json: %s", line)
		}
		if diff := cmp.Diff(examples[i], got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestDecodeRequestLeavesTheRest: what is not our form is for encoding/json, which
// then decides whether it is a request at all.
func TestDecodeRequestLeavesTheRest(t *testing.T) {
	line := string(lines()[1])
	for _, tt := range []struct{ what, old, new string }{
		{"a space", `,"due":5`, `, "due":5`},
		{"another order", `"i":7,"id":"bench-7"`, `"id":"bench-7","i":7`},
		{"an unknown key", `,"due":5`, `,"due":5,"new":1`},
		{"a key twice", `,"due":5`, `,"due":5,"due":5`},
		{"a fraction", `"due":5`, `"due":5.0`},
		{"an exponent", `"due":5`, `"due":5e0`},
		{"a zero too many", `"due":5`, `"due":05`},
		{"a number too large", `"due":5`, `"due":9223372036854775808`},
		{"a number that is not there", `"due":5`, `"due":`},
		{"a minus alone", `"due":5`, `"due":-`},
		{"a kind that is no kind", `"kind":[3`, `"kind":[65536`},
		{"a negative kind", `"kind":[3`, `"kind":[-1`},
		{"an empty column", `"lag":[3,4,5]`, `"lag":[]`},
		{"a comma too many", `"lag":[3,4,5]`, `"lag":[3,4,5,]`},
		{"a bad escape", `"bench-7"`, `"\x"`},
		{"a control character", `"bench-7"`, "\"a\tb\""},
		{"no closing quote", `"bench-7"`, `"bench-7`},
		{"something after it", `}}`, `}} `},
	} {
		i := bytes.LastIndex([]byte(line), []byte(tt.old))
		if i < 0 {
			t.Fatalf("%s: %s is not in the line", tt.what, tt.old)
		}
		other := line[:i] + tt.new + line[i+len(tt.old):]
		if decodeRequest([]byte(other), new(Request), new(Events)) {
			t.Errorf("%s was read: %s", tt.what, other)
		}
	}
	for n := range len(line) {
		if decodeRequest([]byte(line[:n]), new(Request), new(Events)) {
			t.Errorf("half a line was read: %s", line[:n])
		}
	}
}

// FuzzDecodeRequest: whatever the short way reads, encoding/json reads the same.
func FuzzDecodeRequest(f *testing.F) {
	for _, line := range lines() {
		f.Add(line)
	}
	f.Add([]byte(`{"request":{"i":-0,"id":"\ud800\u00e4","due":0,"sent":0,"end":0,"outcome":"new","prompt_tokens":0,"output_tokens":0,"events":{}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var got Request
		if !decodeRequest(line, &got, new(Events)) {
			return
		}
		var want Line
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("read, but encoding/json says %v: %q", err, line)
		}
		if diff := cmp.Diff(want.Request, &got); diff != "" {
			t.Fatalf("%q (-encoding/json +ours):\n%s", line, diff)
		}
	})
}

// TestColumnsThatAreAbsentAreNil: measure takes a column that is there, but empty,
// for a damaged journal.
func TestColumnsThatAreAbsentAreNil(t *testing.T) {
	full, bare := examples[1], examples[1]
	bare.Events.Lag, bare.Events.Tokens = nil, nil
	var file []byte
	for _, r := range []*Request{&full, &bare, &full} {
		file = AppendRequest(file, r)
	}
	r := Reader{}
	for _, want := range []*Request{&full, &bare, &full} {
		line, rest, _ := bytes.Cut(file, []byte("\n"))
		file = rest
		if !r.decode(line) {
			t.Fatalf("not read: %s", line)
		}
		if diff := cmp.Diff(want, r.line.Request); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func BenchmarkDecodeRequest(b *testing.B) {
	q := examples[1]
	q.Prompt, q.Text = nil, nil
	q.Events = Events{}
	for range 128 {
		q.Events.At = append(q.Events.At, 10_000_123)
		q.Events.Lag = append(q.Events.Lag, 201_234)
		q.Events.Kind = append(q.Events.Kind, EventChoices|EventText)
	}
	line := bytes.TrimSuffix(AppendRequest(nil, &q), []byte("\n"))
	b.Run("ours", func(b *testing.B) {
		r := Reader{}
		for b.Loop() {
			r.decode(line)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*128), "ns/event")
	})
	b.Run("encoding_json", func(b *testing.B) {
		var l Line
		for b.Loop() {
			if err := json.Unmarshal(line, &l); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*128), "ns/event")
	})
}

// TestTheFirstTargetIsLeftOut: a run against one server writes the lines that it
// always wrote, and a journal of before there were several still reads.
func TestTheFirstTargetIsLeftOut(t *testing.T) {
	r := examples[1]
	old := AppendRequest(nil, &r)
	if bytes.Contains(old, []byte("target")) {
		t.Errorf("a line of one server names a target: %s", old)
	}
	r.Target = 12
	line := AppendRequest(nil, &r)
	if want := bytes.Replace(old, []byte(`,"due":`), []byte(`,"target":12,"due":`), 1); !bytes.Equal(line, want) {
		t.Errorf("%s\nwant\n%s", line, want)
	}
	var got Request
	if !decodeRequest(bytes.TrimSpace(line), &got, new(Events)) || got.Target != 12 {
		t.Errorf("read back as %d", got.Target)
	}
}
