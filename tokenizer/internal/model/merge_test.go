package model

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/split"
)

// TestBothWaysOfMergingAgree: the scan over short pieces and the queue for long ones.
func TestBothWaysOfMergingAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"bytes", "runes"} {
		model := loadSmall(t, name)
		merged := 0
		for range 2000 {
			var piece strings.Builder
			for piece.Len() < 1+random.IntN(fewSymbols-8) {
				piece.WriteString([]string{"th", "e", " ", "in", "g", "er", "a", "é", "日"}[random.IntN(9)])
			}
			w := &Worker{}
			model.spell(w, piece.String())
			queued := w.queue.merge(&model.merges, slices.Clone(w.symbols), w.pairs)
			before := len(w.symbols)
			scanned := w.merge(&model.merges)
			if !slices.Equal(scanned, queued) {
				t.Fatalf("%s: %q is %v by the scan and %v by the queue", name, piece.String(), scanned, queued)
			}
			merged += before - len(scanned)
		}
		if merged == 0 {
			t.Errorf("%s: nothing was merged", name)
		}
	}
}

// TestBytePairs: the small table says what the large one says, when it is asked first and later.
func TestBytePairs(t *testing.T) {
	model := loadSmall(t, "bytes")
	if model.bytePairs == nil {
		t.Fatal("every byte has a token, but there is no table of pairs")
	}
	found := 0
	for range 2 {
		for left := range 256 {
			for right := range 256 {
				got := model.bytePairs.get(model, byte(left), byte(right))
				if want := model.merges.get(model.bytes[left], model.bytes[right]); got != want {
					t.Fatalf("bytes %d and %d: %v, want %v", left, right, got, want)
				}
				if got.rank != noMerge {
					found++
				}
			}
		}
	}
	if found == 0 {
		t.Error("no pair of bytes has a merge")
	}
}

func loadSmall(t *testing.T, name string) *bpe {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name + "/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := spec.ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return newBPE(&f.Model, name == "bytes")
}

// TestMarkJoins: cuts before marks, but not where a token reaches over, nor inside a run of them.
func TestMarkJoins(t *testing.T) {
	var joins MarkJoins
	for _, token := range []string{"▁the", "▁▁", ">▁</", "plain"} {
		joins.note(token)
	}
	tests := map[string]string{
		"": "", "▁": "▁", "▁a▁b": "▁a|▁b", "a▁▁▁b": "a|▁▁▁b", "a>▁b▁c": "a>▁b|▁c", "é▁é": "é|▁é", "ab": "ab",
	}
	for text, want := range tests {
		if got := strings.Join(pieces(joins.Split, text), "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func pieces(cut split.Splitter, text string) []string {
	var out []string
	for _, s := range cut(text, nil) {
		out = append(out, text[s.From:s.To])
	}
	return out
}
