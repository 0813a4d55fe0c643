package target

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/machine"
)

// patience bounds every wait: this long only on a machine that has hung.
const patience = 3 * time.Minute

// family is a server with a child of its own, both of which note their numbers.
const family = `sleep 300 & echo $! >>"$1"; echo $$ >>"$1"; wait`

func TestMain(m *testing.M) {
	if folder := os.Getenv("TARGET_TEST_PARENT"); folder != "" {
		beParent(folder)
	}
	os.Exit(m.Run())
}

// beParent starts a family and lives until it is killed.
func beParent(folder string) {
	_, err := Start(familyIn(folder))
	fmt.Println("started", err)
	select {}
}

func familyIn(folder string) Command {
	return Command{
		Args: []string{"/bin/sh", "-c", family, "sh", filepath.Join(folder, "pids")},
		Log:  filepath.Join(folder, "log"), PIDFile: filepath.Join(folder, "pid.json"), Grace: time.Second,
	}
}

// awaitPIDs reads the numbers of a family of two.
func awaitPIDs(t *testing.T, folder string) (pids []int) {
	t.Helper()
	await(t, "the family has started", func() bool {
		b, _ := os.ReadFile(filepath.Join(folder, "pids"))
		if strings.Count(string(b), "\n") < 2 {
			return false
		}
		for word := range strings.FieldsSeq(string(b)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return true
	})
	return pids
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so: %s", what)
		}
	}
}

func awaitGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		await(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
	}
}

func alive(pid int) bool {
	_, err := machine.This().StartTime(pid)
	return err == nil
}

func TestRealStopEndsTheWholeGroup(t *testing.T) {
	for _, tt := range []struct{ name, before string }{
		{"by SIGTERM", ""},
		{"by SIGKILL, where it takes no SIGTERM", "trap '' TERM; "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := familyIn(t.TempDir())
			c.Args[2] = tt.before + c.Args[2]
			c.Grace = 200 * time.Millisecond
			p, err := Start(c)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			pids := append(awaitPIDs(t, filepath.Dir(c.Log)), p.group.id())
			if groupOf(p.PID()) != p.group.id() || p.PID() == p.group.id() {
				t.Errorf("the server %d is in group %d, not that of its watcher %d", p.PID(), groupOf(p.PID()), p.group.id())
			}
			p.Stop()
			awaitGone(t, pids)
			if _, err := os.Stat(c.PIDFile); err == nil {
				t.Error("the PID file is still there")
			}
			p.Stop() // harmless
		})
	}
}

// The grace is for the server, also where a shell that started it ends at once.
func TestRealStopWaitsForTheLast(t *testing.T) {
	folder := t.TempDir()
	c := familyIn(folder)
	c.Args[2] = `(trap 'sleep 0.2; echo done >"$1.done"; exit' TERM; echo 1 >>"$1"; while :; do sleep 0.05; done) & echo 1 >>"$1"; wait`
	c.Grace = patience
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	awaitPIDs(t, folder)
	p.Stop()
	if _, err := os.Stat(filepath.Join(folder, "pids.done")); err != nil {
		t.Errorf("the server was killed before it could end by itself: %v", err)
	}
}

// A parent that is killed can't clean up; its servers end all the same.
func TestRealNothingIsLeftWhenWeAreKilled(t *testing.T) {
	folder := t.TempDir()
	parent := startParent(t, folder)
	pids := awaitPIDs(t, folder)
	for _, pid := range pids {
		if !alive(pid) {
			t.Fatalf("process %d is gone before the kill: the test shows nothing", pid)
		}
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	awaitGone(t, pids)
}

// Whoever kills the watcher too leaves a server; the next run ends it.
func TestRealEndLeftover(t *testing.T) {
	folder := t.TempDir()
	parent := startParent(t, folder)
	pids := awaitPIDs(t, folder)
	file := filepath.Join(folder, "pid.json")
	await(t, "the PID file is written", func() bool { _, err := os.Stat(file); return err == nil })
	watcher := groupOf(pids[1])
	self, err := os.FindProcess(watcher)
	if err != nil {
		t.Fatal(err)
	}
	_ = self.Kill()
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if !alive(pids[0]) || !alive(pids[1]) {
		t.Fatal("the family is gone without its watcher: the test shows nothing")
	}
	if found, err := EndLeftover(file); !found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	awaitGone(t, pids)
	if found, err := EndLeftover(file); found || err != nil {
		t.Errorf("a second time: found %v, %v", found, err)
	}
}

func startParent(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "TARGET_TEST_PARENT="+folder)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = parent.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "started <nil>\n" {
		t.Fatalf("the parent said %q, %v", line, err)
	}
	return parent
}

