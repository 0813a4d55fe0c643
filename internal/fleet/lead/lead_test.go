package lead

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// spec is a run against a server, by the agents at an address.
func spec(t *testing.T, server, nats, load string) *bench.Spec {
	t.Helper()
	text := fmt.Sprintf(`{"version":1,"server":{"urls":[%q],"skip_tokenizer_init":true},"dataset":{"input_len":10,"output_len":4},%s,
		"keep":{"run_dir":%q},"fleet":{"nats":%q,"wait":"3s","lease":"3s"}}`, server, load, filepath.Join(t.TempDir(), "run"), nats)
	s, err := bench.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// records are the measured requests of a journal, by their index.
func records(t *testing.T, from interface {
	Reopen() (*journal.Reader, error)
},
) (map[int]*journal.Request, *journal.Reader) {
	t.Helper()
	r, err := from.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	all := map[int]*journal.Request{}
	for {
		q, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r
		}
		if err != nil {
			t.Fatal(err)
		}
		if q.Warmup {
			continue
		}
		if all[q.Index] != nil {
			t.Errorf("request %d is there twice", q.Index)
		}
		own := *q
		all[q.Index] = &own
	}
}

// A fleet's run is the single run: each request once, at its time, and the same hash.
func TestFleetIsOneRun(t *testing.T) {
	nats := fleettest.Start(t)
	server := startSim(t, nil, 2*time.Millisecond)
	secrets := atomic.Int32{}
	for i := range 3 {
		startFake(t, nats.URL, fmt.Sprintf("agent-%d", i), func(f *fake) {
			f.see = func(kind message.Kind, secret string) {
				if kind == message.Offer && secret == "sk-secret-of-the-test" {
					secrets.Add(1)
				}
			}
			if i == 2 {
				f.hello = func(h *message.Hello) { h.Weight = 3 }
			}
		})
	}
	for name, load := range map[string]string{
		"open loop":   `"pace":{"rate":100},"load":{"num_prompts":120}`,
		"closed loop": `"load":{"num_prompts":90,"max_concurrency":7}`,
		"few slots":   `"load":{"num_prompts":60,"max_concurrency":2}`,
		"by time":     `"pace":{"rate":60},"load":{"duration":"1s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			single := spec(t, server, nats.URL, load)
			single.Fleet = bench.Fleet{}
			run, err := bench.Execute(t.Context(), nil, single, testHost(t, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			want, alone := records(t, run)
			var said bytes.Buffer
			done, err := Execute(t.Context(), nil, spec(t, server, nats.URL, load), testHost(t, &said))
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			defer done.Close()
			got, fleet := records(t, done)
			if len(got) != len(want) || len(want) < 40 {
				t.Errorf("%d requests, and a single run has %d\n%s", len(got), len(want), &said)
			}
			agents, moved := map[int]int{}, map[int]int64{}
			for i, q := range got {
				if q.Outcome != journal.Complete {
					t.Errorf("request %d is %s: %s", i, q.Outcome, q.Error)
				}
				w := want[i]
				if w == nil || q.PromptHash != w.PromptHash {
					t.Errorf("request %d is another one than in a single run", i)
					continue
				}
				if agents[q.Agent]++; agents[q.Agent] == 1 {
					moved[q.Agent] = q.Due - w.Due // by as much as the agent began late
				}
				if by := q.Due - w.Due; !strings.HasPrefix(load, `"load"`) && by != moved[q.Agent] {
					t.Errorf("request %d is due %d ns later than in a single run, and others of its agent %d ns", i, by, moved[q.Agent])
				}
			}
			if few := name == "few slots"; !few && len(agents) != 3 || few && len(agents) > 2 || agents[2] < agents[0] {
				t.Errorf("the agents sent %v", agents)
			}
			if sha := fleet.End().WorkloadSHA; sha == "" || sha != alone.End().WorkloadSHA {
				t.Errorf("the hash is %s, and a single run's %s", sha, alone.End().WorkloadSHA)
			}
			for _, name := range []string{journal.SpecName, fleetName} {
				if b, err := os.ReadFile(filepath.Join(done.Folder(), name)); err != nil || bytes.Contains(b, []byte("sk-secret")) {
					t.Errorf("%s: %v\n%s", name, err, b)
				}
			}
		})
	}
	if secrets.Load() != 12 {
		t.Errorf("%d of 12 offers had the key", secrets.Load())
	}
}

// What stands against a run is said before anything is sent.
func TestRefusedBeforeTheStart(t *testing.T) {
	nats := fleettest.Start(t)
	var truth bytes.Buffer
	server := startSim(t, &truth, time.Millisecond)
	const load = `"load":{"num_prompts":10,"max_concurrency":2}`
	try := func(t *testing.T, change func(*bench.Spec), want string) {
		t.Helper()
		s := spec(t, server, nats.URL, load)
		s.FleetWait = 500 * time.Millisecond
		if change != nil {
			change(s)
		}
		if done, err := Execute(t.Context(), nil, s, testHost(t, nil)); err == nil {
			done.Close()
			t.Errorf("it ran, and should say: %s", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("it says: %v", err)
		}
		if _, err := os.Stat(s.RunDir); err == nil {
			t.Errorf("%s was left behind", s.RunDir)
		}
	}
	t.Run("nobody", func(t *testing.T) { try(t, nil, "agents that are free: 0, and 1 are needed") })
	t.Run("others", func(t *testing.T) {
		startFake(t, nats.URL, "busy", func(f *fake) { f.hello = func(h *message.Hello) { h.Run = "run-1" } })
		startFake(t, nats.URL, "old", func(f *fake) { f.hello = func(h *message.Hello) { h.Version = "0.1.0" } })
		startFake(t, nats.URL, "there", nil)
		try(t, func(s *bench.Spec) { s.Agents = 2 }, "agents that are free: 1, and 2 are needed; busy with another run: 1 (busy); of another version than 1.0.0: 1 (old has 0.1.0)")
		try(t, func(s *bench.Spec) { s.AgentLabels = map[string]string{"region": "eu"} }, "without the labels asked for: 3 (busy, old, there)")
	})
	t.Run("refusal", func(t *testing.T) {
		startFake(t, nats.URL, "takes", nil)
		startFake(t, nats.URL, "says-no", func(f *fake) {
			f.refuse = func(a *message.Ask) string {
				if a.Kind == message.Offer {
					return "this host is not on my list"
				}
				return ""
			}
		})
		try(t, nil, "the agent says-no does not take part, and nothing was sent: this host is not on my list")
	})
	if bytes.Contains(truth.Bytes(), []byte("/v1/completions")) {
		t.Errorf("something was sent: %s", truth.Bytes())
	}
}

// Ctrl-C means what it always means.
func TestInterrupts(t *testing.T) {
	nats := fleettest.Start(t)
	server := startSim(t, nil, 10*time.Millisecond)
	t.Run("before the start", func(t *testing.T) {
		drain := make(chan struct{})
		close(drain)
		s := spec(t, server, nats.URL, `"load":{"num_prompts":10,"max_concurrency":2}`)
		if _, err := Execute(t.Context(), drain, s, testHost(t, nil)); !errors.Is(err, bench.ErrStopped) {
			t.Errorf("%v", err)
		}
	})
	for _, twice := range []bool{false, true} {
		t.Run(fmt.Sprint("during the load, twice ", twice), func(t *testing.T) {
			startFake(t, nats.URL, fmt.Sprint("one-", twice), nil)
			startFake(t, nats.URL, fmt.Sprint("two-", twice), nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			drain := make(chan struct{})
			host := testHost(t, nil)
			host.Progress = func(p bench.Progress) func() {
				go func() {
					for p.Snapshot().Completed < 20 && t.Context().Err() == nil {
						time.Sleep(10 * time.Millisecond) // statuses come when they come
					}
					close(drain)
					if twice {
						cancel()
					}
				}()
				return func() {}
			}
			s := spec(t, server, nats.URL, `"pace":{"rate":100},"load":{"num_prompts":3000}`)
			s.Agents = 2
			done, err := Execute(ctx, drain, s, host)
			if err != nil {
				t.Fatal(err)
			}
			defer done.Close()
			got, r := records(t, done)
			sent, unsent := 0, 0
			for _, q := range got {
				if q.Outcome == journal.Unsent {
					unsent++
				} else {
					sent++
				}
			}
			if len(got) != 3000 || sent < 20 || unsent == 0 || r.End().Interrupted == "" {
				t.Errorf("%d sent, %d unsent, interrupted %q", sent, unsent, r.End().Interrupted)
			}
		})
	}
}
