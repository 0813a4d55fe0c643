package lead

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/journal"
)

// small makes a disk of a few kilobytes at a folder.
func small(t *testing.T, folder, size string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk can't be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
}

// grow gives it room.
func grow(t *testing.T, folder, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
		t.Fatal(err)
	}
}

// patience bounds waits for a condition: so long only on a machine that has hung.
const patience = 2 * time.Minute

// during calls do once in the middle of a run, beside it.
func during(t *testing.T, host *bench.Host, completed int64, do func(p bench.Progress)) {
	host.Progress = func(p bench.Progress) func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for p.Snapshot().Completed < completed && t.Context().Err() == nil {
				time.Sleep(5 * time.Millisecond) // statuses come when they come
			}
			do(p)
		}()
		return func() { <-done }
	}
}

// isWhole holds that a run has each record, and that nothing of it is left elsewhere.
func isWhole(t *testing.T, done *Done, requests int, url string, agents ...*real) {
	t.Helper()
	got, r := records(t, done)
	if n := tally(got); n[journal.Complete] != requests || len(got) != requests || r.End().WorkloadSHA == "" || r.End().Interrupted != "" {
		t.Errorf("%v, hash %q, interrupted %q", n, r.End().WorkloadSHA, r.End().Interrupted)
	}
	for _, a := range agents {
		if n := a.keeps(t); n != 0 {
			t.Errorf("%s keeps %d runs that the leader holds", a.Name, n)
		}
	}
	if runs := knownRuns(t, url); len(runs) != 0 {
		t.Errorf("NATS keeps %v", runs)
	}
}

const steady = `"pace":{"rate":150},"load":{"num_prompts":450}`

// The leader's disk is full for a while: what came meanwhile is got again.
func TestRealDiskIsFullForAWhile(t *testing.T) {
	t.Parallel()
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	s := asked(t, server, nats.URL, steady)
	disk := filepath.Join(s.RunDir, agentsName)
	small(t, disk, "8k") // two journals' first pages
	var said bytes.Buffer
	host := testHost(t, &said)
	during(t, host, 400, func(bench.Progress) { grow(t, disk, "4m") })
	done, err := Execute(t.Context(), nil, s, host)
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	isWhole(t, done, 450, nats.URL, one, two)
	for _, want := range []string{"no space left on device", "can be written again"} {
		if strings.Count(said.String(), want) != 1 {
			t.Errorf("it does not say %q once:\n%s", want, &said)
		}
	}
}

// It stays full: nothing is destroyed, what is missing is named, and attach makes the run whole.
func TestRealDiskStaysFull(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"the agents' journals": agentsName, "all of the run": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
			one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
			s := asked(t, server, nats.URL, steady)
			s.FleetWait = soon
			disk := filepath.Join(s.RunDir, at)
			small(t, disk, "16k")
			var said bytes.Buffer
			done, err := Execute(t.Context(), nil, s, testHost(t, &said))
			if err == nil {
				defer done.Close()
				got, r := records(t, done)
				if n := tally(got); n[journal.Complete] == 450 || len(got) != 450 || r.End().Interrupted == "" {
					t.Errorf("%v, interrupted %q", n, r.End().Interrupted)
				}
			}
			runs := knownRuns(t, nats.URL)
			if one.keeps(t) != 1 || two.keeps(t) != 1 || len(runs) != 1 {
				t.Fatalf("the agents keep %d and %d runs, and NATS %v: %v\n%s", one.keeps(t), two.keeps(t), runs, err, &said)
			}
			say(&said, "%v", err)
			for _, want := range []string{"no space left on device", fmt.Sprintf("inferometer fleet attach %s --fleet %s --run-dir %s", runs[0], nats.URL, s.RunDir)} {
				if !strings.Contains(said.String(), want) {
					t.Errorf("it does not say %q:\n%s", want, &said)
				}
			}
			if at != "" && !strings.Contains(said.String(), "records are still with it: ") {
				t.Errorf("it does not say what is where:\n%s", &said)
			}
			grow(t, disk, "4m")
			said.Reset()
			again, err := Attach(t.Context(), nil, bus.Place{URL: nats.URL}, "", s.RunDir, testHost(t, &said))
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			defer again.Close()
			isWhole(t, again, 450, nats.URL, one, two)
			if entries, _ := filepath.Glob(filepath.Join(s.RunDir, "*.before")); len(entries) > 0 {
				t.Errorf("%v were left", entries)
			}
		})
	}
}

