// Package fault is what is done to servers on purpose while they are under load: a replica is killed, stopped, cut off
// or started again, or a command of the user's is run. docs/faults.md explains each.
package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Fault is one thing that is done.
type Fault struct {
	At    time.Duration // from the begin of the load
	After int           // or when so many requests were sent; 0: at its time
	Do    string        // one of Kinds
	On    string        // a server, such as backend-2; empty: all that there are
	For   time.Duration // after that long it is undone; 0: it is not
	By    time.Duration // of slow: how late everything comes, each way
	How   string        // of cut: Reset or Silent
	To    int           // of scale: how many there are to be
	Name  string        // of an adapter
	Path  string        // of an adapter: where it is; of reset_cache: what is posted to
	Args  []string      // of a command
}

// The kinds of faults.
const (
	Kill          = "kill"
	Stop          = "stop"
	Continue      = "continue"
	Drain         = "drain"
	Start         = "start"
	Scale         = "scale"
	Slow          = "slow"
	Cut           = "cut"
	Mend          = "mend"
	ResetCache    = "reset_cache"
	LoadAdapter   = "load_adapter"
	UnloadAdapter = "unload_adapter"
	Command       = "command"
)

// How a network is cut.
const (
	Reset  = "reset"  // connections are reset, and so are new ones
	Silent = "silent" // nothing comes through, and nobody is told
)

// kind is what a kind of fault is.
type kind struct {
	name, undo string   // undo: what For does afterwards
	keys       []string // beside at, after and for
	server     bool     // it is done to one server, which has a name
}

var kinds = []kind{
	{name: Kill, undo: Start, server: true},
	{name: Stop, undo: Continue, server: true},
	{name: Continue, server: true},
	{name: Drain, undo: Start, server: true},
	{name: Start, server: true},
	{name: Scale},
	{name: Slow, undo: Mend, keys: []string{"by"}, server: true},
	{name: Cut, undo: Mend, keys: []string{"how"}, server: true},
	{name: Mend, server: true},
	{name: ResetCache, keys: []string{"path"}},
	{name: LoadAdapter, undo: UnloadAdapter, keys: []string{"path", "on"}},
	{name: UnloadAdapter, keys: []string{"on"}},
	{name: Command},
}

// Kinds are the names of all kinds.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Keys are what a scenario may say of a kind of fault, beside when it is done.
func Keys(name string) []string { return find(name).keys }

// OnServer says that the kind is done to one server and not to all.
func OnServer(name string) bool { return find(name).server }

// Relayed says that the kind is done to the network before a server.
func Relayed(name string) bool { return name == Slow || name == Cut || name == Mend }

func find(name string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return &kind{}
	}
	return &kinds[i]
}

// Undo is what ends the fault; false: nothing does.
func (f *Fault) Undo() (Fault, bool) {
	k := find(f.Do)
	return Fault{Do: k.undo, On: f.On, Name: f.Name}, k.undo != ""
}

// String is the fault in a few words, without its time.
func (f *Fault) String() string {
	words := []string{f.Do}
	switch {
	case f.Do == Scale:
		words = append(words, fmt.Sprint("to ", f.To))
	case f.Do == Command:
		text, isShell := target.ShellText(f.Args)
		if !isShell {
			text = strings.Join(f.Args, " ")
		}
		words = append(words, text)
	case f.Name != "":
		words = append(words, f.Name)
	}
	if f.On != "" {
		words = append(words, f.On)
	}
	if f.Do == Slow {
		words = append(words, "by "+f.By.String())
	}
	return strings.Join(words, " ")
}

// The bounds of a list of faults.
const (
	maxFaults = 1000
	maxWords  = 1000
	maxScale  = 1000
	maxSlow   = time.Hour
)

// Check says what is wrong with a fault.
func (f *Fault) Check() error {
	k := find(f.Do)
	switch {
	case k.name == "":
		return fmt.Errorf("there is no fault %q: there are %s", f.Do, strings.Join(Kinds(), ", "))
	case f.At < 0 || f.After < 0 || f.For < 0:
		return errors.New("can't be before the load")
	case f.At > 0 && f.After > 0:
		return errors.New("has both at and after: give the time from the begin of the load, or the number of requests that were sent")
	case f.For > 0 && k.undo == "":
		return fmt.Errorf("for is no key of %s: nothing ends it", f.Do)
	case k.server && f.On == "":
		return fmt.Errorf("%s needs the name of a server, such as backend-1", f.Do)
	case f.Do == Slow && (f.By <= 0 || f.By > maxSlow):
		return fmt.Errorf("slow needs by, how late everything comes, from above 0 to %v", maxSlow)
	case f.Do == Cut && f.How != "" && f.How != Reset && f.How != Silent:
		return fmt.Errorf("how must be %s (connections are reset) or %s (nothing comes through), not %q", Reset, Silent, f.How)
	case f.Do == Scale && (f.To < 0 || f.To > maxScale):
		return fmt.Errorf("scale must be from 0 to %d, not %d", maxScale, f.To)
	case (f.Do == LoadAdapter || f.Do == UnloadAdapter) && f.Name == "":
		return fmt.Errorf("%s needs the adapter's name", f.Do)
	case f.Do == LoadAdapter && f.Path == "":
		return errors.New("load_adapter needs path, where the server finds the adapter")
	case f.Do == ResetCache && f.Path != "" && !strings.HasPrefix(f.Path, "/"):
		return fmt.Errorf("path must be one of the server's API, such as /reset_prefix_cache, not %q", f.Path)
	case f.Do == Command && (len(f.Args) == 0 || f.Args[0] == ""):
		return errors.New("there is no command")
	case len(f.Args) > maxWords:
		return fmt.Errorf("a command has at most %d words", maxWords)
	case f.Do != Command && len(f.Args) > 0:
		return fmt.Errorf("%s is no command", f.Do)
	}
	return nil
}

// Done is how a fault was done.
type Done struct {
	Began time.Time // just before
	Ended time.Time // when it was done; zero: that was not seen
	URL   string    // the address of the server that it was done to
	What  string    // what else there is to say
}

// Doer does faults. An error says why one was not done, or not to its end.
type Doer func(ctx context.Context, f Fault) (Done, error)
