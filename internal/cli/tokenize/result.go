package tokenize

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// token is one token of a text.
type token struct {
	ID    int32  `json:"id"`
	Token string `json:"token,omitempty"` // its name in the vocabulary, where that is known
	Text  string `json:"text"`            // what it adds to the text; empty for a part of a character
	Bytes int    `json:"bytes"`           // of Text
}

// result is what is shown.
type result struct {
	Count  int     `json:"count"`
	Bytes  int     `json:"bytes"`
	Text   string  `json:"text"`
	IDs    []int32 `json:"ids"`
	Tokens []token `json:"tokens,omitempty"` // left out where they would take too many requests
}

// mostAsked bounds the requests that a server gets for the texts of single tokens.
const mostAsked = 1000

// encoded is what a text becomes.
func encoded(t prompts.Tokenizer, text string, special bool) (*result, error) {
	encode := t.Encode
	if v, ok := t.(prompts.Vocabulary); ok && special {
		encode = v.EncodeWithSpecial
	}
	ids, err := encode(text)
	if err != nil {
		return nil, err
	}
	r := &result{Count: len(ids), Bytes: len(text), Text: text, IDs: append([]int32{}, ids...)}
	return r, r.split(t)
}

// decoded is what ids become.
func decoded(t prompts.Tokenizer, ids []int32) (*result, error) {
	if named, ok := t.(interface{ Token(id int32) (string, bool) }); ok {
		for _, id := range ids {
			if _, known := named.Token(id); !known {
				return nil, fmt.Errorf("%d is no id of this vocabulary", id)
			}
		}
	}
	text, err := t.Decode(ids)
	if err != nil {
		return nil, err
	}
	r := &result{Count: len(ids), Bytes: len(text), Text: text, IDs: ids}
	return r, r.split(t)
}

// split finds out what each token adds to the text. A character that several tokens make is shown with the last of
// them. So the ids since the last whole character are decoded together, behind one that stands before them: some
// vocabularies drop a space at the beginning of a text.
func (r *result) split(t prompts.Tokenizer) error {
	named, isFile := t.(interface{ Token(id int32) (string, bool) })
	if !isFile && len(r.IDs) > mostAsked {
		return nil
	}
	begin, before := 0, "" // of what is decoded together, and the part of it that is shown already
	for i, id := range r.IDs {
		one := token{ID: id}
		if isFile {
			one.Token, _ = named.Token(id)
		}
		text, err := t.Decode(r.IDs[begin : i+1])
		if err != nil {
			return err
		}
		if whole := !strings.HasSuffix(text, "\uFFFD") || i == len(r.IDs)-1 || i-begin > 8; whole {
			one.Text = strings.TrimPrefix(text, before)
			begin = i
			if before, err = t.Decode(r.IDs[i : i+1]); err != nil {
				return err
			}
		}
		one.Bytes = len(one.Text)
		r.Tokens = append(r.Tokens, one)
	}
	return nil
}

func parseIDs(text string) ([]int32, error) {
	text = strings.Trim(strings.TrimSpace(text), "[]")
	words := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\t' })
	if len(words) == 0 {
		return nil, errors.New("needs ids, as in 9707,1879")
	}
	ids := make([]int32, len(words))
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("needs ids, as in 9707,1879, not %.40q", word)
		}
		ids[i] = int32(n)
	}
	return ids, nil
}

func (r *result) writeJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, unseen(b.String()))
	return err
}

// unseen writes what can't be seen in JSON as escapes: JSON itself allows some characters that steer a terminal.
func unseen(line string) string {
	var b strings.Builder
	for _, c := range line {
		switch {
		case strconv.IsPrint(c) || c == '\n':
			b.WriteRune(c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// writeTable shows one token a line. What it shows of a token is quoted, with escapes for all that can't be seen.
func (r *result) writeTable(w io.Writer) error {
	b := bufio.NewWriter(w)
	names, width := false, len("token")
	for _, t := range r.Tokens {
		if t.Token != "" {
			names, width = true, max(width, min(utf8.RuneCountInString(strconv.Quote(t.Token)), 32))
		}
	}
	if len(r.Tokens) > 0 {
		fmt.Fprintf(b, "%8s %8s ", "", "id")
		if names {
			fmt.Fprintf(b, " %-*s ", width, "token")
		}
		fmt.Fprintln(b, " text")
	}
	for i, t := range r.Tokens {
		fmt.Fprintf(b, "%8d %8d ", i, t.ID)
		if names {
			fmt.Fprintf(b, " %-*s ", width, strconv.Quote(t.Token))
		}
		fmt.Fprintf(b, " %s\n", shown(t))
	}
	if len(r.Tokens) == 0 && len(r.IDs) > 0 {
		fmt.Fprintln(b, strings.Trim(fmt.Sprint(r.IDs), "[]"))
	}
	fmt.Fprintf(b, "text: %s\n", strconv.Quote(r.Text))
	fmt.Fprintf(b, "%s, %s", counted(r.Count, "token"), counted(r.Bytes, "byte"))
	if r.Count > 0 {
		fmt.Fprintf(b, ", %.2f bytes per token", float64(r.Bytes)/float64(r.Count))
	}
	fmt.Fprintln(b)
	return b.Flush()
}

func shown(t token) string {
	if t.Text == "" {
		return "(part of a character, or nothing)"
	}
	return strconv.Quote(t.Text)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
