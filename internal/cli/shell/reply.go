package shell

import (
	"bufio"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// longest is how much of a help's first sentence stands beside a flag.
const longest = 78

// Write writes a reply as the scripts read it: a line of what to do with the rest, then a
// word a line, with a tab and what it means after it.
func (r Reply) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(":")
	for _, d := range []struct {
		word string
		on   bool
	}{{"files", r.Files}, {"folders", r.Folders}, {"names", r.Names}, {"more", r.More}} {
		if d.on {
			b.WriteString(d.word + ":")
		}
	}
	b.WriteString("\n")
	for _, c := range r.Words {
		if !Plain(c.Word) {
			continue
		}
		b.WriteString(c.Word)
		if about := short(c.About); about != "" {
			b.WriteString("\t" + about)
		}
		b.WriteString("\n")
	}
	return b.Flush()
}

// short is the first sentence of a text, as far as it fits beside a word.
func short(text string) string {
	text = outside.Line(text, 4*len(text)+1)
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimSuffix(text, ".")
	if runes := []rune(text); len(runes) > longest {
		text = strings.TrimSpace(string(runes[:longest-1])) + "…"
	}
	return text
}

// unquote takes the quotes from words as a shell without expansions would: nothing that is
// typed is ever run or looked up.
func unquote(raw []string) []string {
	words := make([]string, len(raw))
	for i, w := range raw {
		words[i] = unquoted(w)
	}
	return words
}

// unquoted is a word without its quotes; one that is open at its end is closed there.
func unquoted(raw string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(raw) && (quote == 0 || strings.IndexByte("\"\\$`", raw[i+1]) >= 0):
			i++
			b.WriteByte(raw[i])
		case c == '\\' && quote == 0: // it waits for what it escapes
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
