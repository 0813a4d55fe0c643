// Package resume lets a run of questions that was killed or interrupted go on in its own folder. The journals
// of its parts are kept: each but the newest lies in a folder of its own below. A part's
// answers are read from all of them, so that it does not matter at which moment of a resume
// the next kill comes: an answer that was on the disk once is on the disk.
package resume

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/files/lock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// ErrAllAnswered is the end of a resume that has nothing to ask.
var ErrAllAnswered = errors.New("all questions have an answer: there is nothing to go on with")

// Earlier is what is known of the parts of a run before this one. A nil one is of a run that
// does not go on.
type Earlier struct {
	Folder  string                   // whole path
	unlock  func()                   // nil: the file system has no locks
	run     *journal.Run             // the first line of the newest part that has one; nil: none has
	answers map[int]*journal.Answer  // that are complete, by the index of their request
	checked map[int]*journal.Checked // of answers that are programs, and were run
	failed  map[int]bool             // requests that got none
	prompts map[int]string           // the hashes of what was asked
	moved   string                   // the folder that the journal was moved to; empty: it was not
}

// partFolder is where the journal of the n-th part is kept once there is another one.
func partFolder(folder string, n int) string {
	return filepath.Join(folder, journal.PartName(n))
}

// maxParts bounds the parts of a run.
const maxParts = 10_000

// Open reads the earlier parts of a run that goes on, and holds its folder until Unlock.
func Open(folder string) (e *Earlier, err error) {
	e = &Earlier{answers: map[int]*journal.Answer{}, checked: map[int]*journal.Checked{}, failed: map[int]bool{}, prompts: map[int]string{}}
	if e.Folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	switch unlock, err := lock.Folder(e.Folder); {
	case errors.Is(err, lock.ErrHeld):
		return nil, fmt.Errorf("a run is at work in %s: wait for its end, or stop it", e.Folder)
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s", e.Folder)
	case err == nil: // else the file system has no locks
		e.unlock = unlock
	}
	if err := e.readAll(); err != nil {
		e.Unlock()
		return nil, err
	}
	return e, nil
}

// Unlock lets the folder go.
func (e *Earlier) Unlock() {
	if e != nil && e.unlock != nil {
		e.unlock()
		e.unlock = nil
	}
}

// Begun says that something was asked.
func (e *Earlier) Begun() bool { return e.run != nil }

// Left says how much of a task has no answer yet; ErrAllAnswered: nothing of it.
func (e *Earlier) Left(t *journal.Task, all int) (string, error) {
	left := all - len(e.answers)
	if left <= 0 && !e.unchecked(t) {
		return "", ErrAllAnswered
	}
	return fmt.Sprintf("going on with %s: of %d %s %d have an answer, %d failed and %s asked again, %d were not asked or on their way at its end",
		e.Folder, all, unit(t), len(e.answers), len(e.failed), are(len(e.failed)), left-len(e.failed)), nil
}

// Remaining is a dataset without the questions that have an answer.
func (e *Earlier) Remaining(d workload.Dataset) workload.Dataset {
	return &remaining{Dataset: d, answers: e.answers}
}

// unchecked says that there are answers which are programs, and were not run.
func (e *Earlier) unchecked(t *journal.Task) bool {
	return t.Kind == journal.TaskCode && len(e.checked) < len(e.answers)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// unit is what requests are called.
func unit(t *journal.Task) string {
	if t.Kind == journal.TaskChoice {
		return "choices"
	}
	return "questions"
}

// readAll reads all journals of the folder, the oldest first.
func (e *Earlier) readAll() error {
	var paths []string
	for n := 1; n <= maxParts; n++ {
		part := partFolder(e.Folder, n)
		if _, err := os.Stat(part); err != nil {
			break
		}
		paths = append(paths, filepath.Join(part, journal.FileName))
	}
	for _, path := range append(paths, filepath.Join(e.Folder, journal.FileName)) {
		if err := e.read(path); err != nil {
			return err
		}
	}
	return nil
}

// read takes in one journal. One that is absent, or was killed before its first line, has
// nothing; what a kill has cut off at its end was never an answer.
func (e *Earlier) read(path string) error {
	j, err := journal.Open(path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, journal.ErrNoRun) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read an earlier part of the run: %w", err)
	}
	defer j.Close()
	e.run = j.Run()
	j.OnAnswer(e.take)
	j.OnChecked(func(c *journal.Checked) { e.checked[c.Index] = c })
	for {
		request, err := j.Next()
		if err != nil {
			break // its end, whole or cut off
		}
		if !request.Warmup {
			e.prompts[request.Index] = request.PromptHash
		}
	}
	if n, why := j.Skipped(); n > 0 {
		return fmt.Errorf("%s: %d lines can't be read (%v), and may be answers", path, n, why)
	}
	return nil
}

