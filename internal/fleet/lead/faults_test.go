package lead

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/spec"
)

// tally counts outcomes.
func tally(all map[int]*journal.Request) map[journal.Outcome]int {
	n := map[journal.Outcome]int{}
	for _, q := range all {
		n[q.Outcome]++
	}
	return n
}

// An agent that dies does not stop the others, and nothing of it is lost silently.
func TestAgentDies(t *testing.T) {
	inVirtual(t, func(v *virtual) {
		v.fake("lives", nil)
		v.fake("dies", func(f *fake) {
			f.end = func(journal []byte) int { return len(journal) * 2 / 3 } // in the middle of its upload
		})
		var said bytes.Buffer
		began := time.Now()
		done, err := v.execute(nil, v.spec(`"pace":{"rate":200},"load":{"num_prompts":400}`), v.host(&said))
		if err != nil {
			v.Fatal(err)
		}
		defer done.Close()
		got, r := records(v.T, done)
		n := tally(got)
		if len(got) != 400 || n[journal.Complete] < 200 || n[journal.Lost] == 0 || n[journal.Complete]+n[journal.Lost]+n[journal.Unsent] != 400 {
			v.Errorf("%v\n%s", n, &said)
		}
		if r.End().WorkloadSHA != "" {
			v.Error("the result claims the hash of a whole run")
		}
		if !strings.Contains(said.String(), "the agent dies has said nothing") || !strings.Contains(said.String(), "(lost)") {
			v.Errorf("it said:\n%s", &said)
		}
		// It may send for as long as its lease after its last word, so that nobody knows before.
		if took := time.Since(began); took < time.Minute || took > 70*time.Second {
			v.Errorf("the run took %v", took)
		}
	})
}

// NATS is killed and started again in the middle of a run.
func TestRealNATSRestarts(t *testing.T) {
	t.Parallel()
	nats := fleettest.Start(t)
	server := startSim(t, nil, 2*time.Millisecond)
	startFake(t, nats.URL, "one", nil)
	startFake(t, nats.URL, "two", nil)
	host := testHost(t, nil)
	host.Observers = []observe.Observer{observe.During(func(p *observe.Run) func() {
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for p.Progress.Snapshot().Completed < 50 && t.Context().Err() == nil {
				time.Sleep(5 * time.Millisecond) // statuses come when they come
			}
			nats.Kill()
			nats.Restart()
		}()
		return func() { <-gone }
	})}
	s := asked(t, server, nats.URL, `"pace":{"rate":150},"load":{"num_prompts":450}`)
	done, err := Execute(t.Context(), nil, s, host)
	if err != nil {
		t.Fatal(err)
	}
	defer done.Close()
	got, r := records(t, done)
	if n := tally(got); n[journal.Complete] != 450 || r.End().WorkloadSHA == "" {
		t.Errorf("%v, %q", n, r.End().WorkloadSHA)
	}
}

// dieAt leads a run as far as how says, and is then gone without a word.
func (l *leader) dieAt(t *testing.T, s *spec.Spec, how stage) (run string) {
	t.Helper()
	l.kept = state{Run: newID("run-"), Version: version, Lease: s.LeaseTime(), Wait: s.Patience()}
	if err := l.prepare(t.Context(), nil, s); err != nil {
		t.Fatal(err)
	}
	if how == running {
		if err := l.measureClocks(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if err := l.start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if how == offering {
		if err := l.keep(t.Context(), offering); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	return l.kept.Run
}

// A leader dies; another one takes the run over, by its folder or by its id.
func TestTakeOver(t *testing.T) {
	for name, how := range map[string]stage{"while it runs": running, "before the start": ready} {
		for _, byFolder := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", by its folder ", byFolder), func(t *testing.T) {
				inVirtual(t, func(v *virtual) {
					for i := range 2 {
						v.fake(fmt.Sprint("agent-", i), nil)
					}
					s := v.spec(`"pace":{"rate":100},"load":{"num_prompts":150}`)
					run := v.leader(v.host(nil)).dieAt(v.T, s, how)
					var said bytes.Buffer
					var done *Done
					var err error
					began := time.Now()
					if byFolder {
						done, err = v.execute(nil, s, v.host(&said))
					} else {
						done, err = v.attach("", "", v.host(&said))
					}
					if err != nil {
						v.Fatalf("%v\n%s", err, &said)
					}
					defer done.Close()
					got, r := records(v.T, done)
					if n := tally(got); n[journal.Complete] != 150 || r.End().WorkloadSHA == "" || r.Run().Fleet.Run != run || done.Folder() != s.RunDir {
						v.Errorf("%v, hash %q, run %s in %s\n%s", n, r.End().WorkloadSHA, r.Run().Fleet.Run, done.Folder(), &said)
					}
					if took := time.Since(began); took < holdLost*holdEvery {
						v.Errorf("taken over and ended after %v: that the other is dead takes %v to see", took, holdLost*holdEvery)
					}
					if _, err := v.attach(run, "", v.host(nil)); err == nil || !strings.Contains(err.Error(), "knows nothing of the run") {
						v.Errorf("the run was taken over again: %v", err)
					}
				})
			})
		}
	}
}

