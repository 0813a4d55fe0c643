package load

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/simtest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// virtual runs a test in virtual time: no wait takes any, and each ends at its very nanosecond.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, f)
}

// server is a simulator in this process with its truth, or another server that only has a URL.
type server struct {
	url     string
	sim     *simtest.Server
	network *memnet.Network // on which it is; nil: the kernel's
	noLoop  bool            // on the kernel's network: measure it by net/http, not by the event loop

	conversations []journal.Conversation // of the journal that was read
}

// startSim starts a simulator for a test in virtual time.
func startSim(t *testing.T, change func(*sim.Config)) *server {
	t.Helper()
	return startSimOn(t, &memnet.Network{}, change)
}

func startSimOn(t *testing.T, network *memnet.Network, change func(*sim.Config)) *server {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL = random.Constant(2*time.Millisecond), random.Constant(time.Millisecond)
	cfg.TruthText = true
	change(&cfg)
	s := simtest.Start(t, network, cfg)
	return &server{url: s.URL, sim: s, network: network}
}

// startReal starts a simulator on the loopback interface.
func startReal(t *testing.T, change func(*sim.Config)) *server {
	t.Helper()
	return startSimOn(t, nil, change)
}

// truth is the simulator's log, by request id. It ends the simulator.
func (s *server) truth() map[string]sim.Record { return s.sim.Truth() }

// prompts is a workload of n different prompts.
type prompts struct{ n, next, tokens int }

func (p *prompts) Next() (*workload.Request, error) {
	if p.next == p.n {
		return nil, io.EOF
	}
	p.next++
	return p.request(p.next - 1), nil
}

func (p *prompts) request(i int) *workload.Request {
	return &workload.Request{Index: i, Prompt: fmt.Sprintf("tell me about the number %d", i), OutputTokens: p.tokens}
}

func closed() pace.Spec { return pace.Spec{Name: pace.Closed} }

// unstreamed behind a backend's name asks for answers in one piece.
const unstreamed = ", unstreamed"

// backendOf finds a backend by its name, or reads that of customFiles.
func backendOf(t *testing.T, name string) *protocol.Backend {
	t.Helper()
	name, whole := strings.CutSuffix(name, unstreamed)
	var b *protocol.Backend
	var err error
	if file, custom := customFiles[name]; custom {
		b, err = protocol.ReadCustom([]byte(file))
	} else {
		b, err = protocol.FindBackend(name)
	}
	if err == nil && whole {
		b, err = b.Unstreamed()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// setup returns a config against the server, and a function that reads the journal.
func setup(t *testing.T, s *server, backend string, spec pace.Spec, source workload.Source) (Config, func() ([]journal.Request, *journal.Run)) {
	t.Helper()
	proto, whole := backendOf(t, backend), strings.HasSuffix(backend, unstreamed)
	p, err := pace.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), journal.FileName)
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	clock := wire.NewClock()
	tr := transport(t, clock, s)
	t.Cleanup(tr.Close)
	cfg := Config{
		Clock:       clock,
		Workload:    Workload{Source: source, Call: protocol.Call{Model: "sim", IgnoreEOS: !proto.Lacks.IgnoreEOS, NoStream: whole}, IDPrefix: "t-"},
		Schedule:    Schedule{Pace: p, Concurrency: 64, GoTimers: s.network != nil},
		Destination: Destination{Transport: tr, Protocol: proto, URL: s.url + protocol.FillPath(proto.Path(), "sim")},
		Records:     Records{Journal: w, KeepTexts: true},
	}
	cfg.Started = func() error { return w.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: clock.Zero().UnixNano()}) }
	return cfg, func() (records []journal.Request, run *journal.Run) {
		t.Helper()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.OnConversation(func(c *journal.Conversation) { s.conversations = append(s.conversations, *c) })
		for {
			q, err := r.Next()
			if errors.Is(err, io.EOF) {
				return records, r.Run()
			}
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, q.Clone())
		}
	}
}

// transport is the event loop where it can be, as in bench serve: in virtual time it can't.
func transport(t *testing.T, clock *wire.Clock, s *server) wire.Transport {
	t.Helper()
	switch {
	case s.network != nil:
		return wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: 1000, Dial: s.network.DialContext})
	case runtime.GOOS != "linux", strings.HasPrefix(s.url, "https"), s.noLoop:
		return wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: 1000, Insecure: true, KernelStamps: true})
	}
	tr, err := wire.NewLoop(wire.LoopConfig{Clock: clock, Connections: 1000, KernelStamps: true, Loops: 2})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// byIndex sorts the requests of a journal as the workload has them.
func byIndex(records []journal.Request) []journal.Request {
	slices.SortFunc(records, func(a, b journal.Request) int { return a.Index - b.Index })
	return records
}
