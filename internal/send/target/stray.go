package target

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// Stray is a process of a server that left the server's group, as a daemon does. It is
// out of reach of Stop, and would hold its port and its memory against the next server.
type Stray struct {
	PID  int
	Name string // of its program; empty: not known
}

// markName is the variable by which a server's processes are known, wherever they are.
const markName = "INFEROMETER_SERVER"

// newMark is what stands in the environment of all that one server starts.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return markName + "=" + hex.EncodeToString(b[:])
}

// Left says which of the server's processes left its group and are still there after
// Stop; empty: none.
func (p *Process) Left() string {
	var names []string
	for _, s := range p.strays {
		name := fmt.Sprintf("process %d", s.PID)
		if s.Name != "" {
			name += fmt.Sprintf(" (%q)", s.Name)
		}
		names = append(names, name)
	}
	switch {
	case len(names) > 0:
		return "the server left its process group, so it was not ended: " + strings.Join(names, ", ") + " still runs; end it by hand"
	case p.held:
		return "a process of the server left its group, so it was not ended; look for it and end it by hand"
	}
	return ""
}