// What had not been offered whole is given up, and the agents are free.
func TestTakeOverUnoffered(t *testing.T) {
	inVirtual(t, func(v *virtual) {
		f := v.fake("agent", nil)
		s := v.spec(`"load":{"num_prompts":20,"max_concurrency":2}`)
		v.leader(v.host(nil)).dieAt(v.T, s, offering)
		if _, err := v.execute(nil, s, v.host(nil)); err == nil || !strings.Contains(err.Error(), "had not begun") {
			v.Errorf("%v", err)
		}
		if run := f.tellOfItself().Run; run != "" {
			v.Errorf("the agent still has the run %s", run)
		}
	})
}

// Two leaders can't have one run.
func TestTwoLeaders(t *testing.T) {
	inVirtual(t, func(v *virtual) {
		v.fake("agent", nil)
		s := v.spec(`"pace":{"rate":50},"load":{"num_prompts":1500}`)
		host := v.host(nil)
		second := make(chan error, 1)
		other := v.T.TempDir()
		host.Observers = []observe.Observer{observe.During(func(*observe.Run) func() {
			go func() {
				_, err := v.attach("", other, v.host(nil))
				second <- err
			}()
			return func() {}
		})}
		done, err := v.execute(nil, s, host)
		if err != nil {
			v.Fatal(err)
		}
		defer done.Close()
		if err := <-second; err == nil || !strings.Contains(err.Error(), "has a leader that lives") {
			v.Errorf("the second leader: %v", err)
		}
		if got, _ := records(v.T, done); tally(got)[journal.Complete] != 1500 {
			v.Errorf("%v", tally(got))
		}
	})
}

// A leader that slept while another took its run over leaves that alone.
func TestRealLeaderIsReplaced(t *testing.T) {
	t.Parallel()
	nats := fleettest.Start(t)
	b, err := bus.Open(t.Context(), bus.Place{URL: nats.URL}, bus.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := takeHold(t.Context(), b, "run-1", "first")
	if err != nil {
		t.Fatal(err)
	}
	defer h.stop()
	for { // between two words of the first
		_, revision, err := b.Holder(t.Context(), "run-1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Hold(t.Context(), "run-1", "second", revision); err == nil {
			break
		}
	}
	if err := <-h.lost; !strings.Contains(err.Error(), "another leader has taken over") {
		t.Errorf("%v", err)
	}
}

// A piece is written once, wherever it begins.
func TestPieces(t *testing.T) {
	p, err := newPiled(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{files: map[string]*piled{"a": p}}
	for _, piece := range []struct {
		offset int64
		text   string
	}{{0, "abc"}, {0, "abc"}, {5, "gap"}, {2, "cde"}, {0, "abcdef"}, {6, "gh"}, {1, "bc"}} {
		c.add("a", piece.offset, []byte(piece.text))
	}
	c.add("nobody", 0, []byte("x"))
	c.stop()
	if b, err := os.ReadFile(p.path); err != nil || string(b) != "abcdefgh" {
		t.Errorf("%q, %v", b, err)
	}
}

func FuzzState(f *testing.F) {
	s := state{Run: "run-1", Agents: []member{{ID: "a", Weight: 1}}, Files: []message.File{{Name: "x"}}}
	b, err := s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := decodeState(b); err == nil {
			if _, err := s.encode(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
