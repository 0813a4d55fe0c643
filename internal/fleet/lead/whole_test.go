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
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// say writes a line.
func say(to *bytes.Buffer, format string, args ...any) { fmt.Fprintf(to, format+"\n", args...) }

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
func TestDiskIsFullForAWhile(t *testing.T) {
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	s := spec(t, server, nats.URL, steady)
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
func TestDiskStaysFull(t *testing.T) {
	for name, at := range map[string]string{"the agents' journals": agentsName, "all of the run": ""} {
		t.Run(name, func(t *testing.T) {
			nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
			one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
			s := spec(t, server, nats.URL, steady)
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

// JetStream has no room: agents keep what it does not take, and the leader fetches it from them.
func TestJetStreamIsFull(t *testing.T) {
	folder, port := t.TempDir(), fleettest.FreePort(t)
	config := fmt.Sprintf("listen: \"127.0.0.1:%d\"\njetstream { store_dir: %q, max_file_store: 24KB }\n", port, filepath.Join(folder, "store"))
	if err := os.WriteFile(filepath.Join(folder, "nats.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	nats := fleettest.StartConfig(t, folder, "nats.conf", fmt.Sprint("127.0.0.1:", port))
	server := startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	var said bytes.Buffer
	done, err := Execute(t.Context(), nil, spec(t, server, nats.URL, steady), testHost(t, &said))
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	isWhole(t, done, 450, nats.URL, one, two)
	if !strings.Contains(said.String(), "NATS does not take the journal of") || !strings.Contains(said.String(), "insufficient") {
		t.Errorf("it said:\n%s", &said)
	}
}

// NATS comes back with an empty store in the middle of a run.
func TestNATSComesBackEmpty(t *testing.T) {
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	one, two := startReal(t, nats.URL, "one"), startReal(t, nats.URL, "two")
	var said bytes.Buffer
	var mu sync.Mutex
	away := ""
	host := testHost(t, &said)
	during(t, host, 150, func(p bench.Progress) {
		nats.Kill()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) { // the connection tells nobody else
			mu.Lock()
			away = p.Beside()
			mu.Unlock()
			if !strings.HasPrefix(away, "2 of 2") {
				break
			}
		}
		nats.RestartEmpty()
	})
	s := spec(t, server, nats.URL, steady)
	s.Lease = 20 * time.Second
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

// An agent that died with records comes back: attach gets them, after the first merge.
func TestAgentComesBack(t *testing.T) {
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	startFake(t, nats.URL, "lives", nil)
	var whole []byte
	dead := startFake(t, nats.URL, "dies", func(f *fake) {
		f.end = func(journal []byte) int {
			whole = journal
			return len(journal) / 2
		}
	})
	s := spec(t, server, nats.URL, `"pace":{"rate":200},"load":{"num_prompts":200}`)
	var said bytes.Buffer
	done, err := Execute(t.Context(), nil, s, testHost(t, &said))
	if err != nil {
		t.Fatal(err)
	}
	done.Close()
	got, _ := records(t, done)
	if n := tally(got); n[journal.Complete] == 200 {
		t.Fatalf("%v", n)
	}
	if !strings.Contains(said.String(), "agent dies: ") || !strings.Contains(said.String(), "fleet attach run-") {
		t.Errorf("it said:\n%s", &said)
	}
	dead.comeBack(whole)
	said.Reset()
	again, err := Attach(t.Context(), nil, bus.Place{URL: nats.URL}, "", "", testHost(t, &said))
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer again.Close()
	if got, _ := records(t, again); tally(got)[journal.Complete] != 200 || again.Folder() != s.RunDir {
		t.Errorf("%v in %s\n%s", tally(got), again.Folder(), &said)
	}
	if runs := knownRuns(t, nats.URL); len(runs) != 0 {
		t.Errorf("NATS keeps %v", runs)
	}
}

// NATS is away for longer than the lease: the agents stop by themselves, and that is no Ctrl-C.
func TestLeaseEnds(t *testing.T) {
	nats, server := fleettest.Start(t), startSim(t, nil, 2*time.Millisecond)
	startReal(t, nats.URL, "one")
	startReal(t, nats.URL, "two")
	var said bytes.Buffer
	host := testHost(t, &said)
	during(t, host, 50, func(bench.Progress) {
		nats.Kill()
		time.Sleep(4 * time.Second) // longer than the lease, by the agents' own clocks
		nats.Restart()
	})
	s := spec(t, server, nats.URL, `"pace":{"rate":100},"load":{"num_prompts":5000}`)
	s.Lease = 2 * time.Second
	done, err := Execute(t.Context(), nil, s, host)
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	defer done.Close()
	_, r := records(t, done)
	const why = "there was no contact to NATS for longer than the lease of 2s"
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
func TestHoldIsTakenAgain(t *testing.T) {
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

// comeBack is the same agent's next process: it has the journal, and tells so.
func (f *fake) comeBack(whole []byte) {
	f.t.Helper()
	f.mu.Lock()
	f.status.Phase, f.status.Journal, f.status.SHA256 = message.Failed, int64(len(whole)), sumOf(whole)
	f.status.Error = "the agent died during the run"
	f.status.Number++
	f.whole = whole
	f.mu.Unlock()
	stop, err := f.bus.Serve(f.id, f.tellOfItself, f.handle)
	if err != nil {
		f.t.Fatal(err)
	}
	f.mu.Lock()
	f.stop = stop
	f.mu.Unlock()
}
