// Package shlex splits and joins command lines as the module of that name of Python
// does: by the quotes of a POSIX shell, and nothing else of a shell.
package shlex

import (
	"errors"
	"strings"
)

// Split gives the words of a command line.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n':
			end()
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New("a backslash ends the command")
			}
			inWord = true
			word.WriteByte(line[i])
		case '\'', '"':
			inWord = true
			n, err := quoted(line[i:], &word)
			if err != nil {
				return nil, err
			}
			i += n - 1
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	end()
	return words, nil
}

// quoted reads what stands between the quotes with which text begins, and says how
// many bytes it took.
func quoted(text string, word *strings.Builder) (int, error) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == quote:
			return i + 1, nil
		case c == '\\' && quote == '"' && i+1 < len(text):
			// Between double quotes a backslash only escapes these two.
			if i++; text[i] != '"' && text[i] != '\\' {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, errors.New("a quote is not closed")
}

// Join is a command line that a shell reads as these words.
func Join(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = Quote(word)
	}
	return strings.Join(out, " ")
}

// Quote writes a word so that a shell reads it as one.
func Quote(word string) string {
	if word == "" || strings.ContainsFunc(word, needsQuotes) {
		return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
	}
	return word
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r))
}
