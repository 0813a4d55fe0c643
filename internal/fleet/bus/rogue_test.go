package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// What an agent sends that is wrong, of another run, or too long does not reach the leader.
func TestRealRogueAgent(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, agent := open(t, server.URL), open(t, server.URL)
	if err := leader.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	statuses, pieces := make(chan *message.Status, 100), make(chan string, 100)
	stop, err := leader.Statuses("r", func(s *message.Status) { statuses <- s })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := leader.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	stopJournals, err := leader.Journals(t.Context(), "r", func(a string, _ int64, piece []byte) { pieces <- a + ":" + string(piece) })
	if err != nil {
		t.Fatal(err)
	}
	defer stopJournals()

	for subject, text := range map[string]string{
		"inferometer.status.r.a":  `{"run":"r","agent":"b","phase":"running"}`,    // of another agent
		"inferometer.status.r.b":  `{"run":"q","agent":"b","phase":"running"}`,    // of another run
		"inferometer.status.r.c":  `{"run":"r","agent":"c","phase":"running"} {}`, // and more
		"inferometer.status.r.d":  `[[[[[`,
		"inferometer.status.r.e":  `{"run":"r","agent":"e","phase":"running","sent":1e300}`,
		"inferometer.status.r.f":  `{"run":"r","agent":"f","phase":"running","live":{"x":"` + strings.Repeat("x", 600<<10) + `"}}`,
		"inferometer.status.r.*g": `{"run":"r","agent":"*g","phase":"running"}`,
		"inferometer.status.q.a":  `{"run":"q","agent":"a","phase":"running"}`,
	} {
		if err := agent.conn.Publish(subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := agent.Tell(&message.Status{Run: "r", Agent: "a", Phase: message.Running, Error: "\x1b[2Jx"}); err != nil {
		t.Fatal(err)
	}
	if s := <-statuses; s.Agent != "a" || strings.Contains(s.Error, "\x1b") {
		t.Errorf("%+v", s)
	}
	if err := agent.Tell(&message.Status{Run: "r", Agent: "a", Phase: message.Running, Sent: -1}); err == nil {
		t.Error("a status that nobody takes was sent")
	}

	for _, m := range []struct{ subject, offset, text string }{
		{"inferometer.journal.r.a", "-5", "below zero"},
		{"inferometer.journal.r.a", "x", "nowhere"},
		{"inferometer.journal.r.a", "99999999999999999999", "beyond"},
		{"inferometer.journal.r.*", "0", "nobody"},
		{"inferometer.journal.q.a", "0", "another run"},
	} {
		message := nats.NewMsg(m.subject)
		message.Header.Set(offsetHeader, m.offset)
		message.Data = []byte(m.text)
		if _, err := agent.js.PublishMsg(t.Context(), message); err != nil && !strings.Contains(m.subject, "*") {
			t.Fatal(err)
		}
	}
	if err := agent.AppendJournal(t.Context(), "r", "a", 0, make([]byte, MostPiece+headerSpace)); err == nil {
		t.Error("the server took a piece that is too long")
	}
	if err := agent.AppendJournal(t.Context(), "r", "a", 0, bytes.Repeat([]byte("p"), MostPiece)); err != nil {
		t.Fatal(err)
	}
	if p := <-pieces; p != "a:"+strings.Repeat("p", MostPiece) {
		t.Errorf("%.60q", p)
	}
	if len(statuses)+len(pieces) > 0 {
		t.Errorf("%d statuses and %d pieces more came", len(statuses), len(pieces))
	}
	all, err := leader.LastStatuses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Agent != "a" {
			t.Errorf("%+v", s)
		}
	}
}

// An agent answers so many questions at once, and says so to the others; an answer that
// can't be sent is an error, and not silence.
func TestRealRogueLeader(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, agent := open(t, server.URL), open(t, server.URL)
	wait := make(chan struct{})
	var handled atomic.Int32
	stop, err := agent.Serve("a", func() message.Hello { return message.Hello{Agent: "a"} }, func(a *message.Ask, _ time.Time) *message.Answer {
		handled.Add(1)
		if a.Kind == message.State {
			return &message.Answer{Status: &message.Status{Run: "r", Agent: "a", Phase: message.Running, Live: map[string]json.RawMessage{"x": json.RawMessage(`"` + strings.Repeat("x", message.Most) + `"`)}}}
		}
		<-wait
		return &message.Answer{}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if answer, err := leader.Ask(ctx, "a", &message.Ask{Kind: message.State, Run: "r"}); err != nil || !strings.Contains(answer.Error, "too long") || answer.Received == 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, text := range []string{``, `null`, `{"protocol":2}`, `{"protocol":1,"kind":"clock"}`, `{"protocol":2,"kind":"offer","agent":"a","run":"../x"}`, strings.Repeat("x", 1<<20)} {
		m, err := leader.conn.RequestWithContext(ctx, askSubject("a"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := message.Decode[message.Answer](m.Data); err != nil || answer.Error == "" {
			t.Errorf("%.30q: %+v, %v", text, answer, err)
		}
	}
	before := handled.Load()
	const asked = 3 * mostAsks
	var refused atomic.Int32
	var all sync.WaitGroup
	for range asked {
		all.Go(func() {
			answer, err := leader.Ask(ctx, "a", &message.Ask{Kind: message.Clock})
			if err != nil {
				t.Error(err)
			} else if strings.Contains(answer.Error, "already") && refused.Add(1) == asked-mostAsks {
				close(wait)
			}
		})
	}
	all.Wait()
	if n := handled.Load() - before; n != mostAsks {
		t.Errorf("%d were handled at once", n)
	}
	if _, err := agent.Serve("b", func() message.Hello { return message.Hello{Agent: "b", Weight: -1} }, nil); err == nil {
		t.Error("an agent that nobody would see serves")
	}
}

// A message that is on an agent's subject and for somebody else, or that no leader has sent, does not
// reach the agent: an ask of another agent, an answer that was led there, a receipt of the server,
// and what a consumer of the files' store delivers, which a holder of agent.json may make.
func TestRealStrays(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, rogue := open(t, server.URL), open(t, server.URL)
	if err := leader.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 10)
	agent, err := Open(t.Context(), Place{URL: server.URL}, Options{Name: "a", Trouble: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Close)
	handled := make(chan *message.Ask, 10)
	stop, err := agent.Serve("a", func() message.Hello { return message.Hello{Protocol: message.Protocol, Agent: "a", Run: "r"} }, func(a *message.Ask, _ time.Time) *message.Answer {
		handled <- a
		return &message.Answer{}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	cancel := `{"protocol":2,"kind":"cancel","agent":"a","run":"r"}`
	path := filepath.Join(t.TempDir(), "dataset.jsonl")
	if err := os.WriteFile(path, []byte(cancel), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := leader.PutFile(t.Context(), path, "dataset"); err != nil {
		t.Fatal(err)
	}
	chunks := "$O." + FilesBucket + ".C.>"
	for _, stray := range []struct {
		name                 string
		from                 *Bus
		subject, reply, text string
	}{
		{"an ask that nobody waits for", leader, askSubject("a"), "", cancel},
		{"an answer to who is there, led to an agent", rogue, whoSubject, askSubject("a"), ""},
		{"a receipt of the server", rogue, journalSubject("r", "a"), askSubject("a"), "piece"},
		{
			"what a consumer delivers", rogue, "$JS.API.CONSUMER.CREATE.OBJ_" + FilesBucket + ".x." + chunks, rogue.conn.NewInbox(),
			`{"stream_name":"OBJ_` + FilesBucket + `","config":{"name":"x","deliver_subject":"` + askSubject("a") + `","filter_subject":"` + chunks + `","ack_policy":"none"}}`,
		},
		{"an ask of another agent", leader, askSubject("a"), leader.conn.NewInbox(), `{"protocol":2,"kind":"cancel","agent":"b","run":"r"}`},
	} {
		before := agent.Strays()
		if err := stray.from.conn.PublishMsg(&nats.Msg{Subject: stray.subject, Reply: stray.reply, Data: []byte(stray.text)}); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(2 * time.Minute); agent.Strays() == before && len(handled) == 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // what is dropped tells nobody
		}
		if len(handled) > 0 {
			t.Errorf("%s: the agent was asked: %+v", stray.name, <-handled)
		} else if agent.Strays() == before {
			t.Errorf("%s: it was not dropped", stray.name)
		}
	}
	if t.Failed() {
		return
	}
	var first *StrayError
	if err := <-told; !errors.As(err, &first) || len(told) > 0 {
		t.Errorf("%v, and %d more", err, len(told))
	}
	if _, err := leader.Ask(t.Context(), "a", &message.Ask{Kind: message.Cancel, Run: "r"}); err != nil || len(handled) != 1 {
		t.Errorf("%d asks of a leader came, %v", len(handled), err)
	}
	if all, err := leader.Who(t.Context(), time.Minute, 1); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}
