package prepare

import (
	"context"
	"net"

	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare/rehearsal"
	"github.com/inferometer/inferometer/internal/spec"
)

// Host is what finds things for a run: variables, files, the hub, servers. Nothing here
// changes what is measured.
type Host struct {
	spec.Environment
	// Dial makes the connections to the servers; nil: over the network. Where it is given, nothing waits by the kernel's
	// timers, so that a whole run can be made in virtual time.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Place is where files that the Spec names lie on this machine, in a run that another
	// machine asks for: nothing but these is read, and the hub is not asked. Nil: the
	// Spec's names are paths of this machine, or the hub's.
	Place func(what FileKind, name string) (path string, err error)
	// Fetching shows a file that comes from the hub. Nil shows nothing.
	Fetching func(hub.Progress)
	// Rehearsed is shown all that the run is about to send, before it sends anything; an
	// error ends the run. Nil: there is no rehearsal.
	Rehearsed func(*rehearsal.Rehearsal) error
	// Say tells the user something beside the result. Nil is silence.
	Say func(format string, args ...any)
	// Warn tells what the user must know even if notes are not wanted.
	Warn func(format string, args ...any)
}

// FileKind is what a file is for.
type FileKind string

// The kinds of files that a Spec names.
const (
	DatasetFile   FileKind = "dataset"
	TokenizerFile FileKind = "tokenizer"
)

// Note tells the user something beside the result, if anybody listens.
func (h *Host) Note(format string, args ...any) {
	if h.Say != nil {
		h.Say(format, args...)
	}
}

// Alert tells what the user must know even if notes are not wanted.
func (h *Host) Alert(format string, args ...any) {
	if h.Warn != nil {
		h.Warn(format, args...)
	}
}

// Variable is a variable of the environment, or nothing.
func (h *Host) Variable(name string) string {
	value, _ := h.Lookup(name)
	return value
}

// State is the user's state folder.
func (h *Host) State() (string, error) { return journal.State(h.Variable) }

// Hub fetches from Hugging Face's hub, as the environment says.
func (h *Host) Hub() *hub.Client {
	c := hub.FromEnvironment(h.Lookup)
	c.UserAgent, c.Proxy, c.Notify = "inferometer/"+h.Release, h.Proxy, h.Fetching
	return c
}
