package lead

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// An agent is dead for certain only where nothing else can have ended its connection.
func TestSawGone(t *testing.T) {
	running := func(direct bool) *message.Status { return &message.Status{Phase: message.Running, Direct: direct} }
	for name, tt := range map[string]struct {
		status             *message.Status
		contact, connected time.Duration // ago
		want               bool
	}{
		"heard just now, connected all the time":       {running(true), 3 * time.Second, time.Minute, true},
		"NATS was away after it was heard":             {running(true), 3 * time.Second, time.Second, false},
		"silent for so long that it may be cut off":    {running(true), goneWithin + time.Second, time.Minute, false},
		"something between them may have ended":        {running(false), 3 * time.Second, time.Minute, false},
		"it never told anything":                       {nil, 3 * time.Second, time.Minute, false},
		"the connection is younger than its last word": {running(true), 3 * time.Second, 3*time.Second - time.Millisecond, false},
	} {
		a := &agent{status: tt.status, contact: time.Now().Add(-tt.contact)}
		a.sawGone(time.Now().Add(-tt.connected))
		if v := a.look(); v.dead != tt.want {
			t.Errorf("%s: %v", name, v.dead)
		}
		a.see(&message.Status{Number: 9, Phase: message.Running})
		if v := a.look(); v.dead {
			t.Errorf("%s: it is heard again, and called dead", name)
		}
	}
}

// What is heard after a silence may be old, until the agent answers.
func TestSawGoneAfterSilence(t *testing.T) {
	told := func(number int) *message.Status {
		return &message.Status{Number: number, Phase: message.Running, Direct: true}
	}
	a := &agent{status: told(1), contact: time.Now().Add(-goneWithin - time.Second)}
	a.see(told(2))
	a.sawGone(time.Now().Add(-time.Minute))
	if v := a.look(); v.dead {
		t.Error("its word came through late, and it is called dead")
	}
	a.see(told(3))
	a.answered()
	a.sawGone(time.Now().Add(-time.Minute))
	if v := a.look(); !v.dead {
		t.Error("it has answered, and then it was gone")
	}
}