// take notes an answer. A failure is none, and does not undo one.
func (e *Earlier) take(a *journal.Answer) {
	switch {
	case a.Outcome == journal.Complete:
		e.answers[a.Index] = a
		delete(e.failed, a.Index)
	case e.answers[a.Index] == nil:
		e.failed[a.Index] = true
	}
}

// remaining is a dataset without the questions that have an answer.
type remaining struct {
	workload.Dataset
	answers map[int]*journal.Answer
}

// Next implements workload.Source.
func (m *remaining) Next() (*workload.Request, error) {
	for {
		w, err := m.Dataset.Next()
		if err != nil || m.answers[w.Index] == nil {
			return w, err
		}
	}
}

// Len implements workload.Dataset.
func (m *remaining) Len() int { return m.Dataset.Len() - len(m.answers) }

// SameQuestions holds the questions, made once more, against what was sent then.
func (e *Earlier) SameQuestions(again workload.Dataset) error {
	found := 0
	for {
		w, err := again.Next()
		if err != nil {
			break // its end: what is wrong with a question is told when it is asked
		}
		a := e.answers[w.Index]
		if a == nil {
			continue
		}
		found++
		asked := e.prompts[w.Index]
		if a.Number != w.Question.Number || !slices.Equal(a.Right, w.Question.Right) || asked != "" && asked != load.PromptHash(w) {
			return fmt.Errorf("question %d is not what was asked before: the task's file, its data or its worked examples have changed", w.Question.Number+1)
		}
	}
	if found < len(e.answers) {
		return fmt.Errorf("%d answers are to questions that the task does not have any more", len(e.answers)-found)
	}
	return nil
}

// MoveAway makes room for a new journal: the old one goes to a folder of its own, at one
// instant, and with it the result of an interrupted part.
func (e *Earlier) MoveAway() error {
	old := filepath.Join(e.Folder, journal.FileName)
	if _, err := os.Stat(old); errors.Is(err, os.ErrNotExist) {
		return nil // a resume was killed before it had a journal
	}
	n := 1
	for ; n <= maxParts; n++ {
		if _, err := os.Stat(filepath.Join(partFolder(e.Folder, n), journal.FileName)); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	part := partFolder(e.Folder, n)
	if err := os.Mkdir(part, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("keep the earlier part of the run: %w", err)
	}
	if err := os.Rename(old, filepath.Join(part, journal.FileName)); err != nil {
		return fmt.Errorf("keep the earlier part of the run: %w", err)
	}
	e.moved = part
	_ = os.Rename(filepath.Join(e.Folder, journal.ResultName), filepath.Join(part, journal.ResultName)) // of a part that was killed there is none
	_ = os.Rename(filepath.Join(e.Folder, journal.MetricsName), filepath.Join(part, journal.MetricsName))
	return nil
}

// Restore undoes MoveAway, where the new part has asked nothing.
func (e *Earlier) Restore() error {
	path := filepath.Join(e.Folder, journal.FileName)
	part := e.moved
	if part == "" {
		_ = os.Remove(path) // the new one: nothing is in it
		return nil
	}
	if err := os.Rename(filepath.Join(part, journal.FileName), path); err != nil {
		return fmt.Errorf("put the journal back: %w", err)
	}
	_ = os.Rename(filepath.Join(part, journal.ResultName), filepath.Join(e.Folder, journal.ResultName)) // as in MoveAway
	_ = os.Remove(filepath.Join(e.Folder, journal.MetricsName))
	_ = os.Rename(filepath.Join(part, journal.MetricsName), filepath.Join(e.Folder, journal.MetricsName))
	_ = os.Remove(part)
	return nil
}

// Write puts the earlier answers into the new journal, before any other: a journal
// that has an answer of this part has all of them.
func (e *Earlier) Write(to *journal.Writer) {
	if e == nil {
		return
	}
	var lines []byte
	for _, index := range slices.Sorted(maps.Keys(e.answers)) {
		a := *e.answers[index]
		a.Earlier = true
		lines = journal.AppendAnswer(lines, &a)
		if c := e.checked[index]; c != nil {
			lines = journal.AppendChecked(lines, c)
		}
	}
	to.Append(lines)
}
