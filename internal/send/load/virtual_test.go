package load

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/sim"
)

// An hour's load in virtual time: each request leaves at its very nanosecond, and its times are the simulator's.
func TestAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const address, n = "10.0.0.1:80", 3600
		var network memnet.Network
		cfg := sim.DefaultConfig() // 50 ms to the first token, 10 ms between tokens
		cfg.GoTimers = true
		srv, err := sim.New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := network.Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- srv.Serve(ctx, l) }()

		p, err := pace.New(pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 1}})
		if err != nil {
			t.Fatal(err)
		}
		proto, err := protocol.FindBackend("vllm")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), journal.FileName)
		w, err := journal.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		clock := wire.NewClock()
		tr := wire.NewNetHTTP(wire.NetHTTPConfig{Clock: clock, Connections: 10, Dial: network.DialContext})
		began := time.Now()
		_, err = Run(t.Context(), nil, Config{
			Clock: clock, Source: &prompts{n: n, tokens: 5}, Pace: p, GoTimers: true, Transport: tr, Protocol: proto,
			Call: protocol.Call{Model: "sim", IgnoreEOS: true}, URL: "http://" + address + proto.Path(), Journal: w,
			Started: func() error { return w.Run(&journal.Run{Schema: journal.Schema}) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(began), (n-1)*time.Second+90*time.Millisecond; took != want && took != want+time.Second {
			t.Errorf("took %v, want %v", took, want)
		}
		tr.Close()
		cancel()
		if err := errors.Join(<-done, w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		seen := 0
		for ; ; seen++ {
			q, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if q.Outcome != journal.Complete || q.Sent != q.Due {
				t.Fatalf("%s: %s, due at %v, sent at %v", q.ID, q.Outcome, time.Duration(q.Due), time.Duration(q.Sent))
			}
			const first, next = int64(50 * time.Millisecond), int64(10 * time.Millisecond)
			if want := []int64{first, next, next, next, next, 0}; !slices.Equal(q.Events.At, want) { // the last one is the usage
				t.Fatalf("%s: events after %v, want %v", q.ID, q.Events.At, want)
			}
		}
		if seen != n {
			t.Errorf("%d requests, want %d", seen, n)
		}
	})
}
