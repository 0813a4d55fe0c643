package bench

import (
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
)

// A child tells its states by one pipe and takes pauses by another; what is no state is
// passed over.
func TestRealChildTellsItsStates(t *testing.T) {
	c := childOf(t, `[ "$INFEROMETER_PARENT" = 4,5 ] || exit 1
echo 'no state' >&4
echo '{"phase":"running","sent":3}' >&4
read first <&5
echo '{"phase":"paused"}' >&4
read second <&5
echo "{\"phase\":\"ended\",\"note\":\"$first $second\"}" >&4
echo '{}' > $RUN/result.json`)
	c.Live, c.Control = &live.Feed{}, &load.Control{}
	var mu sync.Mutex
	var seen []live.State
	c.Live.Listen(func(s *live.State) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, *s)
		switch s.Phase {
		case live.Running:
			c.Control.Pause(true)
		case live.Paused: // not before: of a pause that ends at once nobody need be told
			c.Control.Pause(false)
		}
	})
	o, err := c.Run(t.Context(), nil)
	if err != nil || o.Err() != nil {
		t.Fatal(err, o.Err())
	}
	if len(seen) != 3 || seen[0].Sent != 3 || seen[2].Note != "pause resume" {
		t.Errorf("states are %+v", seen)
	}
}

// A child that nobody watches has no pipes, and one that is paused before it begins is told.
func TestRealChildIsToldOfAPauseBeforeIt(t *testing.T) {
	c := childOf(t, `[ -z "$INFEROMETER_PARENT" ] && echo '{}' > $RUN/result.json`)
	if o, err := c.Run(t.Context(), nil); err != nil || o.Err() != nil {
		t.Fatal(err, o.Err())
	}
	c = childOf(t, `read word <&5; [ "$word" = pause ] && echo '{}' > $RUN/result.json`)
	c.Live, c.Control = &live.Feed{}, &load.Control{}
	c.Control.Pause(true)
	if o, err := c.Run(t.Context(), nil); err != nil || o.Err() != nil {
		t.Fatal(err, o.Err())
	}
	if !c.Control.Paused() {
		t.Error("the pause ended with the child")
	}
}
