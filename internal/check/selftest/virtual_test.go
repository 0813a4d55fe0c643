package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
)

// The whole way of a claim in virtual time: the journal of a load and the truth of a simulator that decodes in
// steps are the same to the nanosecond, and the least that can be claimed is.
func TestClaimInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rounds := 0
		round := func(_ context.Context, l Load) (*Errors, error) {
			rounds++
			e, err := virtualRound(t, l)
			if err != nil {
				return nil, err
			}
			for name, s := range map[string]Spread{"events": e.At, "our code": e.User, "TTFT": e.TTFT, "gaps": e.Gap} {
				if s.N == 0 || s.Min != 0 || s.Max != 0 {
					t.Errorf("%s are off by %v to %v, of %d", name, s.Min, s.Max, s.N)
				}
			}
			if e.Requests != l.Requests() || e.Events != l.Requests()*(l.Tokens+1) || e.Failed != 0 || e.PeakStreams < l.Streams {
				t.Errorf("got %+v", e)
			}
			return e, nil
		}
		var r Result
		if err := (&Test{Options: Options{Quick: true, MaxStreams: 10}, Progress: new(told), Round: round}).Run(t.Context(), nil, &r); err != nil {
			t.Fatal(err)
		}
		if want := (journal.ProvenPoint{Streams: 10, TokensPerS: 1000, TTFTMS: timeSlice, ITLMS: smallest}); rounds != 2 || r.Claim == nil || *r.Claim != want {
			t.Errorf("after %d rounds %+v is claimed, want %+v: %+v", rounds, r.Claim, want, r.Steps)
		}
	})
}

// virtualRound is a round by the client's and the simulator's own code, in this process and a network within it.
func virtualRound(t *testing.T, l Load) (*Errors, error) {
	const address = "10.0.0.1:80"
	dir := t.TempDir()
	truth, err := os.Create(filepath.Join(dir, "truth.jsonl"))
	if err != nil {
		return nil, err
	}
	defer truth.Close()
	server, err := sim.New(stepping(l), truth)
	if err != nil {
		return nil, err
	}
	var network memnet.Network
	listener, err := network.Listen(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()

	path := filepath.Join(dir, journal.FileName)
	sendErr := send(t.Context(), l, &network, address, path)
	cancel()
	if err := errors.Join(sendErr, <-served); err != nil {
		return nil, err
	}
	return Join(path, truth.Name())
}

// stepping is the simulator that simulatorFlags make.
func stepping(l Load) sim.Config {
	room := 1000 * (l.Streams + 1000)
	c := sim.DefaultConfig()
	c.GoTimers, c.Engine = true, sim.EngineBatch
	b := &c.Batch
	b.Base, b.PerPrefillToken, b.PerSequence, b.PerCachedToken = l.ITL, 0, 0, 0
	b.MaxNumSeqs, b.MaxNumBatchedTokens, b.NumBlocks, b.PrefixCache = room, room, room, false
	return c
}

// send sends a load and writes its journal.
func send(ctx context.Context, l Load, network *memnet.Network, address, path string) error {
	even, err := pace.New(pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: l.RequestsPerS()}})
	if err != nil {
		return err
	}
	proto, err := protocol.FindBackend("vllm")
	if err != nil {
		return err
	}
	w, err := journal.Create(path)
	if err != nil {
		return err
	}
	clock := wire.NewClock()
	tr := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: l.Requests(), Dial: network.DialContext})
	defer tr.Close()
	done, err := load.Run(ctx, nil, load.Config{
		Clock:       clock,
		Workload:    load.Workload{Source: &prompts{n: l.Requests(), tokens: l.Tokens}, Call: protocol.Call{Model: "sim", IgnoreEOS: true}},
		Schedule:    load.Schedule{Pace: even, GoTimers: true},
		Destination: load.Destination{Transport: tr, Protocol: proto, URL: "http://" + address + proto.Path()},
		Records:     load.Records{Journal: w},
		Observers: load.Observers{Started: func() error {
			return w.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: clock.Zero().UnixNano(), Clock: "user"})
		}},
	})
	if err != nil {
		return err
	}
	return errors.Join(w.End(&journal.End{At: clock.Now(), Sent: l.Requests(), PeakInFlight: done.PeakInFlight}), w.Close())
}

// prompts are short ones, each of its own.
type prompts struct{ n, next, tokens int }

func (p *prompts) Next() (*workload.Request, error) {
	if p.next == p.n {
		return nil, io.EOF
	}
	p.next++
	return &workload.Request{Index: p.next - 1, Prompt: fmt.Sprintf("tell me about the number %d", p.next), OutputTokens: p.tokens}, nil
}