// JetStream has no room, by its configuration or on its disk: agents keep what it does not
// take, and the leader fetches it from them.
func TestRealJetStreamIsFull(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]string{"by its configuration": "24KB", "on its disk": "1GB"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, port := t.TempDir(), fleettest.FreePort(t)
			store := filepath.Join(folder, "store")
			if name == "on its disk" {
				small(t, store, "2m")
			}
			config := fmt.Sprintf("listen: \"127.0.0.1:%d\"\njetstream { store_dir: %q, max_file_store: %s }\n", port, store, limit)
			if err := os.WriteFile(filepath.Join(folder, "nats.conf"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			nats := fleettest.StartConfig(t, folder, "nats.conf", fmt.Sprint("127.0.0.1:", port))
			server := startSim(t, nil, 2*time.Millisecond)
			one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
			var said bytes.Buffer
			host := testHost(t, &said)
			shown := ""
			during(t, host, 50, func(p bench.Progress) {
				if name == "on its disk" {
					fill(t, filepath.Join(store, "filler"))
				}
				for deadline := time.Now().Add(patience); time.Now().Before(deadline) && !strings.Contains(shown, "hand on"); time.Sleep(10 * time.Millisecond) {
					shown = p.Beside() // statuses come when they come
				}
			})
			done, err := Execute(t.Context(), nil, asked(t, server, nats.URL, steady), host)
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			defer done.Close()
			got, r := records(t, done)
			if n := tally(got); n[journal.Complete] != 450 || len(got) != 450 || r.End().WorkloadSHA == "" {
				t.Errorf("%v, hash %q\n%s", n, r.End().WorkloadSHA, &said)
			}
			if one.keeps(t)+two.keeps(t) != 0 {
				t.Error("the agents keep what the leader holds")
			}
			if !strings.Contains(said.String(), "NATS does not take the journal of one: ") || !strings.Contains(shown, "can't hand on their journals") {
				t.Errorf("the display says %q; it said:\n%s", shown, &said)
			}
		})
	}
}

// fill writes until there is no room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// NATS comes back with an empty store in the middle of a run.
func TestRealNATSComesBackEmpty(t *testing.T) {
	t.Parallel()
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	var said bytes.Buffer
	var mu sync.Mutex
	away := ""
	host := testHost(t, &said)
	during(t, host, 150, func(p bench.Progress) {
		nats.Kill()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) { // the connection tells nobody else
			mu.Lock()
			away = p.Beside()
			mu.Unlock()
			if !strings.HasPrefix(away, "2 of 2") {
				break
			}
		}
		nats.RestartEmpty()
	})
	s := asked(t, server, nats.URL, steady)
	done, err := Execute(t.Context(), nil, s, host)
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	isWhole(t, done, 450, nats.URL, one, two)
	if !strings.Contains(said.String(), "without what it had stored") {
		t.Errorf("it said:\n%s", &said)
	}
	if !strings.HasPrefix(away, "0 of 2 agents at work") {
		t.Errorf("while NATS was away the display said: %s", away)
	}
}

