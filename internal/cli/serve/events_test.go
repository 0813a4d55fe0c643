package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// blocked is a reader that takes nothing until it is let go.
type blocked struct {
	begun, free chan struct{}
	got         bytes.Buffer
}

func (b *blocked) Write(p []byte) (int, error) {
	select {
	case b.begun <- struct{}{}:
	default:
	}
	<-b.free
	return b.got.Write(p)
}

// A reader that takes nothing holds nobody up: what does not fit is dropped and counted, and
// the last line tells how many.
func TestSlowReaderOfEvents(t *testing.T) {
	out := &blocked{begun: make(chan struct{}, 1), free: make(chan struct{})}
	e := &events{queue: make(chan event, maxEvents), done: make(chan struct{}), out: out, forget: func() {}}
	go e.write()
	first := &journal.Request{Outcome: journal.Complete, Sent: 1e9, End: 3e9, UsageOutput: 5}
	first.Events.At, first.Events.Kind = []int64{1e6, 5e6}, []journal.EventKind{0, journal.EventChoices}
	e.Ended(first)
	<-out.begun
	const more = 100
	for i := range maxEvents + more {
		e.Ended(&journal.Request{Index: i + 1, Outcome: journal.Refused, Error: "nothing is listening"})
	}
	close(out.free)
	e.finish(nil, func(format string, args ...any) { t.Errorf(format, args...) })
	lines := bytes.Split(bytes.TrimSpace(out.got.Bytes()), []byte("\n"))
	if len(lines) != 1+maxEvents+1 {
		t.Fatalf("%d lines", len(lines))
	}
	if want := `{"request":{"index":0,"outcome":"complete","sent":1,"end":3,"ttft":6,"output_tokens":5}}`; string(lines[0]) != want {
		t.Errorf("the first line is %s, not %s", lines[0], want)
	}
	var last event
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.End == nil || last.End.Dropped != more {
		t.Errorf("the last line is %s: %v", lines[len(lines)-1], err)
	}
}

// A reader that has gone ends nothing but the events.
func TestReaderOfEventsHasGone(t *testing.T) {
	e := &events{queue: make(chan event, maxEvents), done: make(chan struct{}), out: gone{}, forget: func() {}}
	go e.write()
	e.Ended(&journal.Request{Outcome: journal.Complete})
	warned := ""
	e.finish(nil, func(format string, args ...any) { warned = fmt.Sprintf(format, args...) })
	if warned == "" {
		t.Error("nobody was warned")
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }
