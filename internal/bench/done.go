package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/eval/resume"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
)

// Done is a run that was executed: its folder and its journal.
type Done struct {
	model     prepare.Model
	folder    string
	journal   *journal.Writer
	unwritten error           // why the journal's file is not whole; the rest is in memory
	earlier   *resume.Earlier // parts of it that were killed; nil: there are none
	unmark    func()          // ends the folder's mark of a run in progress
	begun     bool            // the clock has started
}

// Folder is where the run is kept.
func (d *Done) Folder() string { return d.folder }

// SentModel is the model's name in the requests.
func (d *Done) SentModel() string { return d.model.Sent }

// OldLimit says that the requests had to say max_tokens too.
func (d *Done) OldLimit() bool { return d.model.OldLimit }

// Unwritten says why the journal's file is not whole; nil: it is.
func (d *Done) Unwritten() error { return d.unwritten }

// Reopen reads the journal from its start, whole even where its file is not.
func (d *Done) Reopen() (*journal.Reader, error) { return d.journal.Reopen() }

// Close ends the folder's mark of a run in progress: from now on it may be pruned.
func (d *Done) Close() {
	if d.unmark != nil {
		d.unmark()
		d.unmark = nil
	}
}

// newDone makes the folder of a run that is about to begin, with its journal and its Spec.
func newDone(r *prepare.Ready, h *Host) (_ *Done, err error) {
	d := &Done{model: r.Chosen, earlier: r.Earlier}
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	if d.earlier != nil {
		d.folder, d.unmark = d.earlier.Folder, d.earlier.Unlock
	}
	if err := r.TryResultDir(); err != nil {
		return nil, err
	}
	if d.earlier != nil {
		err = d.earlier.MoveAway()
	} else if d.folder, err = NewFolder(r.RunDir, &h.Host); err == nil {
		d.unmark = journal.InProgress(d.folder)
	}
	if err != nil {
		return nil, err
	}
	d.journal, err = journal.Config{Private: r.JournalTexts || r.SaveDetailed || r.Asks(), Eager: r.Asks(), Trouble: d.trouble(h)}.
		Create(filepath.Join(d.folder, journal.FileName))
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, holdsRun(r, d.folder)
	case err != nil && d.earlier != nil:
		return nil, errors.Join(err, d.earlier.Restore())
	case err != nil:
		return nil, err
	case d.earlier == nil: // else the Spec is there: what the first part was asked to do
		_ = os.WriteFile(filepath.Join(d.folder, journal.SpecName), r.Written(), 0o600) // a full disk is told of by the journal
	}
	return d, nil
}

// trouble tells at once that the journal can't be written: a user may make room
// while the run goes on.
func (d *Done) trouble(h *Host) func(error) {
	return func(err error) {
		if err == nil {
			h.Alert("\nthe journal can be written again; nothing is lost")
			return
		}
		h.Alert("\nwarning: the journal can't be written (%v). The run goes on in memory and shows its table at the end; make room in %s to keep its journal",
			err, d.folder)
	}
}

// holdsRun says what to do about a folder that is taken.
func holdsRun(r *prepare.Ready, folder string) error {
	words := fmt.Sprintf("%s holds a run already: give another --run-dir", folder)
	if r.Asks() && exists(filepath.Join(folder, journal.SpecName)) {
		words += ", or go on with that one: inferometer eval --resume " + r.RunDir
	}
	return errors.New(words)
}

// abandon closes the journal of a run that can't go on. One that never began
// leaves nothing behind; of another one the measured part can still be shown.
func (d *Done) abandon(why error) error {
	defer d.Close()
	if err := d.journal.Close(); err != nil {
		return errors.Join(why, err)
	}
	if d.begun {
		return fmt.Errorf("%w; what was measured before is in %s: inferometer report shows it", why, d.folder)
	}
	if d.earlier != nil {
		return errors.Join(why, d.earlier.Restore())
	}
	for _, name := range []string{journal.FileName, journal.SpecName, journal.MetricsName} {
		_ = os.Remove(filepath.Join(d.folder, name))
	}
	_ = os.Remove(d.folder) // stays if it holds anything of the user's
	return why
}
