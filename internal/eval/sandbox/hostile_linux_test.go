//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// open opens a sandbox, or skips the test where this machine can have none.
func open(t *testing.T, l Limits) *Sandbox {
	t.Helper()
	s, err := Open(t.Context(), os.Getenv("INFEROMETER_CODE_PYTHON"), l)
	if errors.Is(err, ErrMissing) && os.Getenv("INFEROMETER_NEED_SANDBOX") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRealHostile(t *testing.T) {
	// Those that must end by themselves have all the time of the world: on a busy machine a gigabyte takes long.
	s := open(t, Limits{Time: 10 * time.Minute, Memory: 256 << 20})
	listener, knocked := listen(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	inherited(t)
	head := fmt.Sprintf("PORT = %d; SECRET = %q; HOME = %q; OURS = %d; NOT_ROOT = %s\n", listener.Addr().(*net.TCPAddr).Port, secret, home+"/.cache", os.Getpid(), truth(os.Getuid() != 0))
	all := func(t *testing.T, bare bool) {
		for _, h := range slices.Concat(hostile, hostileMemory) {
			if bare && h.filtered {
				continue
			}
			t.Run(h.name, func(t *testing.T) {
				t.Parallel()
				one := *s
				one.unfiltered = bare
				if h.how == Timeout || bare && h.bare == Timeout {
					one.limits.Time = 2 * time.Second
				}
				how := h.how
				if bare && h.bare != "" {
					how = h.bare
				}
				gone := one.watchLeftovers(t)
				r, err := one.Run(t.Context(), withHead(head, h.program, h.how))
				gone()
				if err != nil {
					t.Fatal(err)
				}
				if r.How != how || r.Passed != (how == "") || (!bare || h.bare == "") && !strings.Contains(r.Detail, h.detail) {
					t.Errorf("it is %q (%s), want %q with %q\n%s", r.How, r.Detail, how, h.detail, lastLine(r.Output))
				}
				if r.Took > one.limits.Time+2*time.Minute {
					t.Errorf("it took %v", r.Took)
				}
				if strings.ContainsAny(r.Detail, "\x1b\x07\n") || len(r.Detail) > 4*mostDetail || len(r.Output) > DefaultOutput {
					t.Errorf("what it said is not bounded or not clean: %q", r.Detail)
				}
			})
		}
	}
	t.Run("filtered", func(t *testing.T) { all(t, false) })
	if !testing.Short() {
		t.Run("namespaces alone", func(t *testing.T) { all(t, true) })
	}
	if n := knocked(); n > 0 {
		t.Errorf("%d connections came out of the sandbox", n)
	}
	for _, folder := range []string{"/", "/usr", "/usr/lib", "/etc", "/dev", "/root", "/home", "/tmp", home, home + "/.cache"} {
		if _, err := os.Stat(filepath.Join(folder, "inferometer-was-here")); err == nil {
			t.Errorf("a program wrote into %s", folder)
		}
	}
	if b, _ := os.ReadFile("/proc/self/mountinfo"); strings.Contains(string(b), "inferometer-") {
		t.Error("a mount is left behind")
	}
}

// withHead leaves the line numbers of what is no Python alone.
func withHead(head, program, how string) string {
	if how == Syntax {
		return program
	}
	return head + program
}

func truth(b bool) string { return strings.ToUpper(fmt.Sprint(b)[:1]) + fmt.Sprint(b)[1:] }

// listen counts who connects, on the loopback and to an abstract name.
func listen(t *testing.T) (net.Listener, func() int) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	abstract, err := net.Listen("unix", fmt.Sprintf("@inferometer-test-%d", tcp.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	n := 0
	for _, l := range []net.Listener{tcp, abstract} {
		wait.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				mu.Lock()
				n++
				mu.Unlock()
				_ = c.Close()
			}
		})
	}
	end := func() int {
		_ = tcp.Close()
		_ = abstract.Close()
		wait.Wait()
		return n
	}
	t.Cleanup(func() { end() })
	return tcp, end
}

// inherited opens a folder that our children inherit, as a careless parent of ours would.
func inherited(t *testing.T) {
	t.Helper()
	fd, err := openInherited("/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeInherited(fd) })
}

// watchLeftovers gives a function that fails the test where a process of the sandbox is left.
func (s *Sandbox) watchLeftovers(t *testing.T) func() {
	t.Helper()
	space := ""
	s.started = func(pid int) { space, _ = os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid)) }
	return func() {
		ours, _ := os.Readlink("/proc/self/ns/pid")
		if space == "" || space == ours {
			t.Errorf("the sandbox has no pid namespace of its own: %q", space)
			return
		}
		links, _ := filepath.Glob("/proc/[0-9]*/ns/pid")
		if slices.ContainsFunc(links, func(link string) bool { at, _ := os.Readlink(link); return at == space }) {
			t.Error("a process of the sandbox is left behind")
		}
	}
}

func TestRealCancelled(t *testing.T) {
	s := open(t, Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	gone := s.watchLeftovers(t)
	watch := s.started
	s.started = func(pid int) { watch(pid); cancel() }
	if _, err := s.Run(ctx, "while True: pass"); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
	gone()
}

func TestNoSuchPython(t *testing.T) {
	for _, name := range []string{"no-such-python", "/bin/true", "/dev/null"} {
		if _, err := Open(t.Context(), name, Limits{}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "INFEROMETER_CODE_PYTHON") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotInSandbox: the hidden command does nothing on a machine's own files.
func TestNotInSandbox(t *testing.T) {
	for _, stage := range []string{stageFirst, stageSecond} {
		if confined() {
			t.Skip("the test itself is in a small user namespace")
		}
		if err := Main([]string{stage, "{}"}); err == nil || !strings.Contains(err.Error(), "not for the command line") {
			t.Errorf("%s ended with %v", stage, err)
		}
	}
}
