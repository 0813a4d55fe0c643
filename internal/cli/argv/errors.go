package argv

import (
	"errors"

	"github.com/inferometer/inferometer/internal/usage"
)

// ErrHelp is returned by Parse when the user asked for help.
var ErrHelp = errors.New("help requested")

// UsageError is something wrong with the command line or the config file.
type UsageError = usage.Error

// Errorf makes a UsageError about a flag, for the checks that a command makes
// after parsing. An error about a value that the config set names the flag, not its line.
func Errorf(flag, format string, args ...any) *UsageError {
	return usage.Errorf(flag, format, args...)
}

// at gives err the flag and the place that the parser knows and the value's
// parser does not.
func at(err error, flag, file string, line int) error {
	if errors.Is(err, ErrHelp) {
		return err
	}
	var u *UsageError
	if !errors.As(err, &u) {
		u = &UsageError{Text: err.Error()}
	}
	located := *u
	if located.Flag == "" {
		located.Flag = flag
	}
	located.File, located.Line = file, line
	return &located
}

// Nearest is the one of some words that a wrong one was most likely meant to be, or "".
func Nearest(wrong string, words []string) string {
	best, bestDistance := "", len(wrong)/3+1
	for _, word := range words {
		if d := editDistance(wrong, word); d < bestDistance || d == bestDistance && word < best {
			best, bestDistance = word, d
		}
	}
	return best
}

// nearest returns the declared name that the wrong one was most likely meant to be, or "".
func (s *Set) nearest(wrong string) string {
	var names []string
	for _, f := range s.flags {
		if !f.Hidden {
			names = append(append(names, f.Name), f.aliases...)
		}
	}
	return Nearest(wrong, names)
}

// editDistance is the number of letters to insert, delete, replace or swap with
// the neighbour to get from a to b (optimal string alignment).
func editDistance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := old[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, old[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