// NATS is away for longer than the lease: the agents stop by themselves, and that is no Ctrl-C.
func TestRealLeaseEnds(t *testing.T) {
	t.Parallel()
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	const why = "there was no contact to NATS for longer than the lease of 15s"
	var said bytes.Buffer
	host := testHost(t, &said)
	during(t, host, 20, func(bench.Progress) {
		nats.Kill()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline) && !(one.has(why) && two.has(why)); {
			time.Sleep(10 * time.Millisecond) // there is nobody to tell it
		}
		nats.Restart()
	})
	s := asked(t, server, nats.URL, `"pace":{"rate":20},"load":{"num_prompts":4000}`)
	s.Agents, s.Lease = 2, soon
	done, err := Execute(t.Context(), nil, s, host)
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	_, r := records(t, done)
	if got := r.End().Interrupted; !strings.HasSuffix(got, "stopped by itself: "+why) {
		t.Errorf("interrupted: %q", got)
	}
	for i, a := range r.End().Fleet.Agents {
		if a.Interrupted != why || !strings.Contains(r.Run().Fleet.Agents[i].Gone, why) {
			t.Errorf("%q, gone: %q", a.Interrupted, r.Run().Fleet.Agents[i].Gone)
		}
	}
	if !strings.Contains(said.String(), "agent one stopped by itself: "+why) {
		t.Errorf("it said:\n%s", &said)
	}
}

// A leader's word that it lives is not another leader's when NATS has lost it.
func TestRealHoldIsTakenAgain(t *testing.T) {
	t.Parallel()
	nats := fleettest.Start(t)
	l, err := open(t.Context(), bus.Place{URL: nats.URL}, testHost(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer l.bus.Close()
	if err := l.bus.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.hold, err = takeHold(t.Context(), l.bus, "run-1", l.id); err != nil {
		t.Fatal(err)
	}
	defer l.hold.stop()
	nats.Kill()
	nats.RestartEmpty()
	other, err := bus.Open(t.Context(), bus.Place{URL: nats.URL}, bus.Options{Name: "other"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Prepare(t.Context()); err != nil { // another run's leader is quicker
		t.Fatal(err)
	}
	<-l.back
	l.kept = state{Run: "run-1", Stage: running}
	if anew, err := l.tryPrepare(t.Context()); err != nil || !anew {
		t.Fatalf("%v, %v", anew, err)
	}
	l.hold.again()
	for {
		select {
		case err := <-l.hold.lost:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
		if leader, _, err := other.Holder(t.Context(), "run-1"); err == nil && leader == l.id {
			return
		}
	}
}

// The leader dies, and NATS comes back empty: the run's folder knows what it was, and the
// agents have their journals.
func TestRealLeaderDiesAndNATSIsEmptied(t *testing.T) {
	t.Parallel()
	for _, byFolder := range []bool{true, false} {
		t.Run(fmt.Sprint("by its folder ", byFolder), func(t *testing.T) {
			t.Parallel()
			nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
			one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
			dataset := filepath.Join(t.TempDir(), "prompts.jsonl")
			if err := os.WriteFile(dataset, []byte(strings.Repeat(`{"prompt":"one two three"}`+"\n", 200)), 0o600); err != nil {
				t.Fatal(err)
			}
			s := asked(t, server, nats.URL, `"pace":{"rate":100},"load":{"num_prompts":200}`)
			if err := s.ChooseDataset("custom"); err != nil {
				t.Fatal(err)
			}
			s.Path = dataset
			first, err := open(t.Context(), bus.Place{URL: nats.URL}, testHost(t, nil))
			if err != nil {
				t.Fatal(err)
			}
			first.dieAt(t, s, running)
			nats.Kill()
			nats.RestartEmpty()
			var said bytes.Buffer
			var done *Done
			if byFolder {
				done, err = Execute(t.Context(), nil, s, testHost(t, &said))
			} else {
				done, err = Attach(t.Context(), nil, bus.Place{URL: nats.URL}, "", s.RunDir, testHost(t, &said))
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			defer done.Close()
			isWhole(t, done, 200, nats.URL, one, two)
			if _, err := os.Stat(filepath.Join(s.RunDir, stateName)); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", stateName, err)
			}
			if t.Failed() {
				t.Logf("it said:\n%s", &said)
			}
		})
	}
}
