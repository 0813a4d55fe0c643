// Package fleettest runs the real nats-server for tests.
package fleettest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Server is a nats-server of this test's own.
type Server struct {
	URL string
	t   testing.TB
	dir string
	cmd *exec.Cmd

	args []string
	in   string // the folder it runs in; empty: the test's
}

// Program is the path of nats-server. The test is skipped where there is none:
// INFEROMETER_NATS=$(scripts/nats-server.sh) names it.
func Program(t testing.TB) string {
	t.Helper()
	path := Find()
	if path == "" {
		t.Skip("INFEROMETER_NATS names no nats-server: scripts/nats-server.sh builds one")
	}
	return path
}

// Find is the path of nats-server; empty: there is none.
func Find() string {
	if path := os.Getenv("INFEROMETER_NATS"); path != "" {
		return path
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		found, _ := filepath.Glob(filepath.Join(cache, "inferometer", "nats-v*", "nats-server"))
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// Start runs one on the loopback, with JetStream, until the test ends. With a
// configuration it is run as that says; its address must then be the given one.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, dir: t.TempDir()}
	of := func(port string) []string {
		return append([]string{Program(t), "-a", "127.0.0.1", "-p", port, "-js", "-sd", s.dir, "--ports_file_dir", s.dir}, args...)
	}
	// It chooses a port by itself: one that was found free may be another's by the time that it listens.
	s.args = of("-1")
	s.start()
	t.Cleanup(s.Kill)
	s.URL = s.chosen()
	s.args = of(s.URL[strings.LastIndex(s.URL, ":")+1:])
	return s
}

// chosen is the address that it has written down, once it listens there.
func (s *Server) chosen() string {
	s.t.Helper()
	path := filepath.Join(s.dir, fmt.Sprintf("nats-server_%d.ports", s.cmd.Process.Pid))
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		var ports struct{ Nats []string }
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &ports) == nil && len(ports.Nats) > 0 {
			return ports.Nats[0]
		}
		time.Sleep(10 * time.Millisecond) // a process of its own tells nothing else
	}
	s.t.Fatalf("nats-server has not written %s", path)
	return ""
}

// StartConfig runs one as a configuration says, in a folder, until the test ends. address
// is the one that it listens at.
func StartConfig(t testing.TB, folder, config, address string) *Server {
	t.Helper()
	s := &Server{t: t, URL: "nats://" + address, args: []string{Program(t), "-c", config}, in: folder}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// Restart starts it again, on the same port and with the same data.
func (s *Server) Restart() {
	s.t.Helper()
	s.start()
	Listening(s.t, s.URL[len("nats://"):])
}

func (s *Server) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Dir = s.in
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// RestartEmpty starts it again without its data, as on a machine whose disk is gone.
func (s *Server) RestartEmpty() {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, "jetstream")); err != nil {
		s.t.Fatal(err)
	}
	s.Restart()
}

// Kill ends it at once, as a crash does.
func (s *Server) Kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// FreePort is one that nothing is listening on now.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Listening waits until somebody accepts connections at an address.
func Listening(t testing.TB, address string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(10 * time.Millisecond) // a process of its own tells nothing else
	}
	t.Fatalf("nothing is listening at %s", address)
}
