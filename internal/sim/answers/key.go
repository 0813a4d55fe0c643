// Package answers makes the simulated server answer questions, right as often as it is
// told to. What is right and what is wrong comes from a key, a file that knows prompts by
// their SHA-256; whether a question is answered right is drawn by a hash, so that a server
// repeats itself.
package answers

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Line is one line of a key: a prompt, and how it may be answered. Either there are texts,
// or the prompt ends with one of a question's choices, whose likelihood is asked for.
type Line struct {
	Question string `json:"question"`      // by which luck is drawn
	Prompt   string `json:"prompt_sha256"` // of the prompt's text, in hex; of a chat: of ChatText

	Right string   `json:"right,omitempty"`
	Wrong []string `json:"wrong,omitempty"`
	None  string   `json:"none,omitempty"` // a text in which no answer is found; empty: NoAnswer

	Choice  int  `json:"choice,omitempty"`  // which of the choices stands at the prompt's end, from 1
	Choices int  `json:"choices,omitempty"` // how many the question has
	Correct bool `json:"correct,omitempty"` // it is the right one
}

// NoAnswer is a text without digits, capital letters and words of one letter.
const NoAnswer = "that cannot be said."

// The bounds of a key.
const (
	mostBytes   = 1 << 30
	mostLine    = 4 << 20
	mostLines   = 2_000_000
	mostText    = 64 << 10
	mostWrong   = 1000
	mostChoices = 1 << 16
)

// Key is a file that was read.
type Key struct {
	prompts map[[sha256.Size]byte]*Line
	correct map[string]int // the right choice of each question that has choices
}

// Message is one of a chat.
type Message struct{ Role, Content string }

// ChatText is a chat as the key knows it: a line "role: content" for each message, and
// "assistant:" after them.
func ChatText(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	b.WriteString("assistant:")
	return b.String()
}

// Sum is a prompt's text as it stands in a line.
func Sum(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

// Len is how many prompts the key has.
func (k *Key) Len() int { return len(k.prompts) }

// Find is the line of a prompt; nil: it has none.
func (k *Key) Find(prompt string) *Line { return k.prompts[sha256.Sum256([]byte(prompt))] }

// Read reads a key. An error says which line is wrong.
func Read(r io.Reader) (*Key, error) {
	k := &Key{prompts: map[[sha256.Size]byte]*Line{}, correct: map[string]int{}}
	limited := &io.LimitedReader{R: r, N: mostBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 64<<10), mostLine)
	at := map[[sha256.Size]byte]int{}
	choices := map[string]*choices{}
	n := 0
	for lines.Scan() {
		n++
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		if n > mostLines {
			return nil, fmt.Errorf("line %d: a key has at most %d lines", n, mostLines)
		}
		l, sum, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if first, twice := at[sum]; twice {
			return nil, fmt.Errorf("line %d: its prompt_sha256 is that of line %d; a server can't tell two questions with one prompt apart, keep one of them", n, first)
		}
		if err := k.enter(l, n, choices); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		at[sum], k.prompts[sum] = n, l
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d MiB", n+1, mostLine>>20)
	} else if err != nil {
		return nil, err
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("a key has at most %d MiB", mostBytes>>20)
	}
	if len(k.prompts) == 0 {
		return nil, errors.New("the key has no lines; inferometer eval --write-key makes one of a task")
	}
	return k, whole(choices)
}

// choices is what the lines so far say of a question.
type choices struct {
	of, right int
	line      int // the first
}

// whole finds the first question without a right choice.
func whole(seen map[string]*choices) error {
	var worst *choices
	name := ""
	for question, c := range seen {
		if c.right == 0 && (worst == nil || c.line < worst.line) {
			worst, name = c, question
		}
	}
	if worst == nil {
		return nil
	}
	return fmt.Errorf("line %d: question %.80q has choices, and none of them is correct", worst.line, name)
}

// enter holds a line with a choice against the others of its question.
func (k *Key) enter(l *Line, line int, seen map[string]*choices) error {
	if l.Choice == 0 {
		return nil
	}
	c := seen[l.Question]
	if c == nil {
		c = &choices{of: l.Choices, line: line}
		seen[l.Question] = c
	}
	if c.of != l.Choices {
		return fmt.Errorf("question %.80q has %d choices here and %d before", l.Question, l.Choices, c.of)
	}
	if l.Correct {
		if c.right != 0 && c.right != l.Choice {
			return fmt.Errorf("question %.80q has two correct choices, %d and %d", l.Question, c.right, l.Choice)
		}
		c.right, k.correct[l.Question] = l.Choice, l.Choice
	}
	return nil
}

// parse reads one line. Unknown fields are errors: a misspelt one would be left out in silence.
func parse(raw []byte) (*Line, [sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	l := &Line{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return nil, sum, fmt.Errorf("it is not the JSON of an answer: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, sum, errors.New("there is more after the object; give each its own line")
	}
	if n, err := hex.Decode(sum[:], []byte(cut(l.Prompt))); err != nil || n != len(sum) || len(l.Prompt) != 2*len(sum) {
		return nil, sum, fmt.Errorf("prompt_sha256 is %.80q; give the 64 hex digits of the prompt's SHA-256", l.Prompt)
	}
	return l, sum, l.check()
}

func cut(s string) string { return s[:min(len(s), 2*sha256.Size)] }

func (l *Line) check() error {
	if l.Question == "" {
		return errors.New("it has no question; give the id by which its luck is drawn")
	}
	if l.Choice != 0 || l.Choices != 0 {
		switch {
		case l.Right != "" || len(l.Wrong) > 0 || l.None != "":
			return errors.New("it has both texts and a choice; give one of the two")
		case l.Choices < 2 || l.Choices > mostChoices:
			return fmt.Errorf("choices is %d; give a number from 2 to %d", l.Choices, mostChoices)
		case l.Choice < 1 || l.Choice > l.Choices:
			return fmt.Errorf("choice is %d of %d; the first is 1", l.Choice, l.Choices)
		}
		return nil
	}
	if l.Right == "" || len(l.Wrong) == 0 {
		return errors.New("it needs right, the text of a right answer, and wrong, a list of texts; or choice and choices")
	}
	if l.Correct {
		return errors.New("correct is of a choice; this line has texts")
	}
	if len(l.Wrong) > mostWrong {
		return fmt.Errorf("it has %d wrong answers; at most %d are read", len(l.Wrong), mostWrong)
	}
	for _, text := range append([]string{l.Right, l.None}, l.Wrong...) {
		if len(text) > mostText {
			return fmt.Errorf("one of its texts has %d bytes; at most %d are read", len(text), mostText)
		}
		if !utf8.ValidString(text) {
			return errors.New("one of its texts is not UTF-8")
		}
	}
	for _, text := range l.Wrong {
		if text == "" || text == l.Right {
			return errors.New("a wrong answer is empty, or the same as the right one")
		}
	}
	return nil
}
