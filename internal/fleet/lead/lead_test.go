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
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
)

// soon is what a test waits that waits for something that does not come: shorter than a minute, and long enough for a busy
// machine to do what it does in the meantime.
const soon = 15 * time.Second

// spec is a run against a server, by the agents at an address.
func asked(t *testing.T, server, nats, load string) *spec.Spec {
	t.Helper()
	text := fmt.Sprintf(`{"version":1,"server":{"urls":[%q],"skip_tokenizer_init":true},"dataset":{"input_len":10,"output_len":4},%s,
		"keep":{"run_dir":%q},"fleet":{"nats":%q,"wait":"1m","lease":"1m"}}`, server, load, filepath.Join(t.TempDir(), "run"), nats)
	s, err := spec.Decode(strings.NewReader(text))
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
	for name, load := range map[string]string{
		"open loop":   `"pace":{"rate":100},"load":{"num_prompts":120}`,
		"closed loop": `"load":{"num_prompts":90,"max_concurrency":7}`,
		"few slots":   `"load":{"num_prompts":60,"max_concurrency":2}`,
		"by time":     `"pace":{"rate":60},"load":{"duration":"1s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			inVirtual(t, func(v *virtual) {
				oneRun(v, name, load)
			})
		})
	}
}

func oneRun(v *virtual, name, load string) {
	v.Helper()
	secrets := atomic.Int32{}
	for i := range 3 {
		v.fake(fmt.Sprintf("agent-%d", i), func(f *fake) {
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
	single := v.spec(load)
	single.Fleet = spec.Fleet{}
	run, err := bench.Execute(v.Context(), nil, single, v.host(nil))
	if err != nil {
		v.Fatal(err)
	}
	defer run.Close()
	want, alone := records(v.T, run)
	var said bytes.Buffer
	done, err := v.execute(nil, v.spec(load), v.host(&said))
	if err != nil {
		v.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	got, fleet := records(v.T, done)
	if len(got) != len(want) || len(want) < 40 {
		v.Errorf("%d requests, and a single run has %d\n%s", len(got), len(want), &said)
	}
	agents, moved := map[int]int{}, map[int]int64{}
	for i, q := range got {
		if q.Outcome != journal.Complete {
			v.Errorf("request %d is %s: %s", i, q.Outcome, q.Error)
		}
		w := want[i]
		if w == nil || q.PromptHash != w.PromptHash {
			v.Errorf("request %d is another one than in a single run", i)
			continue
		}
		if agents[q.Agent]++; agents[q.Agent] == 1 {
			moved[q.Agent] = q.Due - w.Due // by as much as the agent began late
		}
		if by := q.Due - w.Due; !strings.HasPrefix(load, `"load"`) && by != moved[q.Agent] {
			v.Errorf("request %d is due %d ns later than in a single run, and others of its agent %d ns", i, by, moved[q.Agent])
		}
	}
	if few := name == "few slots"; !few && len(agents) != 3 || few && len(agents) > 2 || agents[2] < agents[0] {
		v.Errorf("the agents sent %v", agents)
	}
	if sha := fleet.End().WorkloadSHA; sha == "" || sha != alone.End().WorkloadSHA {
		v.Errorf("the hash is %s, and a single run's %s", sha, alone.End().WorkloadSHA)
	}
	for _, name := range []string{journal.SpecName, fleetName} {
		if b, err := os.ReadFile(filepath.Join(done.Folder(), name)); err != nil || bytes.Contains(b, []byte("sk-secret")) {
			v.Errorf("%s: %v\n%s", name, err, b)
		}
	}
	if secrets.Load() != 3 {
		v.Errorf("%d of 3 offers had the key", secrets.Load())
	}
}

// What stands against a run is said before anything is sent.
func TestRefusedBeforeTheStart(t *testing.T) {
	const load = `"load":{"num_prompts":10,"max_concurrency":2}`
	try := func(v *virtual, change func(*spec.Spec), want string) {
		v.Helper()
		s := v.spec(load)
		if change != nil {
			change(s)
		}
		if done, err := v.execute(nil, s, v.host(nil)); err == nil {
			done.Close()
			v.Errorf("it ran, and should say: %s", want)
		} else if !strings.Contains(err.Error(), want) {
			v.Errorf("it says: %v", err)
		}
		if _, err := os.Stat(s.RunDir); err == nil {
			v.Errorf("%s was left behind", s.RunDir)
		}
	}
	t.Run("nobody", func(t *testing.T) {
		inVirtual(t, func(v *virtual) {
			try(v, func(s *spec.Spec) { s.FleetWait = time.Millisecond }, "agents that are free: 0, and 1 are needed")
			quiet(v)
		})
	})
	t.Run("others", func(t *testing.T) {
		inVirtual(t, func(v *virtual) {
			v.fake("busy", func(f *fake) { f.hello = func(h *message.Hello) { h.Run = "run-1" } })
			v.fake("old", func(f *fake) { f.hello = func(h *message.Hello) { h.Version = "0.1.0" } })
			v.fake("there", nil)
			try(v, func(s *spec.Spec) { s.Agents = 2 }, "agents that are free: 1, and 2 are needed; busy with another run: 1 (busy); of another version than 1.0.0: 1 (old has 0.1.0)")
			try(v, func(s *spec.Spec) { s.AgentLabels = map[string]string{"region": "eu"} }, "without the labels asked for: 3 (busy, old, there)")
			quiet(v)
		})
	})
	t.Run("refusal", func(t *testing.T) {
		inVirtual(t, func(v *virtual) {
			v.fake("takes", nil)
			v.fake("says-no", func(f *fake) {
				f.refuse = func(a *message.Ask) string {
					if a.Kind == message.Offer {
						return "this host is not on my list"
					}
					return ""
				}
			})
			try(v, func(s *spec.Spec) { s.Agents = 2 }, "the agent says-no does not take part, and nothing was sent: this host is not on my list")
			quiet(v)
		})
	})
}

// quiet holds that nothing was sent.
func quiet(v *virtual) {
	v.Helper()
	v.end()
	if bytes.Contains(v.truth.Bytes(), []byte("/v1/completions")) {
		v.Errorf("something was sent: %s", v.truth.Bytes())
	}
}

// Ctrl-C means what it always means.
func TestInterrupts(t *testing.T) {
	t.Run("before the start", func(t *testing.T) {
		inVirtual(t, func(v *virtual) {
			drain := make(chan struct{})
			close(drain)
			if _, err := v.execute(drain, v.spec(`"load":{"num_prompts":10,"max_concurrency":2}`), v.host(nil)); !errors.Is(err, bench.ErrStopped) {
				v.Errorf("%v", err)
			}
		})
	})
	for _, twice := range []bool{false, true} {
		t.Run(fmt.Sprint("during the load, twice ", twice), func(t *testing.T) {
			inVirtual(t, func(v *virtual) {
				v.fake(fmt.Sprint("one-", twice), nil)
				v.fake(fmt.Sprint("two-", twice), nil)
				ctx, cancel := context.WithCancel(v.Context())
				defer cancel()
				drain := make(chan struct{})
				host := v.host(nil)
				host.Progress = func(p bench.Progress) func() {
					go func() {
						for p.Snapshot().Completed < 20 && v.Context().Err() == nil {
							time.Sleep(10 * time.Millisecond) // statuses come when they come
						}
						close(drain)
						if twice {
							cancel()
						}
					}()
					return func() {}
				}
				s := v.spec(`"pace":{"rate":100},"load":{"num_prompts":3000}`)
				s.Agents = 2
				done, err := v.leader(host).execute(ctx, drain, s)
				if err != nil {
					v.Fatal(err)
				}
				defer done.Close()
				got, r := records(v.T, done)
				sent, unsent := 0, 0
				for _, q := range got {
					if q.Outcome == journal.Unsent {
						unsent++
					} else {
						sent++
					}
				}
				if len(got) != 3000 || sent < 20 || unsent == 0 || r.End().Interrupted == "" {
					v.Errorf("%d sent, %d unsent, interrupted %q", sent, unsent, r.End().Interrupted)
				}
			})
		})
	}
}
