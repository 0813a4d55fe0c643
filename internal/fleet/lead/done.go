package lead

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
)

// Done is a run that is over, with the journal of all its agents.
type Done struct {
	Spec *spec.Spec // of the run: a leader that takes over has none of its own

	folder    string
	model     string
	oldLimit  bool
	writer    *journal.Writer
	unwritten error
	close     func()
}

// Folder is where the run is kept.
func (d *Done) Folder() string { return d.folder }

// SentModel is the model's name in the requests.
func (d *Done) SentModel() string { return d.model }

// OldLimit says that the requests had to say max_tokens too.
func (d *Done) OldLimit() bool { return d.oldLimit }

// Unwritten says why the journal's file is not whole; nil: it is.
func (d *Done) Unwritten() error { return d.unwritten }

// Reopen reads the journal from its start.
func (d *Done) Reopen() (*journal.Reader, error) { return d.writer.Reopen() }

// Close ends the folder's mark of a run in progress.
func (d *Done) Close() {
	if d.close != nil {
		d.close()
		d.close = nil
	}
}
