package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/record"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/simtest"
)

// recorded does jobs through a recorder in front of a simulator, one after the other, and gives the recording.
func recorded(t *testing.T, sessions bool, jobs int) (string, [][]Call) {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL = random.Constant(20*time.Millisecond), random.Constant(time.Millisecond)
	server := simtest.Start(t, nil, cfg)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "traffic.jsonl")
	r, err := record.New(record.Options{Target: target, Block: 16, Files: record.Files{Out: out}, Say: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Serve(context.Background(), drain, l) }()
	client := &http.Client{Transport: &http.Transport{}}
	var all [][]Call
	for i := range jobs {
		a := Assistant{Base: "http://" + l.Addr().String(), Model: "sim", Client: client, Tool: 30 * time.Millisecond, Tokens: 12}
		if sessions {
			a.Session = fmt.Sprint("job ", i)
		}
		calls, err := a.Do(t.Context(), fmt.Sprint("Find what is wrong in part ", i, "."))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, calls)
	}
	client.CloseIdleConnections()
	close(drain)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return out, all
}

// TestRealRecording: with a header each job is one tree, whose branches, edges and times are those of the loop.
func TestRealRecording(t *testing.T) {
	out, jobs := recorded(t, true, 3)
	Check(t, out, jobs)
}

// TestRealRecordingByPrefix: without a header the root and what forks off it are one session; a sub-agent that begins with a
// prompt of its own is a session of its own.
func TestRealRecordingByPrefix(t *testing.T) {
	out, jobs := recorded(t, false, 3)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for line := range bytes.Lines(data) {
		var r trace.Recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.SessionBy != trace.ByPrefix {
			t.Errorf("%s", line)
		}
		sizes[r.Session]++
	}
	count := map[int]int{}
	for _, n := range sizes {
		count[n]++
	}
	if want := len(jobs); count[6] != want || count[2] != 2*want || len(sizes) != 3*want {
		t.Errorf("sessions by their requests: %v", count)
	}
}
