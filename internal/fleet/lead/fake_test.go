package lead

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
	simrandom "github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/spec"
)

const version = "1.0.0+abc"

// startSim is a simulated server in this process.
func startSim(t *testing.T, truth io.Writer, ttft time.Duration) string {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL = simrandom.Constant(ttft), simrandom.Constant(time.Millisecond)
	srv, err := sim.New(cfg, truth)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("sim: %v", err)
		}
		srv.Close()
	})
	return "http://" + l.Addr().String()
}

// fake is as much of an agent as a leader sees. It sends by bench.Execute.
type fake struct {
	t   *testing.T
	id  string
	bus agentsBus
	net *memnet.Network // its own; nil: the machine's
	key *seal.Key
	dir string

	hello  func(*message.Hello)                   // changes what it tells of itself
	refuse func(*message.Ask) string              // what it says no to, and why
	end    func(journal []byte) (upload int)      // how much of its journal it hands on before it dies; < 0: all, and it lives
	see    func(kind message.Kind, secret string) // may be nil

	mu      sync.Mutex
	status  message.Status
	whole   []byte // its journal, once it is whole
	begin   chan time.Time
	drain   chan struct{}
	drained sync.Once
	cancel  context.CancelFunc
	stop    func()
	all     sync.WaitGroup
}

// agentsBus is what an agent needs of the bus.
type agentsBus interface {
	Serve(agent string, hello func() message.Hello, handle func(a *message.Ask, received time.Time) *message.Answer) (stop func(), err error)
	Tell(s *message.Status) error
	AppendJournal(ctx context.Context, run, agent string, offset int64, piece []byte) error
	Close()
}

func startFake(t *testing.T, url, id string, change func(*fake)) *fake {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: id})
	if err != nil {
		t.Fatal(err)
	}
	return startFakeOn(t, b, nil, id, change)
}

func startFakeOn(t *testing.T, b agentsBus, network *memnet.Network, id string, change func(*fake)) *fake {
	t.Helper()
	f := &fake{t: t, id: id, bus: b, net: network, dir: t.TempDir()}
	var err error
	if f.key, err = seal.NewKey(); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(f)
	}
	if f.stop, err = b.Serve(id, f.tellOfItself, f.handle); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.leave()
		f.mu.Lock()
		if f.cancel != nil {
			f.cancel()
		}
		f.mu.Unlock()
		f.all.Wait()
		b.Close()
	})
	return f
}

// leave is the end of a process: nobody answers by its id any more.
func (f *fake) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

func (f *fake) tellOfItself() message.Hello {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := message.Hello{Protocol: message.Protocol, Version: version, Agent: f.id, Name: f.id, CPUs: 2, Key: f.key.Public(), Run: f.status.Run}
	if f.hello != nil {
		f.hello(&h)
	}
	return h
}

func (f *fake) handle(a *message.Ask, received time.Time) *message.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := &message.Answer{}
	if f.refuse != nil {
		if answer.Error = f.refuse(a); answer.Error != "" {
			return answer
		}
	}
	if a.Kind != message.Offer && a.Kind != message.Clock && f.status.Run != a.Run {
		answer.Error = "no such run"
		return answer
	}
	secret := ""
	switch a.Kind {
	case message.Offer:
		if secrets, err := f.key.Open(a.Run, f.id, a.Sealed); err == nil {
			secret = secrets["OPENAI_API_KEY"]
		}
		asked, err := spec.Decode(bytes.NewReader(a.Spec))
		if err != nil {
			answer.Error = err.Error()
			return answer
		}
		f.take(asked, a.Run)
		answer.Nonce = "once"
	case message.Start:
		if a.Nonce != "once" {
			answer.Error = "another nonce"
			break
		}
		select {
		case f.begin <- time.Unix(0, a.At):
		default:
			answer.Error = "started already"
		}
	case message.Drain:
		f.drained.Do(func() { close(f.drain) })
	case message.Cancel:
		f.drained.Do(func() { close(f.drain) })
		f.cancel()
	case message.Piece:
		answer.Piece = f.whole[min(a.From, int64(len(f.whole))):]
		answer.Piece = answer.Piece[:min(len(answer.Piece), 1000)]
	case message.Forget:
		f.status.Run = ""
	}
	if f.see != nil {
		f.see(a.Kind, secret)
	}
	if a.Kind != message.Clock && f.status.Run != "" {
		s := f.status
		answer.Status = &s
	}
	return answer
}

