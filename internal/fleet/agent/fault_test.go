package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
)

// running gets an agent to the point where it sends.
func running(t *testing.T, l *leader, p *process, ask *message.Ask) {
	t.Helper()
	nonce := l.offered(p, ask)
	l.awaitPhase(p.ID, message.Ready)
	l.start(p.ID, ask.Run, nonce)
	l.await("a request", func() bool {
		last := l.statuses[len(l.statuses)-1]
		return last.Agent == p.ID && last.Sent > 0
	})
}

// whole holds what the leader got against the agent's own file.
func whole(t *testing.T, l *leader, p *process, run string, ended *message.Status) {
	t.Helper()
	own, err := os.ReadFile(filepath.Join(p.runs(), run+"."+p.ID, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	l.await("the journal", func() bool { return len(l.journal[p.ID]) == len(own) })
	if !bytes.Equal(l.journal[p.ID], own) || ended.Journal != int64(len(own)) {
		t.Error("another journal arrived")
	}
	if indices, end := records(t, own); len(indices) != ended.Sent || end == nil {
		t.Errorf("%d records of %d sent, end %+v", len(indices), ended.Sent, end)
	}
}

// A drain, from the leader or by Ctrl-C, ends the run early and whole; a cancel before the
// start ends it at once.
func TestRealDrain(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	for name, stop := range map[string]func(*leader, *process){
		"leader": func(l *leader, p *process) { l.ask(p.ID, &message.Ask{Kind: message.Drain, Run: "leader"}) },
		"signal": func(_ *leader, p *process) { p.end() },
	} {
		t.Run(name, func(t *testing.T) {
			l := startLeader(t, server.URL, name)
			p := startAgent(t, server.URL, t.TempDir(), nil)
			running(t, l, p, offer(name, asked(url, 100_000, 200)))
			stop(l, p)
			ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
			if ended.Phase != message.Ended || ended.Sent == 0 || ended.Sent == 100_000 || ended.Reserved != ended.Sent || !p.said.has("sends no more") {
				t.Errorf("%+v", ended)
			}
			whole(t, l, p, name, ended)
		})
	}
	t.Run("before the start", func(t *testing.T) {
		l := startLeader(t, server.URL, "early")
		p := startAgent(t, server.URL, t.TempDir(), nil)
		nonce := l.offered(p, offer("early", asked(url, 10, 0)))
		l.awaitPhase(p.ID, message.Ready)
		l.ask(p.ID, &message.Ask{Kind: message.Cancel, Run: "early"})
		failed := l.awaitPhase(p.ID, message.Failed)
		if !strings.Contains(failed.Error, prepare.ErrStopped.Error()) || failed.Sent != 0 || failed.Journal != 0 {
			t.Errorf("%+v", failed)
		}
		if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "early", Nonce: nonce, At: time.Now().UnixNano()}); a.Error == "" {
			t.Error("it was started after that")
		}
		// It is free for another run.
		l2 := startLeader(t, server.URL, "next")
		l2.offered(p, offer("next", asked(url, 1, 0)))
	})
}

// nats-server is killed in the middle of a run and comes back: the load does not notice,
// and the journal arrives whole.
func TestRealServerAway(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	running(t, l, p, offer("r", asked(url, 100_000, 300)))
	server.Kill()
	for p.Bus.Connected() {
		time.Sleep(10 * time.Millisecond) // the connection tells nobody else
	}
	before := p.job.last().Sent
	for p.job.last().Sent < before+200 {
		time.Sleep(10 * time.Millisecond) // it goes on without anybody
	}
	server.Restart()
	for !l.Connected() || !p.Bus.Connected() {
		time.Sleep(10 * time.Millisecond)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Drain, Run: "r"}); a.Error != "" {
		t.Fatal(a.Error)
	}
	ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
	if ended.Phase != message.Ended || ended.Sent < before+200 || ended.Done != ended.Sent {
		t.Errorf("%+v", ended)
	}
	whole(t, l, p, "r", ended)
}

// Without contact for longer than the lease nothing more is sent.
func TestRealLease(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	ask := offer("r", asked(url, 100_000, 100))
	ask.Lease = int64(10 * time.Second)
	running(t, l, p, ask)
	server.Kill()
	for !p.said.has("no contact to NATS for longer than the lease of 10s") {
		time.Sleep(10 * time.Millisecond) // there is nobody to tell it
	}
	server.Restart()
	ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
	if ended.Phase != message.Ended || ended.Sent == 100_000 {
		t.Errorf("%+v", ended)
	}
	whole(t, l, p, "r", ended)
}

// leftBehind is the folder of a process that was killed while it sent.
func leftBehind(t *testing.T, state string, content []byte) *folder {
	t.Helper()
	root := filepath.Join(state, "inferometer", "fleet", "runs")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := newFolder(root, "r", "old-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.journal(), content, 0o600); err != nil {
		t.Fatal(err)
	}
	f.note(&message.Status{Run: "r", Agent: "old-1", Number: 7, Phase: message.Running, Sent: 5, Reserved: 64})
	return f
}

// What a process left behind when it was killed is handed on by the next one with the same
// folder, under the old id.
func TestRealLeftover(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	l := startLeader(t, server.URL, "r")
	state := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), bus.MostPiece/8) // two pieces
	f := leftBehind(t, state, content)
	// Some is stored, and a piece was on its way: whether it arrived nobody knows.
	for range 2 {
		if err := l.AppendJournal(t.Context(), "r", "old-1", 0, content[:1000]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.AppendJournal(t.Context(), "r", "old-1", 1000, content[1000:1500]); err != nil {
		t.Fatal(err)
	}
	overwrite(f.upload, uploaded{Stored: 1000, Piece: 500})
	// A process that lives keeps it.
	p := startAgent(t, server.URL, state, nil)
	l.offeredNothing(p)
	p.end()
	if s, err := l.LastStatus(t.Context(), "r", "old-1"); err != nil || s != nil {
		t.Errorf("%+v, %v", s, err)
	}
	f.Close()
	p = startAgent(t, server.URL, state, nil)
	failed := l.awaitPhase("old-1", message.Failed)
	l.await("the journal", func() bool { return len(l.journal["old-1"]) == len(content) })
	if failed.Error != died || failed.Number != 8 || failed.Sent != 5 || failed.Reserved != 64 || failed.Journal != int64(len(content)) || failed.SHA256 == "" ||
		!bytes.Equal(l.journal["old-1"], content) {
		t.Errorf("%+v", failed)
	}
	for !p.said.has("handed on") {
		time.Sleep(time.Millisecond) // it says so after it has told it
	}
	p.end()
	// It is handed on once.
	told := len(l.statuses)
	p = startAgent(t, server.URL, state, nil)
	l.offeredNothing(p)
	p.end()
	if len(l.statuses) != told {
		t.Error("it was handed on again")
	}
}

// offeredNothing waits until the agent listens.
func (l *leader) offeredNothing(p *process) {
	l.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if _, err := l.Ask(l.t.Context(), p.ID, &message.Ask{Kind: message.Clock}); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond) // it subscribes in a goroutine of its own
	}
	l.t.Fatal("the agent never listened")
}
