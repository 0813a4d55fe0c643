package play

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
	"github.com/inferometer/inferometer/internal/testfiles"
	"github.com/inferometer/inferometer/tokenizer"
)

var update = flag.Bool("update", false, "write the golden files")

// wordy is a tokenizer of whole words for which each other byte is a token, with a template like that of ChatML.
type wordy struct{ ids map[string]int32 }

func newWordy() *wordy {
	w := &wordy{ids: map[string]int32{}}
	for i := range 10_000 {
		text := "w" + string([]rune{rune('a' + i/676), rune('a' + i/26%26), rune('a' + i%26)})
		w.ids[" "+text], w.ids[text] = int32(1000+i), int32(20_000+i)
	}
	return w
}

func (w *wordy) Encode(text string) (ids []int32, _ error) {
	for len(text) > 0 {
		found := ""
		for _, n := range []int{5, 4} {
			if len(text) >= n && w.ids[text[:n]] > 0 {
				found = text[:n]
				break
			}
		}
		if found == "" {
			ids, text = append(ids, int32(text[0])), text[1:]
			continue
		}
		ids, text = append(ids, w.ids[found]), text[len(found):]
	}
	return ids, nil
}

func (w *wordy) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		for text, of := range w.ids {
			if of == id {
				b.WriteString(text)
			}
		}
	}
	return b.String(), nil
}

func (w *wordy) VocabSize() int                                 { return 30_000 }
func (w *wordy) SpecialIDs() []int32                            { return nil }
func (w *wordy) NumSpecialTokensToAdd() int                     { return 0 }
func (w *wordy) EncodeWithSpecial(text string) ([]int32, error) { return w.Encode(text) }
func (w *wordy) ApplyChatTemplate(list []tokenizer.Message, o tokenizer.ChatOptions) (string, error) {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "<%s>%s</>", m.Role, m.Content)
	}
	if o.AddGenerationPrompt {
		b.WriteString("<assistant>")
	}
	return b.String(), nil
}

// tokens are those that a server would count of a prompt.
func (w *wordy) tokens(t *testing.T, messages []byte) []int32 {
	t.Helper()
	var list []tokenizer.Message
	if err := json.Unmarshal(messages, &list); err != nil {
		t.Fatalf("%v: %.200s", err, messages)
	}
	text, _ := w.ApplyChatTemplate(list, tokenizer.ChatOptions{AddGenerationPrompt: true})
	ids, _ := w.Encode(text)
	return ids
}

var words = newWordy()

func player(t testing.TB, o *Options) *Player {
	t.Helper()
	v := &Vocabulary{count: words.Encode}
	for text := range words.ids {
		if text[0] == ' ' {
			v.words, v.heads = append(v.words, text), append(v.heads, text[1:])
		}
	}
	slices.Sort(v.words)
	slices.Sort(v.heads)
	var err error
	if v.chat, err = newChat(words, v); err != nil || v.chat == nil {
		t.Fatalf("no template: %v", err)
	}
	return &Player{Options: o, Seed: 1, Speed: 1, Vocabulary: v}
}

func options(preset string) *Options {
	o := option.New[Options]()
	o.Preset = preset
	o.Apply(func(string) bool { return false })
	return o
}