// A number that belongs to somebody else by now is left alone.
func TestRealEndLeftoverSparesOthers(t *testing.T) {
	folder := t.TempDir()
	p, err := Start(familyIn(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	pids := awaitPIDs(t, folder)
	file := filepath.Join(folder, "other.json")
	for _, text := range []string{
		fmt.Sprintf(`{"group": %d, "group_started": "x/1", "pid": %d, "pid_started": "x/2"}`, p.group.id(), p.PID()),
		fmt.Sprintf(`{"group": %d, "pid": %d}`, p.group.id(), p.PID()),
		`{"group": 0}`, `{"gr`, ``,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if found, err := EndLeftover(file); found || err != nil {
			t.Errorf("%s: found %v, %v", text, found, err)
		}
		if !alive(pids[0]) || !alive(pids[1]) {
			t.Fatalf("%s: the family was ended", text)
		}
	}
}

func TestRealReady(t *testing.T) {
	healthy := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/health":
			if healthy++; healthy < 3 {
				http.Error(w, "loading", http.StatusServiceUnavailable)
			}
		case "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "m"}]}`)
		case "/v1/completions", "/v1/chat/completions":
			fmt.Fprint(w, `{}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	target := &Target{Base: server.URL, Client: server.Client()}
	p, err := Start(familyIn(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	for _, endpoint := range []string{"/v1/completions", "/v1/chat/completions"} {
		up, err := p.Ready(t.Context(),
			func(ctx context.Context) error { return target.Healthy(ctx, "/health") },
			func(ctx context.Context) error { return target.Ask(ctx, endpoint, "") })
		if err != nil {
			t.Fatal(err)
		}
		if up.Healthy < 2*readyEvery || up.FirstAnswer < up.Healthy || healthy < 3 {
			t.Errorf("%+v after %d health checks", up, healthy)
		}
	}
	if err := target.Post(t.Context(), "/reset"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a path that is not there: %v", err)
	}
}

func TestRealReadyGivesUp(t *testing.T) {
	never := func(context.Context) error { return errors.New("not yet") }
	t.Run("when the server ends", func(t *testing.T) {
		c := Command{Args: []string{"/bin/sh", "-c", "echo no such model >&2; exit 3"}, Log: filepath.Join(t.TempDir(), "log")}
		p, err := Start(c)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop()
		_, err = p.Ready(t.Context(), never, nil)
		if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no such model") {
			t.Errorf("%v", err)
		}
	})
	t.Run("when the time is over", func(t *testing.T) {
		p, err := Start(familyIn(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err = p.Ready(ctx, never, nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not yet") {
			t.Errorf("%v", err)
		}
	})
}

// A try that the end of the time cuts off says nothing of the server: the one before it does.
func TestRealReadySaysTheServersLastWord(t *testing.T) {
	p, err := Start(familyIn(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	ctx, cancel := context.WithCancelCause(t.Context())
	tries := 0
	_, err = p.Ready(ctx, func(ctx context.Context) error {
		if tries++; tries == 1 {
			return errors.New("answered HTTP 401")
		}
		cancel(errors.New("the time is over"))
		<-ctx.Done()
		return ctx.Err()
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "the time is over; the last try: answered HTTP 401") {
		t.Errorf("%v", err)
	}
}

func TestRealStartFails(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	for _, c := range []Command{
		{Log: log},
		{Args: []string{"/no/such/program"}, Log: log},
		{Args: []string{"/bin/sh"}, Log: "/no/such/folder/log"},
		{Args: []string{"/bin/sh"}, Log: log, PIDFile: "/no/such/folder/pid"},
	} {
		if p, err := Start(c); err == nil {
			p.Stop()
			t.Errorf("%+v was started", c)
		}
	}
}

func TestRealVersion(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"echo v1; echo more", "v1"},
		{"echo version: 9 >&2", "version: 9"},
		{`echo "$X"`, "y"},
		{"true", ""},
		{"exit 1", ""},
	} {
		got, err := Version(t.Context(), Command{Args: []string{"/bin/sh", "-c", tt.script}, Env: []string{"X=y"}})
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v", tt.script, got, err)
		}
	}
}

// A halted server answers nothing, and ends when it is stopped or when we are killed; one that is killed is gone at once.
func TestRealHaltContinueKill(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Process)
	}{
		{"stop", (*Process).Stop},
		{"kill", (*Process).Kill},
		{"ask", func(p *Process) {
			if err := p.Ask(t.Context()); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := familyIn(t.TempDir())
			c.Grace = patience
			p, err := Start(c)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			pids := awaitPIDs(t, filepath.Dir(c.Log))
			if err := p.Halt(); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				await(t, "it is halted", func() bool { return stateOf(t, pid) == "T" })
			}
			await(t, "the watcher is not", func() bool { return stateOf(t, p.group.id()) == "S" })
			if err := p.Continue(); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				await(t, "it goes on", func() bool { return stateOf(t, pid) == "S" })
			}
			if err := p.Halt(); err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			tt.end(p)
			awaitGone(t, pids)
			if at := p.EndedAt(); at.Before(before) || time.Since(at) < 0 {
				t.Errorf("it ended at %v, asked at %v", at, before)
			}
			p.Stop() // harmless
		})
	}
}

// stateOf is the letter that the kernel has for what a process does.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("there is no /proc here")
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return after[:1]
}
