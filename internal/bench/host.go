package bench

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/bench/rehearsal"
	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// Host is what a run needs of the process that it is part of. Nothing here changes
// what is measured.
type Host struct {
	spec.Environment
	Version string // for the journal, with the commit

	// Dial makes the connections to the servers; nil: over the network. Where it is given, nothing waits by the kernel's
	// timers, so that a whole run can be made in virtual time.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Say tells the user something beside the result. Nil is silence.
	Say func(format string, args ...any)
	// Warn tells what the user must know even if notes are not wanted.
	Warn func(format string, args ...any)
	// Progress shows how far a run is until stop is called. Nil shows nothing.
	Progress func(Progress) (stop func())
	// Live is told how the run goes, twice a second, from the start of its preparation to its
	// end. Nil: latencies are not counted before the journal is read.
	Live *live.Feed
	// Control pauses the pace. Nil: nobody can.
	Control *load.Control
	// Rehearsed is shown all that the run is about to send, before it sends anything; an
	// error ends the run. Nil: there is no rehearsal.
	Rehearsed func(*rehearsal.Rehearsal) error
	// Begin is called when the warm-ups are over, and returns at the instant at which the
	// load begins; an error ends the run before it. Nil: at once.
	Begin func(ctx context.Context) error
	// Sending is told of each measured request before it is sent, by one goroutine; see
	// load.Config. Nil: nobody counts.
	Sending func(n int) bool
	// Drained says for the journal why the run was told to send no more; empty, or nil: its
	// user, or the leader of its fleet, wanted it.
	Drained func() string
	// Started is shown the journal's first line when the load begins, and the run's folder.
	// It must be quick. May be nil.
	Started func(folder string, first *journal.Run)
	// Ended is shown the record of each measured request when it has ended, by many
	// goroutines at a time. It must be quick and keep nothing of it. May be nil.
	Ended func(*journal.Request)
	// Place is where files that the Spec names lie on this machine, in a run that another
	// machine asks for: nothing but these is read, and the hub is not asked. Nil: the
	// Spec's names are paths of this machine, or the hub's.
	Place func(what FileKind, name string) (path string, err error)
	// Fetching shows a file that comes from the hub. Nil shows nothing.
	Fetching func(hub.Progress)
	// Proven finds what the newest self-test proved for an engine. Nil: nothing.
	Proven func(engine string) *journal.Proven
}

// FileKind is what a file is for.
type FileKind string

// The kinds of files that a Spec names.
const (
	DatasetFile   FileKind = "dataset"
	TokenizerFile FileKind = "tokenizer"
)

// Progress is a run under way.
type Progress struct {
	*load.Progress
	Total  int           // requests to come; 0: not known
	Length time.Duration // of a run that ends by time; 0: not known
	Beside func() string // what else there is to show; may be nil
}

func (h *Host) say(format string, args ...any) {
	if h.Say != nil {
		h.Say(format, args...)
	}
}

func (h *Host) warn(format string, args ...any) {
	if h.Warn != nil {
		h.Warn(format, args...)
	}
}

// variable is a variable of the environment, or nothing.
func (h *Host) variable(name string) string {
	value, _ := h.Lookup(name)
	return value
}

// State is the user's state folder.
func (h *Host) State() (string, error) {
	if state := h.variable("XDG_STATE_HOME"); state != "" {
		return state, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state"), nil
}

// Hub fetches from Hugging Face's hub, as the environment says.
func (h *Host) Hub() *hub.Client {
	c := hub.FromEnvironment(h.Lookup)
	c.UserAgent, c.Proxy, c.Notify = "inferometer/"+h.Release, h.Proxy, h.Fetching
	return c
}

// fetchSet gives files of a dataset by its name: from the hub's cache, else from the hub itself.
func (r *Run) fetchSet(ctx context.Context) func(name string, patterns []string) (string, error) {
	return func(name string, patterns []string) (string, error) {
		got, err := r.host.Hub().Snapshot(ctx, hub.Dataset, name, r.DatasetRevision, patterns)
		if err != nil {
			return "", err
		}
		if got.Stale != nil {
			r.say("note: the dataset %s is used as the cache has it, maybe not whole: %v", name, got.Stale)
		}
		if got.Fetched > 0 {
			r.say("fetched the dataset %s from the hub: %d files, %d bytes, commit %s", name, got.Fetched, got.Bytes, got.Commit)
		}
		if got.Commit != "" {
			r.DatasetRevision, r.datasetCommit = got.Commit, got.Commit // further files come from the same one
		}
		r.datasetFolder = got.Dir
		return got.Dir, nil
	}
}
