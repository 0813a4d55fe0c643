//go:build unix

package target

import (
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// strayPatience is how long a killed process may take to be gone.
const strayPatience = time.Second

// findStrays looks, after the group was killed, for what has left it. Where the system
// does not show who that is, it still shows that somebody is there.
func (p *Process) findStrays() {
	p.strays = strays(p.mark, p.group.id())
	if len(p.strays) > 0 {
		return
	}
	p.held = !p.group.wait(strayPatience)
}

// strays finds the processes that carry a server's mark in their environment and are in another group than its
// own. Only Linux shows the environment of a process.
func strays(mark string, group int) (found []Stray) {
	here := machine.This()
	for _, p := range here.WithEnvironment(mark) {
		if p.PID == os.Getpid() || groupOf(p.PID) == group {
			continue
		}
		if _, err := here.StartTime(p.PID); err == nil {
			found = append(found, Stray(p))
		}
	}
	return found
}
