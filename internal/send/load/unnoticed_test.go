package load

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// What bench/mutation broke and nothing noticed: small things, each held by itself.

// scripted is a transport without a network: each request gets a short answer at once.
type scripted struct {
	clock  *wire.Clock
	conn   wire.Conn
	before func(r *wire.Request) // it is answered
	choice string                // of the answer; empty: a text
}

func (s *scripted) Do(_ context.Context, r *wire.Request, sink wire.Sink) (wire.Conn, error) {
	if s.before != nil {
		s.before(r)
	}
	at := wire.Stamp{At: s.clock.Now(), Kernel: true}
	sink.Head(200, noHeader{}, at)
	sink.Body([]byte("data: {\"choices\":[{\"index\":0,"+cmp.Or(s.choice, `"text":"well"`)+",\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"), at)
	return s.conn, nil
}

func (s *scripted) Stamps() string { return "kernel" }
func (s *scripted) Close()         {}

type noHeader struct{}

func (noHeader) Get(string) string { return "" }

// overScripted is a closed loop over a scripted transport, and what the journal has of it.
func overScripted(t testing.TB, n int) (Config, *scripted, func() []journal.Request) {
	t.Helper()
	backend, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	p, err := pace.New(closed())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), journal.FileName)
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	clock := wire.NewClock()
	s := &scripted{clock: clock}
	cfg := Config{
		Clock:       clock,
		Workload:    Workload{Source: &prompts{n: n, tokens: 1}, Call: protocol.Call{Model: "sim"}, IDPrefix: "t-"},
		Schedule:    Schedule{Pace: p, Concurrency: 4},
		Destination: Destination{Transport: s, Protocol: backend},
		Records:     Records{Journal: w},
	}
	cfg.Started = func() error { return w.Run(&journal.Run{Schema: journal.Schema}) }
	return cfg, s, func() (records []journal.Request) {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for {
			q, err := r.Next()
			if err != nil {
				return records
			}
			records = append(records, q.Clone())
		}
	}
}

// Tokens that events tell are counted over all of them: two of two are four.
func TestAnAnswerIsShortByAllOfItsEvents(t *testing.T) {
	told := func(tokens ...int) *stream.Trace {
		trace := &stream.Trace{Status: 200, Done: true, TokensBy: stream.TokensByLogprobs}
		for _, n := range tokens {
			trace.Events = append(trace.Events, stream.Event{Kind: stream.EventChoices | stream.EventText, Tokens: n})
		}
		return trace
	}
	for _, tt := range []struct {
		trace *stream.Trace
		want  journal.Outcome
	}{
		{told(2, 2), journal.Complete},
		{told(3, -1, 1), journal.Complete},
		{told(1, 2), journal.Short},
	} {
		if got, words := judge(tt.trace, nil, asked{tokens: 4, ignoreEOS: true}); got != tt.want {
			t.Errorf("%v: %s, %s", tt.trace.Events, got, words)
		}
	}
}

// Requests that end together come to the lock in any order, and the run ends with the last of them.
func TestTheRunEndsWithItsLatestRequest(t *testing.T) {
	r := newRun(t.Context(), nil, Config{})
	defer r.cancel(nil)
	for _, end := range []int64{70, 100, 90} {
		r.ended(&worker{run: r}, &job{}, end)
	}
	if r.flight.last != 100 {
		t.Errorf("the last request ended at 100, the run at %d", r.flight.last)
	}
}

// A worker counts the tokens of each of its requests once, the server's count in place of its own.
func TestTheTokensOfAWorkerCountOnce(t *testing.T) {
	backend, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	p := &Progress{}
	s := &countingSink{Stream: protocol.NewStream(backend), load: true}
	p.add(s)
	for _, counted := range []struct{ events, usage int64 }{{5, 5}, {3, 4}, {2, 1}} {
		s.Reset(9)
		s.count(counted.events)
		s.Trace.HasUsage, s.Trace.Usage.Output = true, int(counted.usage)
		s.ended()
	}
	if got := p.Snapshot(); got.Finished != 10 || got.Tokens != 10 {
		t.Errorf("%d tokens, %d of requests that have ended; 10 were generated", got.Tokens, got.Finished)
	}
}

// All that the transport knows of a connection is in the journal.
func TestTheJournalHasWhatTheTransportKnows(t *testing.T) {
	cfg, s, read := overScripted(t, 1)
	s.conn = wire.Conn{New: true, Reconnects: 1, Unstamped: 2, Retransmits: 3, Reordered: 4, Opened: 5, RTT: 6, Written: int64(time.Hour)}
	if _, err := Run(t.Context(), nil, cfg); err != nil {
		t.Fatal(err)
	}
	records := read()
	if len(records) != 1 {
		t.Fatalf("%d requests", len(records))
	}
	r := &records[0]
	if !r.NewConn || r.Reconnects != 1 || r.UnstampedRead != 2 || r.Retransmits != 3 || r.Reordered != 4 || r.Connect != 5 || r.RTT != 6 || r.Written != int64(time.Hour)-r.Sent {
		t.Errorf("%+v became %+v", s.conn, r)
	}
}