func TestPresets(t *testing.T) {
	for name := range presets {
		o := options(name)
		if err := option.Check(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if keys := o.Deviations(); len(keys) > 0 {
			t.Errorf("%s deviates from itself: %v", name, keys)
		}
		for key := range presets[name].options {
			if _, known := option.Find(o, key); !known {
				t.Errorf("%s sets %s, which is none", name, key)
			}
		}
	}
	o := option.New[Options]()
	o.Preset, o.Joins = AgentX, Pause
	o.Apply(func(flag string) bool { return flag == "trace-joins" })
	if keys := o.Deviations(); !slices.Equal(keys, []string{"trace_joins"}) || o.CacheBust != Marker {
		t.Errorf("deviations %v, marker %s", keys, o.CacheBust)
	}
}

// The conversations of each preset, of a trace with sub-agents that two turns take up again.
func TestGolden(t *testing.T) {
	r := recordingOf(t, filepath.Join(factsDir, "traces", "b_joins.json"))
	for _, preset := range []string{Faithful, AgentX, Inference, MLPerf} {
		t.Run(preset, func(t *testing.T) {
			o := options(preset)
			o.WarmTurns = min(o.WarmTurns, 2)
			if o.CacheBust == Salt {
				o.CacheBust = None // the trace has no system prompt
			}
			p, err := player(t, o).New(r, Place{Number: 1, Lane: 1, Inside: true})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			primer, err := p.Primer(p.Lead())
			if err != nil {
				t.Fatal(err)
			}
			if primer != nil {
				show(t, &b, "primer", primer)
			}
			c, err := p.Conversation()
			if err != nil {
				t.Fatal(err)
			}
			show(t, &b, "conversation", c)
			name := filepath.Join("testdata", preset+".txt")
			if *update {
				if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func show(t *testing.T, b *bytes.Buffer, what string, c *talk.Conversation) {
	t.Helper()
	fmt.Fprintf(b, "%s of %s, play %d, %d turns before\n", what, c.Trace, c.Play, c.Before)
	for i := range c.Turns {
		turn := &c.Turns[i]
		fmt.Fprintf(b, "%d %s: ", i, c.Branches[turn.Branch].Name)
		for _, w := range turn.Waits {
			fmt.Fprintf(b, "%d+%v", w.Turn, w.Delay.Round(time.Microsecond))
			for text, is := range map[string]bool{"(sent)": w.Sent, "(if last)": w.IfLast} {
				if is {
					b.WriteString(text)
				}
			}
			b.WriteString(" ")
		}
		made, err := c.Maker.Make(i)
		if err != nil {
			t.Fatal(err)
		}
		before, of := c.Maker.Sent(i)
		var list []struct{ Role, Content string }
		if err := json.Unmarshal(made.Messages, &list); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "asks %d, planned %d/%d, sent %d/%d,", turn.OutputTokens, made.Planned, made.PlannedOf, before, of)
		for _, m := range list {
			fmt.Fprintf(b, " %s %.24q", m.Role, m.Content)
		}
		b.WriteString("\n")
	}
}

// drawn is a tree of random branches whose prompts grow, shrink and are cut.
func drawn(r *rand.Rand) *tree.Tree {
	t := &tree.Tree{ID: fmt.Sprint("t", r.IntN(100)), Block: 8 + r.IntN(57)}
	next := uint64(1)
	prompts := [][]uint64{}
	last := []int{}
	for i := range 1 + r.IntN(40) {
		b := r.IntN(len(t.Branches) + 1)
		if i == 0 || b == len(t.Branches) {
			b = len(t.Branches)
			t.Branches = append(t.Branches, tree.Branch{Name: fmt.Sprint("b", b), Parent: b - 1, System: r.IntN(3) * r.IntN(200)})
			prompts, last = append(prompts, nil), append(last, -1)
		}
		turn := tree.Turn{Branch: b, At: time.Duration(i) * time.Second, Took: time.Duration(r.IntN(3e9)), Output: r.IntN(300)}
		if len(prompts[b]) > 0 {
			turn.Kept = len(prompts[b])
			if r.IntN(4) == 0 {
				turn.Kept = r.IntN(turn.Kept + 1)
			}
			turn.Parents = append(turn.Parents, tree.Parent{Turn: last[b], Pause: time.Duration(r.IntN(1e9))})
		} else if i > 0 {
			turn.Parents = append(turn.Parents, tree.Parent{Turn: r.IntN(i), Edge: tree.Spawn, Pause: time.Duration(r.IntN(1e9)), Sent: r.IntN(4) == 0})
			if r.IntN(2) == 0 { // it begins as another one
				turn.IDs = slices.Clone(prompts[r.IntN(len(prompts))])
			}
		}
		if i > 2 && r.IntN(3) == 0 {
			turn.Parents = append(turn.Parents, tree.Parent{Turn: r.IntN(i), Edge: tree.Edge(2 + r.IntN(2)), Pause: time.Duration(r.IntN(1e9))})
		}
		for range r.IntN(8) {
			turn.IDs = append(turn.IDs, next)
			next++
		}
		prompts[b] = append(slices.Clone(prompts[b][:turn.Kept]), turn.IDs...)
		last[b] = i
		turn.Input = len(prompts[b])*t.Block + []int{0, r.IntN(t.Block + 1), r.IntN(500)}[r.IntN(3)]
		if r.IntN(5) == 0 && len(prompts[b]) > 0 { // the last block is not full
			turn.Input = len(prompts[b])*t.Block - r.IntN(t.Block)
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

// What a server counts of a prompt is what the recording says, and prompts share what their blocks share.
func TestTokens(t *testing.T) {
	r := testfiles.Random(t)
	for range 300 {
		o := options([]string{Faithful, AgentX}[r.IntN(2)])
		o.StartMin, o.StartMax, o.Block = 0, 0, 1
		rec, err := New(drawn(r))
		if err != nil {
			t.Fatal(err)
		}
		p, err := player(t, o).New(rec, Place{Number: 1})
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.Conversation()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		var sent [][]int32
		for i := range c.Turns {
			made, err := c.Maker.Make(i)
			if err != nil {
				t.Fatal(err)
			}
			ids := words.tokens(t, made.Messages)
			if len(ids) != made.Tokens {
				t.Fatalf("turn %d: the server counts %d tokens, and %d are planned", i, len(ids), made.Tokens)
			}
			list := rec.segments(i)
			small := slices.ContainsFunc(list, func(s segment) bool { return s.blocks*rec.Block+s.tail < 40 }) // shorter than what stands around it
			if o.Counts != Messages && made.Tokens != rec.Turns[i].Input && !small {
				t.Fatalf("turn %d: %d tokens, want %d", i, made.Tokens, rec.Turns[i].Input)
			}
			if last := list[len(list)-1]; last.role != user && len(rec.Turns[i].IDs) > 0 && rec.Branches[rec.Turns[i].Branch].System == 0 {
				t.Fatalf("turn %d ends with the %s", i, roleNames[last.role])
			}
			longest := 0
			for _, other := range sent {
				longest = max(longest, common(other, ids))
			}
			before, of := c.Maker.Sent(i)
			// Two blocks may begin with the same word by chance, one of 10,000.
			if longest = min(longest, of-1); of != len(ids) || before > longest || before < longest-3 {
				t.Fatalf("turn %d: %d of %d tokens were sent before, want %d of %d", i, before, of, longest, len(ids))
			}
			sent = append(sent, ids)
		}
	}
}

func common(a, b []int32) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// With live history the server's answers stand where the recorded ones would.
func TestLive(t *testing.T) {
	o := options(Faithful)
	o.History = Live
	rec := recordingOf(t, filepath.Join(factsDir, "traces", "a_chain.json"))
	p, err := player(t, o).New(rec, Place{Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 { // with the next one the trace begins anew
		made, err := c.Maker.Make(i)
		if err != nil {
			t.Fatal(err)
		}
		for k := range i {
			if !bytes.Contains(made.Messages, fmt.Appendf(nil, `{"role": "assistant", "content": "live \"%d\""}`, k)) {
				t.Errorf("turn %d lacks the answer to turn %d: %.300s", i, k, made.Messages)
			}
		}
		if _, of := c.Maker.Sent(i); (of > 0) != (i == 0) {
			t.Errorf("turn %d: %d tokens are known", i, of)
		}
		c.Maker.Answered(i, &talk.Answer{Text: fmt.Sprintf(`live "%d"`, i)})
	}
}

// Each play has other words, or a marker, and none finds another in the cache.
func TestPlaysApart(t *testing.T) {
	rec := recordingOf(t, filepath.Join(factsDir, "traces", "a_chain.json"))
	for _, c := range []struct {
		bust   string
		shared bool
	}{{Words, false}, {Marker, false}, {None, true}} {
		o := options(Faithful)
		o.CacheBust = c.bust
		of := player(t, o)
		var bodies [2]string
		var before [2]int
		for pass := range bodies {
			p, err := of.New(rec, Place{Number: pass + 1, Pass: pass})
			if err != nil {
				t.Fatal(err)
			}
			talks, err := p.Conversation()
			if err != nil {
				t.Fatal(err)
			}
			made, err := talks.Maker.Make(0)
			if err != nil {
				t.Fatal(err)
			}
			bodies[pass] = string(made.Messages)
			before[pass], _ = talks.Maker.Sent(0)
		}
		if (bodies[0] == bodies[1]) != c.shared || (before[1] > 100) != c.shared {
			t.Errorf("%s: the same %v, %d tokens sent before", c.bust, bodies[0] == bodies[1], before[1])
		}
	}
	if b, a := salts(1, "c1"); b != "[salt: "+salt("1")+"]\n\n" || len(salt("c1")) != 4 || !strings.HasPrefix(a, "\n\n[salt: ") {
		t.Errorf("salts %q %q", b, a)
	}
}

// Texts of a recording are sent as they are, with the history that the edges say.
func TestTexts(t *testing.T) {
	text := func(role, content string) json.RawMessage { return talk.Text(role, content) }
	rec, err := New(&tree.Tree{ID: "x", Branches: []tree.Branch{{Name: "root", Parent: -1}, {Name: "child"}}, Untimed: true, Turns: []tree.Turn{
		{Own: []json.RawMessage{text("system", "s"), text("user", "u0")}, Answer: text("assistant", "a0"), Output: 5, Fields: map[string]json.RawMessage{"tools": json.RawMessage(`[]`), "max_tokens": json.RawMessage(`9`)}},
		{Branch: 1, Own: []json.RawMessage{text("user", "c")}, Parents: []tree.Parent{{Turn: 0, Edge: tree.Spawn}}, Fields: map[string]json.RawMessage{"max_tokens": json.RawMessage(`9`)}},
		{Own: []json.RawMessage{text("user", "u1")}, Output: 7, Parents: []tree.Parent{{Turn: 0, History: tree.Full}, {Turn: 1, Edge: tree.Join, History: tree.Last}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	o := options(MLPerf)
	p, err := player(t, o).New(rec, Place{Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Conversation(); err == nil || !strings.Contains(err.Error(), "no system prompt") { // the child has none
		t.Fatal(err)
	}
	o.CacheBust = Marker
	c, err := p.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if c.Turns[1].OutputTokens != 9 || c.Turns[2].Continues != 0 || len(c.Turns[2].Messages) != 3 || len(c.Turns[0].Fields) != 1 {
		t.Errorf("%+v", c.Turns)
	}
	if !bytes.Contains(c.Turns[0].Messages[1].JSON, []byte(`[rid:`)) || !bytes.Contains(c.Turns[1].Messages[0].JSON, []byte(`[rid:`)) || string(c.Turns[0].Recorded) != string(text("assistant", "a0")) {
		t.Errorf("%+v %+v %s", c.Turns[0].Messages, c.Turns[1].Messages, c.Turns[0].Recorded)
	}
}

// FuzzPlay plays trees that were made of bytes: nothing panics, no turn waits for one behind it, all messages are JSON.
func FuzzPlay(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(0))
	f.Add(bytes.Repeat([]byte{7, 130, 40, 2, 9, 11}, 20), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, how uint8) {
		rec, err := New(treeOf(data))
		if err != nil {
			return
		}
		o := options([]string{Faithful, AgentX, Inference}[how%3])
		p, err := player(t, o).New(rec, Place{Number: 1, Lane: int(how), Inside: how&8 > 0})
		if err != nil {
			t.Fatal(err)
		}
		primer, err := p.Primer(p.Lead())
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.Conversation()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*talk.Conversation{primer, c} {
			if c == nil {
				continue
			}
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			for i := range c.Turns {
				made, err := c.Maker.Make(i)
				if err != nil || !json.Valid(made.Messages) {
					t.Fatalf("%v: %.300s", err, made.Messages)
				}
				if before, of := c.Maker.Sent(i); before < 0 || before >= of {
					t.Fatalf("%d of %d", before, of)
				}
			}
		}
	})
}

// treeOf makes a tree of bytes, of which many are none that could be played.
func treeOf(data []byte) *tree.Tree {
	at := 0
	next := func(n int) int {
		if at == len(data) {
			return 0
		}
		at++
		return int(data[at-1]) % n
	}
	t := &tree.Tree{ID: "fuzz", Block: next(70), Untimed: next(2) == 1, Shared: next(2) == 1, Branches: make([]tree.Branch, 1+next(4))}
	for i := range t.Branches {
		t.Branches[i].System = next(200)
		t.Branches[i].Since = time.Duration(next(200)-20) * time.Second
	}
	for at < len(data) && len(t.Turns) < 50 {
		turn := tree.Turn{Branch: next(len(t.Branches)), At: time.Duration(next(250)) * time.Second, Took: time.Duration(next(250)) * time.Second, Input: next(250) * 4, Output: next(250), Kept: next(20)}
		for range next(8) {
			turn.IDs = append(turn.IDs, uint64(next(50)))
		}
		for range next(4) {
			turn.Parents = append(turn.Parents, tree.Parent{Turn: next(len(t.Turns) + 1), Edge: tree.Edge(next(4)), Pause: time.Duration(next(100)) * time.Second, Sent: next(2) == 1, History: tree.History(next(3))})
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}