// take begins a run, as it was offered.
func (f *fake) take(asked *spec.Spec, run string) {
	f.status = message.Status{Run: run, Agent: f.id, Phase: message.Preparing}
	f.begin, f.drain, f.drained = make(chan time.Time, 1), make(chan struct{}), sync.Once{}
	var ctx context.Context
	ctx, f.cancel = context.WithCancel(context.Background())
	asked.RunDir = filepath.Join(f.dir, run)
	var progress bench.Progress
	host := testHost(f.t, nil)
	if f.net != nil {
		host.Dial = f.net.DialContext
	}
	host.Begin = func(ctx context.Context) error {
		f.tell(&progress, func(s *message.Status) { s.Phase = message.Ready })
		select {
		case at := <-f.begin:
			time.Sleep(time.Until(at))
		case <-f.drain:
			return bench.ErrStopped
		case <-ctx.Done():
			return ctx.Err()
		}
		f.tell(&progress, func(s *message.Status) { s.Phase = message.Running })
		return nil
	}
	host.Progress = func(p bench.Progress) func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		progress = p
		return func() {}
	}
	f.all.Go(func() { f.send(ctx, asked, host, &progress) })
}

func (f *fake) send(ctx context.Context, asked *spec.Spec, host *bench.Host, progress *bench.Progress) {
	quit, quiet := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(quiet)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				f.tell(progress, nil)
			}
		}
	}()
	r, err := bench.Execute(ctx, f.drain, asked, host)
	close(quit)
	<-quiet
	if err != nil {
		f.tell(progress, func(s *message.Status) { s.Phase, s.Error = message.Failed, err.Error() })
		return
	}
	r.Close()
	b, err := os.ReadFile(filepath.Join(r.Folder(), journal.FileName))
	if err != nil {
		f.t.Error(err)
	}
	upload := len(b)
	dies := false
	if f.end != nil {
		if n := f.end(b); n >= 0 {
			upload, dies = n, true
		}
	}
	const piece = 300 // many, and not where frames end
	for at := 0; at < upload; at += piece {
		if err := f.bus.AppendJournal(context.WithoutCancel(ctx), f.status.Run, f.id, int64(at), b[at:min(at+piece, upload)]); err != nil {
			f.t.Error(err)
		}
	}
	if dies {
		f.leave()
		return
	}
	f.tell(progress, func(s *message.Status) {
		s.Phase, s.Journal, s.SHA256 = message.Ended, int64(len(b)), sumOf(b)
		f.whole = b
	})
}

func (f *fake) tell(p *bench.Progress, change func(*message.Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &f.status
	s.Number++
	s.At = time.Now().UnixNano()
	if p.Progress != nil {
		now := p.Snapshot()
		s.Sent, s.Done, s.Failed, s.InFlight, s.Reserved = int(now.Sent), int(now.Completed), int(now.Failed), int(now.InFlight), int(now.Sent)+10
	}
	if change != nil {
		change(s)
	}
	if s.Run != "" {
		_ = f.bus.Tell(s)
	}
}

// testHost is this process, as a run knows it.
func testHost(t *testing.T, said *bytes.Buffer) *bench.Host {
	state := t.TempDir()
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if said != nil {
			fmt.Fprintf(said, format+"\n", args...)
		}
	}
	return &bench.Host{
		Environment: spec.Environment{
			Release: "1",
			Lookup: func(name string) (string, bool) {
				value, ok := map[string]string{"OPENAI_API_KEY": "sk-secret-of-the-test", "XDG_STATE_HOME": state}[name]
				return value, ok
			},
			Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
		},
		Version: version, Say: say, Warn: say,
	}
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
