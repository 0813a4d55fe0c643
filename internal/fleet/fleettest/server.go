// Package fleettest runs the real nats-server for tests.
package fleettest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	port := FreePort(t)
	s.URL = fmt.Sprintf("nats://127.0.0.1:%d", port)
	s.args = append([]string{Program(t), "-a", "127.0.0.1", "-p", fmt.Sprint(port), "-js", "-sd", s.dir}, args...)
	s.Restart()
	t.Cleanup(s.Kill)
	return s
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
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Dir = s.in
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	Listening(s.t, s.URL[len("nats://"):])
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
