package lead

import (
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/merge"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// ended is what is known of an agent when a run was merged, for a leader that merges it again.
type ended struct {
	Status *message.Status `json:"status,omitempty"`
	// Its clock minus the leader's, and how wrong that may be; -1: not known.
	Offset      int64 `json:"offset_ns"`
	OffsetError int64 `json:"offset_error_ns"`
}

// missing is why the run is not whole: a sentence for each agent whose journal is not held.
func (l *leader) missing(s *merge.Summary) map[string]string {
	all := map[string]string{}
	for i, a := range l.agents {
		v := a.look()
		if l.held(a, &v) {
			continue
		}
		what := "what it had not handed on is"
		if n := v.status.Done + v.status.Failed + v.status.HungUp - s.Recorded[i]; n > 0 {
			what = fmt.Sprintf("%d records are", n)
		} else if v.over() {
			what = "the end of its journal is"
		}
		all[a.ID] = fmt.Sprintf("%s: %s still with it: %s", a.title(), what, l.whyMissing(a, &v))
	}
	return all
}

// whyMissing is the cause.
func (l *leader) whyMissing(a *agent, v *view) string {
	switch err := l.pieces.has(a.ID).err; {
	case err != nil:
		return err.Error()
	case v.status.Stuck != "" && v.absent:
		return "NATS did not take it (" + v.status.Stuck + "), and the agent does not answer any more"
	case v.over() && v.absent:
		return "NATS does not have it, and the agent does not answer any more"
	case v.over():
		return fmt.Sprintf("it did not come within %s", l.kept.Wait)
	}
	return l.gone(v)
}

// tellMissing says what is not here, and how to get it. unwritten is why the run's own files
// could not be written; nil: they were.
func (l *leader) tellMissing(missing map[string]string, unwritten error) {
	for _, a := range l.agents {
		if why := missing[a.ID]; why != "" {
			l.host.Warn("warning: agent %s", why)
		}
	}
	if unwritten != nil {
		l.host.Warn("warning: %v; so the agents and NATS keep all of it", unwritten)
	}
	l.host.Warn("warning: the run is incomplete. Nothing that is missing here was removed elsewhere: agents keep it, and NATS does for %.0f days. "+
		"When the cause is gone, and the agents named are there again (started with the folder that they had), this gets the rest and makes the result anew:\n  %s",
		bus.KeptFor.Hours()/24, l.attachCommand())
}

// attachCommand is what the user types to get the rest.
func (l *leader) attachCommand() string { return attachCommand(l.kept.Run, l.place, l.folder.path) }

func attachCommand(run, place, folder string) string {
	return strings.Join([]string{"inferometer fleet attach", run, "--fleet", shlex.Quote(place), "--run-dir", shlex.Quote(folder)}, " ")
}

// lastWords are what fleet.json keeps of the agents' ends.
func (l *leader) lastWords() map[string]*ended {
	all := map[string]*ended{}
	for _, a := range l.agents {
		v := a.look()
		m := l.merged(a)
		e := &ended{Offset: -m.Offset, OffsetError: m.OffsetError}
		if v.status.Run != "" {
			s := v.status
			s.Live = nil
			e.Status = &s
		}
		all[a.ID] = e
	}
	return all
}

// recallEnds takes in what the leader before wrote down of agents that may be gone by now.
func (l *leader) recallEnds(before map[string]*ended) {
	for _, a := range l.agents {
		e := before[a.ID]
		if e == nil || e.Status == nil {
			continue
		}
		if _, err := message.Encode(e.Status); err != nil {
			continue // no leader of ours wrote it
		}
		e.OffsetError = max(e.OffsetError, -1)
		a.mu.Lock()
		a.before = e
		if s := e.Status; s.Run == l.kept.Run && s.Agent == a.ID && (a.status == nil || a.status.Number < s.Number) {
			a.status = s
		}
		if a.contact.IsZero() {
			a.contact = time.Now()
		}
		a.mu.Unlock()
	}
}
