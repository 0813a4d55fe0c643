package sweep

import (
	"errors"
	"strings"
)

// SplitWords splits a command line as Python's shlex.split does: by white space,
// with the quotes and backslashes of a POSIX shell, and nothing else of a shell.
func SplitWords(line string) ([]string, error) {
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

// JoinWords is a command line that a shell reads as these words.
func JoinWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsFunc(w, needsQuotes) {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func needsQuotes(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r))
}
