package fakerun

import (
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/journal"
)

// Write writes the journal to a file, as a run does.
func (j *Journal) Write(path string) error {
	w, err := journal.Create(path)
	if err != nil {
		return err
	}
	if err := w.Run(j.Run()); err != nil {
		return errors.Join(err, w.Close())
	}
	var lines []byte
	j.OnAnswer(func(a *journal.Answer) { lines = journal.AppendAnswer(lines, a) })
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
		w.AppendWaiting(journal.AppendRequest(lines, r))
		lines = nil
	}
	for _, f := range j.Faults() {
		if err := w.Fault(&f); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return errors.Join(w.End(j.End()), w.Close())
}
