package agent

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// fetched is a journal that an agent gives piece by piece.
func (l *leader) fetched(agent, run string) []byte {
	l.t.Helper()
	var all []byte
	for {
		a := l.ask(agent, &message.Ask{Kind: message.Piece, Run: run, From: int64(len(all))})
		if a.Error != "" {
			l.t.Fatal(a.Error)
		}
		if len(a.Piece) == 0 {
			return all
		}
		all = append(all, a.Piece...)
	}
}

// A journal is kept, told of and given, also while the next run is there, until a leader says
// that it holds the same one.
func TestRealKeptUntilHeld(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	running(t, l, p, offer("r", asked(url, 50, 0)))
	ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
	path := filepath.Join(p.runs(), "r."+p.ID)
	own, err := os.ReadFile(filepath.Join(path, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	forget := func(sum, want string) {
		t.Helper()
		a := l.ask(p.ID, &message.Ask{Kind: message.Forget, Run: "r", SHA256: sum})
		if !strings.Contains(a.Error, want) || (a.Error == "") != (want == "") {
			t.Errorf("it says %q", a.Error)
		}
	}
	forget("", "does not hold")
	forget(strings.Repeat("0", 64), "does not hold")
	next := startLeader(t, server.URL, "next")
	next.offered(p, offer("next", asked(url, 1, 0)))
	forget("", "does not hold")
	if got := l.fetched(p.ID, "r"); !bytes.Equal(got, own) {
		t.Errorf("%d bytes, and it has %d", len(got), len(own))
	}
	if s := l.ask(p.ID, &message.Ask{Kind: message.State, Run: "r"}).Status; s == nil || s.Phase != message.Ended || s.SHA256 != ended.SHA256 || s.Done != 50 {
		t.Errorf("%+v", s)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "r", Nonce: "x"}); a.Error == "" {
		t.Error("a run that is over was started")
	}
	forget(ended.SHA256, "")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Piece, Run: "r"}); !strings.Contains(a.Error, "keeps nothing") {
		t.Errorf("%+v", a)
	}
}

// The next process answers for one that is no more.
func TestRealStandsIn(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	l := startLeader(t, server.URL, "r")
	state := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), message.MostPiece/10) // two pieces
	f := leftBehind(t, state, content)
	f.delivered(true) // NATS had it, and has lost it since
	f.Close()
	startAgent(t, server.URL, state, nil)
	var s *message.Status
	for deadline := time.Now().Add(2 * time.Minute); s == nil && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) { // it subscribes in a goroutine of its own
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if a, err := l.Ask(ctx, "old-1", &message.Ask{Kind: message.State, Run: "r"}); err == nil {
			s = a.Status
		}
		cancel()
	}
	if s == nil || s.Phase != message.Failed || s.Error != died || s.Journal != int64(len(content)) || s.Reserved != 64 {
		t.Fatalf("%+v", s)
	}
	if got := l.fetched("old-1", "r"); !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d", len(got), len(content))
	}
	if a := l.ask("old-1", offer("r2", asked("http://127.0.0.1:1", 1, 0))); a.Error == "" {
		t.Error("one that is no more took a run on")
	}
	if a := l.ask("old-1", &message.Ask{Kind: message.Forget, Run: "r", SHA256: s.SHA256}); a.Error != "" {
		t.Error(a.Error)
	}
	if _, err := os.Stat(f.path); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// The journal says why an agent sends no more, unless its leader asked for it.
func TestRealWhyInTheJournal(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	for run, stop := range map[string]struct {
		do   func(*leader, *process)
		want string
	}{
		"asked":   {func(l *leader, p *process) { l.ask(p.ID, &message.Ask{Kind: message.Drain, Run: "asked"}) }, journal.Signal},
		"stopped": {func(_ *leader, p *process) { p.end() }, "the agent was stopped"},
	} {
		t.Run(run, func(t *testing.T) {
			l := startLeader(t, server.URL, run)
			p := startAgent(t, server.URL, t.TempDir(), nil)
			running(t, l, p, offer(run, asked(url, 100_000, 200)))
			stop.do(l, p)
			ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
			own, err := os.ReadFile(filepath.Join(p.runs(), run+"."+p.ID, journal.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if _, end := records(t, own); end == nil || end.Interrupted != stop.want {
				t.Errorf("%+v", end)
			}
			if own := stop.want != journal.Signal; ended.Phase != message.Ended || (ended.Error == stop.want) != own {
				t.Errorf("%+v", ended)
			}
		})
	}
}
