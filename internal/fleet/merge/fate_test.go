package merge

import (
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

func TestFate(t *testing.T) {
	running := &message.Status{Phase: message.Running, Sent: 40, Reserved: 60}
	of := func(p message.Phase) *message.Status { return &message.Status{Phase: p, Sent: 40, Reserved: 60} }
	const until = 5000
	tests := []struct {
		name   string
		known  known
		number int
		due    int64
		want   journal.Outcome
	}{
		{"it never told anything: it was not started", known{until: until}, 0, 0, journal.Unsent},
		{"it was ready, and had told that it may send some", known{told: of(message.Ready), until: -1}, 59, 0, journal.Lost},
		{"it was ready and had reserved nothing, and is long gone", known{told: &message.Status{Phase: message.Ready}, until: -1}, 0, 0, journal.Unsent},
		{"it was ready, and may have begun since", known{told: &message.Status{Phase: message.Ready}, until: until}, 0, 0, journal.Lost},

		{"silent within its lease, and dead now: it may have said so since", known{told: running, until: until}, 60, until, journal.Lost},
		{"silent, and due after its lease", known{told: running, until: until}, 60, until + 1, journal.Unsent},
		{"silent, due after its lease, but said before", known{told: running, until: until}, 40, until + 1, journal.Lost},
		{"dead for certain: what it had not told it has not sent", known{told: running, dead: true, until: until}, 60, until, journal.Unsent},
		{"dead for certain: what it had told it may have sent", known{told: running, dead: true, until: until}, 59, until, journal.Lost},
		{"dead for certain, and its last line says more than its last word", known{told: &message.Status{Phase: message.Running, Sent: 40, Reserved: 30}, dead: true}, 39, 0, journal.Lost},
		{"what it sent has no line: its journal did not come", known{told: running}, 0, 0, journal.Lost},

		{"it drains, and had reserved it", known{told: of(message.Draining)}, 59, 0, journal.Lost},
		{"it drains, and had not", known{told: of(message.Draining)}, 60, 0, journal.Unsent},
		{"it failed", known{told: of(message.Failed)}, 60, 0, journal.Unsent},
		{"it ended, and its journal did not come: not among those sent", known{told: of(message.Ended)}, 40, 0, journal.Unsent},
		{"it ended, and its journal did not come: among those sent", known{told: of(message.Ended)}, 39, 0, journal.Lost},

		{"its journal is whole, and has all that it sent", known{told: of(message.Ended), whole: true, sent: 40, recorded: 40}, 12, 0, journal.Unsent},
		{"its journal is whole, and lacks lines", known{told: of(message.Ended), whole: true, sent: 40, recorded: 38}, 12, 0, journal.Lost},
		{"its journal is whole and lacks lines, but not this one", known{told: of(message.Ended), whole: true, sent: 40, recorded: 38}, 40, 0, journal.Unsent},
	}
	for _, tt := range tests {
		if got := fate(&tt.known, tt.number, tt.due); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