// What warm-ups had in flight is no peak of the load.
func TestThePeakIsNotTheWarmups(t *testing.T) {
	const warmups = 3
	cfg, s, read := overScripted(t, 2)
	cfg.Concurrency, cfg.Batch = warmups, 1
	var together sync.WaitGroup
	together.Add(warmups)
	s.before = func(r *wire.Request) {
		if strings.Contains(r.ID, "warmup") {
			together.Done()
			together.Wait()
		}
	}
	for i := range warmups {
		cfg.Warmups = append(cfg.Warmups, &workload.Request{Prompt: fmt.Sprint("warm up ", i), OutputTokens: 1})
	}
	res, err := Run(t.Context(), nil, cfg)
	read()
	if err != nil || res.PeakInFlight != 1 {
		t.Errorf("one request was in flight at a time, and the peak is %+v, %v", res, err)
	}
}

// A time in which this process was held up counts before the event that it lies before, each part of it once.
func TestAHoldCountsOnce(t *testing.T) {
	const ms = int64(time.Millisecond)
	w := &worker{run: &run{cfg: Config{Records: Records{Holds: func(room []Hold, _, _ int64) []Hold {
		return append(room, Hold{10 * ms, 10*ms + 1000}, Hold{20 * ms, 60 * ms}, Hold{80 * ms, 90 * ms})
	}}}}}
	w.sink.Stream = &stream.Stream{}
	for _, at := range []int64{15, 30, 50, 70, 100} {
		w.sink.Trace.Events = append(w.sink.Trace.Events, stream.Event{Stamp: wire.Stamp{At: at * ms}})
	}
	held, last := w.holds(0), int64(0)
	for i, want := range []int64{0, 10, 20, 10, 10} {
		at := w.sink.Trace.Events[i].At
		if got := held(last, at); got != want*ms {
			t.Errorf("before event %d: held up for %v, not %d ms", i, time.Duration(got), want)
		}
		last = at
	}
}

// A pause that is over has not stood still for a moment before it.
func TestAPauseCountsFromItsBegin(t *testing.T) {
	at := int64(0)
	c := &Control{}
	c.begin(func() int64 { return at })
	for _, p := range [][2]int64{{10, 20}, {30, 40}} {
		at = p[0]
		c.Pause(true)
		at = p[1]
		c.Pause(false)
	}
	for moment, want := range map[int64]int64{0: 0, 5: 0, 10: 0, 15: 5, 20: 10, 25: 10, 30: 10, 35: 15, 40: 20, 50: 20} {
		if got := c.stood(moment); got != want {
			t.Errorf("before %d the pace stood still for %d, not %d", moment, got, want)
		}
	}
}

// A display may look while workers come.
func TestProgressIsReadWhileWorkersCome(t *testing.T) {
	p := &Progress{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				s := &countingSink{load: true}
				p.add(s)
				s.count(2)
				p.Snapshot()
			}
		})
	}
	all.Wait()
	if s := p.Snapshot(); s.Tokens != 4*100*2 {
		t.Errorf("%d tokens", s.Tokens)
	}
}

// Later fields win: a request's sampling parameters give way to the run's, and its other fields do not.
func TestTheRunsFieldsWinOverTheRequestsSampling(t *testing.T) {
	backend, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	run := []protocol.Field{{Name: "temperature", Value: json.RawMessage("1")}, {Name: "user", Value: json.RawMessage(`"run"`)}}
	own := []workload.Field{
		{Name: "user", Value: json.RawMessage(`"own"`)},
		{Name: "temperature", Value: json.RawMessage("2"), Sampling: true},
	}
	var order []string
	for _, f := range withFields(run, own, backend) {
		order = append(order, f.Name+"="+string(f.Value))
	}
	if want := []string{"temperature=2", "temperature=1", `user="run"`, `user="own"`}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// conversationOf is the dispatcher of conversations of a run that sends nothing, and one that is begun.
func conversationOf(t *testing.T, cfg Config) (*dispatcher, *conversation) {
	t.Helper()
	backend, err := protocol.FindBackend("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Clock, cfg.Protocol = wire.NewClock(), backend
	r := newRun(t.Context(), nil, cfg)
	t.Cleanup(func() { r.cancel(nil) })
	one := &talk.Conversation{Number: 1, Turns: []talk.Turn{{Continues: -1, OutputTokens: 1, Messages: []talk.Message{{JSON: talk.Text("user", "hello")}}}}}
	return &dispatcher{run: r}, newConversation(one, "", "")
}

// A bound on requests is how many are sent, and no one more.
func TestMaxRequestsIsHowManyAreSent(t *testing.T) {
	d, _ := conversationOf(t, Config{Workload: Workload{Conversations: &Conversations{MaxRequests: 3}}})
	for sent, want := range []string{"", "", "", "max requests", "max requests"} {
		if d.sent = sent; d.ending() != want {
			t.Errorf("%d were sent: %q, want %q", sent, d.ending(), want)
		}
	}
}

// A turn whose body has still to be made holds no slot while it is.
func TestATurnThatIsBeingMadeHoldsNoSlot(t *testing.T) {
	d, o := conversationOf(t, Config{Workload: Workload{Conversations: &Conversations{}}, Schedule: Schedule{Concurrency: 1}})
	d.conversations.open[o] = true
	j := d.maker.newTurn(o, 0)
	d.conversations.push(j)
	if !d.sendTurn() {
		t.Error("the turn was not looked at")
	}
	d.flight.wait.Wait() // its body is made
	if len(d.slots) != 0 || j.body == nil || d.sent != 0 {
		t.Errorf("%d slots are taken, %d bytes were made, %d requests sent", len(d.slots), len(j.body), d.sent)
	}
}
