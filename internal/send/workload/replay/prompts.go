package replay

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/send/trace"
)

// Prompts makes prompts of a trace's rows. A prompt is a run of tokens, of which each
// block has its own, drawn from the seed and the block's id alone: equal ids give equal
// tokens, and a part of a block is the beginning of the whole one. So the server's prefix
// cache meets what the trace's met.
//
// As texts, tokens are whole words that stay one token each beside any other, so that
// the server counts as many as the row says.
type Prompts struct {
	Seed    uint64
	IDs     []int32  // sent as numbers
	Words   []string // sent as texts; one of the two
	Trim    bool     // texts begin without the first word's blank: the tokenizer puts one there
	Special int      // tokens that the server puts before a text
	Chat    int      // tokens of the chat template around a message
	History bool     // each prompt of a session begins with the one before it
}

// Tokenizer is what finds whole words.
type Tokenizer interface {
	Encode(text string) ([]int32, error)
	Decode(ids []int32) (string, error)
}

// WholeWords are the texts of those tokens that are a blank and some letters. Tokenizers split
// before a blank, so that each stays one token beside any other; the ones that do not are
// found by encoding all of them in a row.
func WholeWords(v Tokenizer, all []int32) ([]string, error) {
	var list []string
	var ids []int32
	for _, id := range all {
		// With a token before it, as some decoders take the blank from the first.
		text, err := v.Decode([]int32{id, id})
		if err != nil {
			return nil, err
		}
		half := len(text) / 2
		if len(text)%2 == 1 && half > 0 && text[half] == ' ' && text[:half] == text[half+1:] { // the first blank was taken
			text = text[half:]
		} else if len(text)%2 == 0 && half > 1 && text[:half] == text[half:] {
			text = text[half:]
		} else {
			continue
		}
		if isWord(text) {
			list, ids = append(list, text), append(ids, id)
		}
	}
	for range 3 { // what breaks its neighbours goes
		again, err := v.Encode(strings.Join(list, ""))
		if err != nil {
			return nil, err
		}
		if len(again) == len(ids) {
			break
		}
		list, ids = keepWhole(list, ids, again)
	}
	return list, nil
}

// Trims says whether the tokenizer puts a blank before a text by itself, so that one
// that is there would be a token of its own.
func Trims(v Tokenizer, words []string) (bool, error) {
	with, err := v.Encode(words[0] + words[1])
	if err != nil || len(with) == 2 {
		return false, err
	}
	without, err := v.Encode(words[0][1:] + words[1])
	return len(without) == 2, err
}

// keepWhole keeps the words whose token is in the encoding again, in order.
func keepWhole(list []string, ids, again []int32) ([]string, []int32) {
	found := make(map[int32]bool, len(again))
	for _, id := range again {
		found[id] = true
	}
	n := 0
	for i, id := range ids {
		if found[id] {
			list[n], ids[n] = list[i], id
			n++
		}
	}
	return list[:n], ids[:n]
}

// isWord says whether a text is a blank and at least two small letters.
func isWord(text string) bool {
	if len(text) < 3 || text[0] != ' ' {
		return false
	}
	for i := 1; i < len(text); i++ {
		if text[i] < 'a' || text[i] > 'z' {
			return false
		}
	}
	return true
}

// Streams of tokens that are not a block of the trace.
const (
	streamTail    = 1 << 60 // behind the last block, or a prompt like no other
	streamSession = 2 << 60 // of a session whose prompts grow
)

// Make makes the prompt of a row: a text, or a JSON list of ids. It says how many tokens
// the server will count. Passes have different tokens; index tells rows apart.
func (m *Prompts) Make(row *trace.Row, index, pass int) (prompt string, tokens int) {
	w := promptWriter{maker: m, skip: m.Special, pass: uint64(int64(pass))}
	if m.IDs != nil {
		w.out = append(w.out, '[')
	}
	left := max(row.Input-m.Chat, m.Special+1)
	if row.Block > 0 {
		for _, id := range row.IDs {
			n := min(left, row.Block)
			w.stream(id, 0, n)
			if left -= n; left == 0 {
				break
			}
		}
	}
	switch {
	case left == 0:
	case m.History && row.Session != 0:
		w.stream(row.Session, streamSession, left)
	default:
		w.stream(uint64(index), streamTail, left)
	}
	if m.IDs != nil {
		w.out = append(w.out, ']')
	}
	return string(w.out), w.count + m.Special + m.Chat
}

// promptWriter strings tokens together.
type promptWriter struct {
	maker *Prompts
	pass  uint64
	skip  int // tokens that stand for those the server adds
	count int
	out   []byte
}

// stream adds the first n tokens of a block.
func (w *promptWriter) stream(id, kind uint64, n int) {
	m := w.maker
	random := rand.New(rand.NewPCG(m.Seed^w.pass*0x9e3779b97f4a7c15, id^kind*0xff51afd7ed558ccd))
	for range n {
		if m.IDs != nil {
			if w.count > 0 {
				w.out = append(w.out, ',')
			}
			w.out = strconv.AppendInt(w.out, int64(m.IDs[random.IntN(len(m.IDs))]), 10)
			w.count++
			continue
		}
		word := m.Words[random.IntN(len(m.Words))]
		if w.skip > 0 {
			w.skip--
			continue
		}
		if w.count == 0 && m.Trim {
			word = word[1:]
		}
		w.out = append(w.out, word...)
		w.count++
	}
}
