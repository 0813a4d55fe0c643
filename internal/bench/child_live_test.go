package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec/fault"
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

// A child asks its parent to do faults, and is told when they were; one that it does not wait for is cancelled.
func TestRealChildAsksForFaults(t *testing.T) {
	c := childOf(t, `
echo '{"phase":"run' >&4
echo '{"fault_id":1,"fault":{"do":"kill","on":"backend-2"}}' >&4
read -r first <&5
echo '{"fault_id":2,"fault":{"do":"drain","on":"backend-1"}}' >&4
echo '{"fault_id":2,"cancel":true}' >&4
read -r second <&5
echo '{"fault_id":3,"fault":{"do":"drain","on":"backend-1"}}' >&4
echo "$first" > $RUN/said; echo "$second" >> $RUN/said
echo '{}' > $RUN/result.json`)
	began := time.Now()
	ended := make(chan error, 2)
	c.Do = func(ctx context.Context, f fault.Fault) (fault.Done, error) {
		if f.Do == fault.Kill {
			return fault.Done{Began: began, Ended: began.Add(time.Second), URL: "http://h:1", What: f.On}, nil
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return fault.Done{Began: began}, context.Cause(ctx)
	}
	o, err := c.Run(t.Context(), nil)
	if err != nil || o.Err() != nil {
		t.Fatal(err, o.Err())
	}
	if first := <-ended; !errors.Is(first, errNotWaited) {
		t.Errorf("the first drain ended by %v", first)
	}
	b, err := os.ReadFile(filepath.Join(c.Spec.RunDir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	asks := NewFaults(func([]byte) error { return nil })
	one, two := make(chan faultDone, 1), make(chan faultDone, 1)
	asks.waiting[1], asks.waiting[2] = one, two
	ReadCommands(bytes.NewReader(b), &load.Control{}, asks)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the load was over"))
	answer := <-one
	if done, err := answer.done(ctx); err != nil || done.URL != "http://h:1" || done.What != "backend-2" ||
		done.Began.Sub(began).Abs() > time.Millisecond || done.Ended.Sub(done.Began) != time.Second {
		t.Errorf("killed: %+v, %v; began %v", done, err, began)
	}
	answer = <-two
	if done, err := answer.done(ctx); err == nil || err.Error() != "the load was over" || done.Began.IsZero() {
		t.Errorf("drained: %+v, %v", done, err)
	}
}

// A child does a fault by asking, and stops waiting when the load is over.
func TestFaultsOfAChild(t *testing.T) {
	answered := make(chan []byte, 4)
	var f *Faults
	desk := newFaultDesk(func(ctx context.Context, one fault.Fault) (fault.Done, error) {
		if one.Do == fault.Stop {
			return fault.Done{}, errors.New("there is no such server")
		}
		<-ctx.Done()
		return fault.Done{Began: time.Now()}, context.Cause(ctx)
	}, func(line []byte) { f.Answer(line); answered <- line })
	f = NewFaults(func(line []byte) error {
		if !desk.take(line) {
			t.Errorf("%s is not taken", line)
		}
		return nil
	})
	defer desk.end()
	if _, err := f.Do(t.Context(), fault.Fault{Do: fault.Stop, On: "x"}); err == nil || err.Error() != "there is no such server" {
		t.Error(err)
	}
	<-answered
	over := errors.New("the load was over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if done, err := f.Do(ctx, fault.Fault{Do: fault.Drain, On: "x"}); !errors.Is(err, over) || done.Began.IsZero() {
		t.Errorf("%+v, %v", done, err)
	}
	if desk.take([]byte("pause")) || f.Answer([]byte(`{"phase":"running"}`)) {
		t.Error("what is none is taken for a fault")
	}
}
