package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/usage"
)

// Error is something wrong in a file, at its line.
type Error struct {
	File string
	Line int    // 0: not in a file
	Key  string // as pace.concurrency; may be empty
	Text string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Text)
	return b.String()
}

// errorList gathers errors, each text once: every point is decoded, and each would
// find the same fault again.
type errorList struct {
	list []error
	seen map[string]bool
}

func (l *errorList) add(err error) {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, one := range many.Unwrap() {
			l.add(one)
		}
		return
	}
	if err == nil || l.seen[err.Error()] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[err.Error()] = true
	l.list = append(l.list, err)
}

// err gives them by file and line.
func (l *errorList) err() error {
	place := func(err error) (file string, line int) {
		var e *Error
		if errors.As(err, &e) {
			return e.File, e.Line
		}
		return "", 0
	}
	slices.SortStableFunc(l.list, func(a, b error) int {
		fileA, lineA := place(a)
		fileB, lineB := place(b)
		return cmp.Or(strings.Compare(fileA, fileB), lineA-lineB)
	})
	return errors.Join(l.list...)
}

// suggest names the known word that is nearest to one that is not known, or lists
// them all if none is near.
func suggest(word string, known []string) string {
	if best := usage.NearestWithin(word, known, len(word)/3+1); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	if len(known) == 0 {
		return "there is none"
	}
	return "there are " + strings.Join(known, ", ")
}
