package talk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// byWord is a tokenizer to which a word is a token.
type byWord struct{ words []string }

func (b *byWord) Encode(text string) (ids []int32, err error) {
	for _, w := range strings.Fields(text) {
		b.words = append(b.words, w)
		ids = append(ids, int32(len(b.words)-1))
	}
	return ids, nil
}

func (b *byWord) Decode(ids []int32) (string, error) {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = b.words[id]
	}
	return strings.Join(words, " "), nil
}

type row struct {
	Messages, Prefix int
	Input, Output    []int
}

// TestGeneratorLengths: for the same seed the lengths are those of testdata/generator.py,
// which draws them with NumPy.
func TestGeneratorLengths(t *testing.T) {
	b, err := os.ReadFile("testdata/generator.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		Seed          uint64
		Config        json.RawMessage
		Common        int
		Conversations []row
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	for _, want := range golden {
		c, err := ParseGenerator(want.Config)
		if err != nil || c == nil {
			t.Fatal(err)
		}
		r := numpy.NewRandomState(want.Seed)
		turns, prefix := c.Input.Turns.draw(r, c.NumConversations), c.Input.Prefix.draw(r, c.NumConversations)
		if c.Input.CommonPrefix != nil && c.Input.CommonPrefix.draw(r, 1)[0] != want.Common {
			t.Error("another common prefix")
		}
		var got []row
		for i := range turns {
			n := max(2, turns[i])
			n += n % 2
			got = append(got, row{n, prefix[i], c.Input.Tokens.draw(r, n), c.Output.Tokens.draw(r, n)})
		}
		if diff := cmp.Diff(want.Conversations, got); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", want.Seed, diff)
		}
		// And so are the conversations.
		path := filepath.Join(t.TempDir(), "text.txt")
		if err := os.WriteFile(path, []byte(strings.Repeat("word ", 200_000)), 0o666); err != nil {
			t.Fatal(err)
		}
		c.TextFiles = []string{path}
		g, err := NewGenerator(c, &byWord{}, want.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want.Conversations {
			made, err := g.Next()
			if err != nil {
				t.Fatal(err)
			}
			if err := made.Check(); err != nil || len(made.Turns) != w.Messages/2 || g.Turns()[i] != w.Messages/2 {
				t.Fatalf("conversation %d has %d turns, want %d: %v", i, len(made.Turns), w.Messages/2, err)
			}
			for k, turn := range made.Turns {
				const head = 9 // words that tell conversations apart
				in := max(w.Input[2*k], head)
				if k == 0 {
					in = w.Prefix + max(w.Input[0], want.Common+head)
				}
				if n := len(strings.Fields(Words(turn.Messages[0].JSON))); turn.OutputTokens != max(1, w.Output[2*k+1]) || n != turn.PromptTokens || n != in {
					t.Errorf("conversation %d, turn %d: %d tokens in, want %d; %d out, want %d", i, k, n, in, turn.OutputTokens, w.Output[2*k+1])
				}
			}
		}
		if last, err := g.Next(); last != nil || err != nil {
			t.Errorf("one conversation too many: %v, %v", last, err)
		}
	}
}

func TestGeneratorErrors(t *testing.T) {
	config := func(turns string) string {
		return `{"filetype": "generate_conversations", "num_conversations": 2, "text_files": ["x"], "prompt_input": {"num_turns": ` + turns +
			`, "num_tokens": {"distribution": "constant", "value": 5}, "prefix_num_tokens": {"distribution": "constant", "value": 5}}, "prompt_output": {"num_tokens": {"distribution": "constant", "value": 5}}}`
	}
	for raw, want := range map[string]string{
		`{"filetype": "other"}`:                                                               `its filetype is "other"`,
		`{"filetype": "generate_conversations"}`:                                              "num_conversations must be from 1",
		`{"filetype": "generate_conversations", "num_conversations": 1}`:                      "text_files must name",
		`{"filetype": "generate_conversations", "num_conversations": 1, "text_files": ["x"]}`: "it has no prompt_input.num_turns",
		`{"filetype": "generate_conversations", "num_conversations": 1, "text_file": "x"}`:    `unknown field "text_file"`,
		config(`{"distribution": "cauchy"}`):                                                  `the distribution "cauchy" is unknown`,
		config(`{"distribution": "constant"}`):                                                "constant needs value",
		config(`{"distribution": "uniform", "min": 5, "max": 2}`):                             "min is above max",
		config(`{"distribution": "uniform", "min": 0, "max": 2}`):                             "min must be from",
		config(`{"distribution": "zipf", "alpha": 1}`):                                        "alpha must be from",
		config(`{"distribution": "lognormal"}`):                                               "lognormal needs average, or mean and sigma",
		config(`{"distribution": "lognormal", "average": 5, "median_ratio": 1}`):              "median_ratio must be",
		config(`{"distribution": "poisson", "alpha": 5, "max": 0}`):                           "max must be from 1",
		config(`{"distribution": "constant", "value": 1e12}`):                                 "value must be from 0",
	} {
		if _, err := ParseGenerator([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", raw, err, want)
		}
	}
	for _, raw := range []string{`[]`, `{"messages": []}`, `x`, ``} {
		if c, err := ParseGenerator([]byte(raw)); c != nil || err != nil {
			t.Errorf("%s is no config: %v", raw, err)
		}
	}
}

func FuzzParseGenerator(f *testing.F) {
	f.Add([]byte(`{"filetype": "generate_conversations", "num_conversations": 2, "text_files": ["x"], "prompt_input": {"num_turns": {"distribution": "zipf", "alpha": 2, "max": 9}, "num_tokens": {"distribution": "uniform", "min": 1.5, "max": 5}, "prefix_num_tokens": {"distribution": "lognormal", "average": 5}}, "prompt_output": {"num_tokens": {"distribution": "poisson", "alpha": 50}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := ParseGenerator(raw)
		if c == nil || err != nil {
			return
		}
		r := numpy.NewRandomState(1)
		for _, l := range []*Lengths{c.Input.Turns, c.Input.Tokens, c.Input.Prefix, c.Output.Tokens} {
			for _, n := range l.draw(r, 10) {
				if n < 0 || n > maxLength {
					t.Fatalf("%+v gave %d", l, n)
				}
			}
		}
	})
}
