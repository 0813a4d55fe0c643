package bench

import (
	"context"
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

// A run of questions that was killed or interrupted goes on in its own folder. The journals
// of its parts are kept: each but the newest lies in a folder of its own below. A part's
// answers are read from all of them, so that it does not matter at which moment of a resume
// the next kill comes: an answer that was on the disk once is on the disk.

// ErrAllAnswered is the end of a resume that has nothing to ask.
var ErrAllAnswered = errors.New("all questions have an answer: there is nothing to go on with")

// earlier is what is known of the parts of a run before this one.
type earlier struct {
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

// mostParts bounds the parts of a run.
const mostParts = 10_000

// takeUp reads the earlier parts of a run that goes on, and leaves what has no answer yet.
func (r *Run) takeUp(ctx context.Context) error {
	if !r.Resume {
		return nil
	}
	if !r.Asks() {
		return fmt.Errorf("the run in %s asks no questions: only an eval can go on", r.RunDir)
	}
	var err error
	if r.folder, err = filepath.Abs(r.RunDir); err != nil {
		return err
	}
	switch unlock, err := lock.Folder(r.folder); {
	case errors.Is(err, lock.ErrHeld):
		return fmt.Errorf("a run is at work in %s: wait for its end, or stop it", r.folder)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no folder %s", r.folder)
	case err == nil: // else the file system has no locks
		r.inProgress = unlock
	}
	before, err := readEarlier(r.folder)
	if err != nil {
		return err
	}
	if err := r.sameRun(ctx, before); err != nil {
		return fmt.Errorf("%w; nothing was asked", err)
	}
	all := r.dataset.Len()
	left := all - len(before.answers)
	if left <= 0 && !before.unchecked(r.task) {
		return ErrAllAnswered
	}
	r.say("going on with %s: of %d %s %d have an answer, %d failed and %s asked again, %d were not asked or on their way at its end",
		r.folder, all, r.unit(), len(before.answers), len(before.failed), are(len(before.failed)), left-len(before.failed))
	r.dataset = &remaining{Dataset: r.dataset, answers: before.answers}
	r.earlier = before
	return nil
}

// unchecked says that there are answers which are programs, and were not run.
func (e *earlier) unchecked(t *journal.Task) bool {
	return t.Kind == journal.TaskCode && len(e.checked) < len(e.answers)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// unit is what requests are called.
func (r *Run) unit() string {
	if r.task.Kind == journal.TaskChoice {
		return "choices"
	}
	return "questions"
}

// readEarlier reads all journals of a folder, the oldest first.
func readEarlier(folder string) (*earlier, error) {
	e := &earlier{answers: map[int]*journal.Answer{}, checked: map[int]*journal.Checked{}, failed: map[int]bool{}, prompts: map[int]string{}}
	var paths []string
	for n := 1; n <= mostParts; n++ {
		part := partFolder(folder, n)
		if _, err := os.Stat(part); err != nil {
			break
		}
		paths = append(paths, filepath.Join(part, journal.FileName))
	}
	for _, path := range append(paths, filepath.Join(folder, journal.FileName)) {
		if err := e.read(path); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// read takes in one journal. One that is absent, or was killed before its first line, has
// nothing; what a kill has cut off at its end was never an answer.
func (e *earlier) read(path string) error {
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
func (e *earlier) take(a *journal.Answer) {
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

// samePrompts makes the questions that were asked once more, in a dataset of its own, and
// holds them against what was sent then.
func (r *Run) samePrompts(ctx context.Context, before *earlier) error {
	dry, err := r.aside(ctx)
	if err != nil {
		return err
	}
	defer dry.close()
	found := 0
	for {
		w, err := dry.dataset.Next()
		if err != nil {
			break // its end: what is wrong with a question is told when it is asked
		}
		a := before.answers[w.Index]
		if a == nil {
			continue
		}
		found++
		asked := before.prompts[w.Index]
		if a.Number != w.Question.Number || !slices.Equal(a.Right, w.Question.Right) || asked != "" && asked != load.PromptHash(w) {
			return fmt.Errorf("question %d is not what was asked before: the task's file, its data or its worked examples have changed", w.Question.Number+1)
		}
	}
	if found < len(before.answers) {
		return fmt.Errorf("%d answers are to questions that the task does not have any more", len(before.answers)-found)
	}
	return nil
}

// moveAway makes room for a new journal: the old one goes to a folder of its own, at one
// instant, and with it the result of an interrupted part.
func (r *Run) moveAway() error {
	old := filepath.Join(r.folder, journal.FileName)
	if _, err := os.Stat(old); errors.Is(err, os.ErrNotExist) {
		return nil // a resume was killed before it had a journal
	}
	n := 1
	for ; n <= mostParts; n++ {
		if _, err := os.Stat(filepath.Join(partFolder(r.folder, n), journal.FileName)); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	part := partFolder(r.folder, n)
	if err := os.Mkdir(part, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("keep the earlier part of the run: %w", err)
	}
	if err := os.Rename(old, filepath.Join(part, journal.FileName)); err != nil {
		return fmt.Errorf("keep the earlier part of the run: %w", err)
	}
	r.earlier.moved = part
	_ = os.Rename(filepath.Join(r.folder, journal.ResultName), filepath.Join(part, journal.ResultName)) // of a part that was killed there is none
	_ = os.Rename(filepath.Join(r.folder, journal.MetricsName), filepath.Join(part, journal.MetricsName))
	return nil
}

// putBack undoes moveAway, where the new part has asked nothing.
func (r *Run) putBack() error {
	path := filepath.Join(r.folder, journal.FileName)
	part := r.earlier.moved
	if part == "" {
		_ = os.Remove(path) // the new one: nothing is in it
		return nil
	}
	if err := os.Rename(filepath.Join(part, journal.FileName), path); err != nil {
		return fmt.Errorf("put the journal back: %w", err)
	}
	_ = os.Rename(filepath.Join(part, journal.ResultName), filepath.Join(r.folder, journal.ResultName)) // as in moveAway
	_ = os.Remove(filepath.Join(r.folder, journal.MetricsName))
	_ = os.Rename(filepath.Join(part, journal.MetricsName), filepath.Join(r.folder, journal.MetricsName))
	_ = os.Remove(part)
	return nil
}

// writeEarlier puts the earlier answers into the new journal, before any other: a journal
// that has an answer of this part has all of them.
func (r *Run) writeEarlier() {
	if r.earlier == nil {
		return
	}
	var lines []byte
	for _, index := range slices.Sorted(maps.Keys(r.earlier.answers)) {
		a := *r.earlier.answers[index]
		a.Earlier = true
		lines = journal.AppendAnswer(lines, &a)
		if c := r.earlier.checked[index]; c != nil {
			lines = journal.AppendChecked(lines, c)
		}
	}
	r.journal.Append(lines)
}
