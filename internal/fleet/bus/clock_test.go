package bus

import (
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/clock"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// Leader and agent on one machine have one clock: the offset is 0, within the error.
func TestRealOneClock(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, agent := open(t, server.URL), open(t, server.URL)
	stop, err := agent.Serve("a", func() message.Hello { return message.Hello{Agent: "a"} }, func(*message.Ask, time.Time) *message.Answer { return &message.Answer{} })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	var e clock.Estimator
	for range 50 {
		sent := time.Now().UnixNano()
		answer, err := leader.Ask(t.Context(), "a", &message.Ask{Kind: message.Clock})
		back := time.Now().UnixNano()
		if err != nil {
			t.Fatal(err)
		}
		e.Add(sent, answer.Received, answer.Answered, back)
	}
	offset, wrong, ok := e.At(time.Now().UnixNano())
	t.Logf("%d ± %d ns", offset, wrong)
	if !ok || max(offset, -offset) > wrong {
		t.Errorf("%d ± %d ns, %v", offset, wrong, ok)
	}
}
