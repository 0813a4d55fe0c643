package cli

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

// virtual is a closed loop against a simulator, both within the process and in virtual time.
type virtual struct {
	server                        sim.Config
	requests, tokens, concurrency int
}

// virtualRun writes the journal of a virtual load into a folder, which is a run's then, and returns the path of the truth.
func virtualRun(t *testing.T, folder string, v virtual) (truth string) {
	t.Helper()
	truth = filepath.Join(t.TempDir(), "truth.jsonl")
	synctest.Test(t, func(t *testing.T) {
		log, err := os.Create(truth)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		v.server.GoTimers = true
		server, serverErr := sim.New(v.server, log)
		var network memnet.Network
		l, err := network.Listen("10.0.0.1:80")
		if err := errors.Join(serverErr, err); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- server.Serve(ctx, l) }()
		err = v.send(ctx, &network, filepath.Join(folder, journal.FileName))
		cancel()
		if err := errors.Join(err, <-served); err != nil {
			t.Fatal(err)
		}
	})
	return truth
}

func (v *virtual) send(ctx context.Context, network *memnet.Network, path string) error {
	closed, paceErr := pace.New(pace.Spec{Name: pace.Closed})
	proto, protoErr := protocol.FindBackend("vllm")
	w, err := journal.Create(path)
	if err := errors.Join(paceErr, protoErr, err); err != nil {
		return err
	}
	clock := wire.NewClock()
	tr := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: v.concurrency, Dial: network.DialContext})
	defer tr.Close()
	head := journal.Run{Schema: journal.Schema, Clock: "user"}
	head.Options.Backend, head.Options.NumPrompts, head.Options.MaxConcurrency = "vllm", v.requests, v.concurrency
	result, err := load.Run(ctx, nil, load.Config{
		Clock:       clock,
		Workload:    load.Workload{Source: &numbered{n: v.requests, tokens: v.tokens}, Call: protocol.Call{Model: "sim", IgnoreEOS: true}},
		Schedule:    load.Schedule{Pace: closed, Concurrency: v.concurrency, GoTimers: true},
		Destination: load.Destination{Transport: tr, Protocol: proto, URL: "http://10.0.0.1:80" + proto.Path()},
		Records:     load.Records{Journal: w},
		Observers: load.Observers{Started: func() error {
			head.StartUnixNs = clock.Zero().UnixNano()
			return w.Run(&head)
		}},
	})
	if err != nil {
		return err
	}
	return errors.Join(w.End(&journal.End{At: result.End, Sent: result.Sent, PeakInFlight: result.PeakInFlight}), w.Close())
}

// numbered are prompts that differ.
type numbered struct{ n, next, tokens int }

func (p *numbered) Next() (*workload.Request, error) {
	if p.next == p.n {
		return nil, io.EOF
	}
	p.next++
	return &workload.Request{Index: p.next - 1, Prompt: fmt.Sprintf("tell me about the number %d", p.next), OutputTokens: p.tokens}, nil
}
