package workload

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/tokenizer"
)

// fakeVocabulary has letters, pairs of letters and one triple that its own
// encoder never gives. Ids that are strung together thus become fewer tokens
// (two letters make a pair) or more (the triple falls apart), as in real ones.
type fakeVocabulary struct{ special int } // tokens that it adds

const (
	fakePairs  = 26
	fakeTriple = 26 + 26*26
	fakeSize   = fakeTriple + 1
)

func (fakeVocabulary) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		switch {
		case id < fakePairs:
			b.WriteByte('a' + byte(id))
		case id < fakeTriple:
			b.WriteByte('a' + byte((id-fakePairs)/26))
			b.WriteByte('a' + byte((id-fakePairs)%26))
		default:
			b.WriteString("zzz")
		}
	}
	return b.String(), nil
}

// Encode takes pairs from the left. Other bytes are a token each.
func (fakeVocabulary) Encode(text string) ([]int32, error) {
	letter := func(i int) bool { return i < len(text) && text[i] >= 'a' && text[i] <= 'z' }
	var ids []int32
	for i := 0; i < len(text); i++ {
		switch {
		case letter(i) && letter(i+1):
			ids = append(ids, fakePairs+int32(text[i]-'a')*26+int32(text[i+1]-'a'))
			i++
		case letter(i):
			ids = append(ids, int32(text[i]-'a'))
		default:
			ids = append(ids, 0)
		}
	}
	return ids, nil
}

func (f fakeVocabulary) EncodeWithSpecial(text string) ([]int32, error) {
	ids, err := f.Encode(text)
	return append(make([]int32, f.special), ids...), err
}

func (fakeVocabulary) VocabSize() int               { return fakeSize }
func (fakeVocabulary) SpecialIDs() []int32          { return []int32{3, 1000} }
func (f fakeVocabulary) NumSpecialTokensToAdd() int { return f.special }

func (fakeVocabulary) ApplyChatTemplate(m []tokenizer.Message, _ tokenizer.ChatOptions) (string, error) {
	return "<" + m[0].Role + ">" + m[0].Content + "<answer>", nil
}

// fakeServer is a tokenizer with nothing but the two directions. A word is a
// token, and so is each of its letters behind the fourth.
type fakeServer struct {
	known *[]string
	mu    *sync.Mutex
}

func newFakeServer() fakeServer { return fakeServer{new([]string), new(sync.Mutex)} }

func (f fakeServer) Encode(text string) ([]int32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []int32
	for len(text) > 0 {
		n := 1
		for n < len(text) && n < 5 && text[n] != ' ' {
			n++
		}
		at := slices.Index(*f.known, text[:n])
		if at < 0 {
			at = len(*f.known)
			*f.known = append(*f.known, text[:n])
		}
		ids = append(ids, int32(at))
		text = text[n:]
	}
	return ids, nil
}

func (f fakeServer) Decode(ids []int32) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for _, id := range ids {
		b.WriteString((*f.known)[id])
	}
	return b.String(), nil
}

func open(t *testing.T, o Options) Dataset {
	t.Helper()
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// all reads a dataset to its end.
func all(t *testing.T, d Dataset) []*Request {
	t.Helper()
	requests, err := take(d, d.Len())
	if err != nil {
		t.Fatal(err)
	}
	if r, err := d.Next(); r != nil || err == nil || err.Error() != "EOF" {
		t.Fatalf("behind the last request: %v, %v, want io.EOF", r, err)
	}
	return requests
}

func promptsOf(requests []*Request) []string {
	texts := make([]string, len(requests))
	for i, r := range requests {
		texts[i] = r.Prompt
	}
	return texts
}
