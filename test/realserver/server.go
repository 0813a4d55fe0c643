// Package realserver helps the tests that run the built program against servers
// that others have written. It starts such a server, waits until it is healthy,
// reads its counters, and ends it; it runs our program and reads its result.
package realserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a process that the test has started.
type Server struct {
	Base string // http://127.0.0.1:port

	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when the process is gone
}

// FreePort is a loopback port that nothing is listening on at the moment.
func FreePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// Start runs a server that listens on the port and waits for its /health. The
// test's end kills it; its log is shown if the test has failed.
func Start(t testing.TB, port string, patience time.Duration, env []string, command string, args ...string) *Server {
	t.Helper()
	return StartAs(t, port, "/health", patience, env, command, args...)
}

// StartAs is Start for a server that tells in another place that it is up.
func StartAs(t testing.TB, port, health string, patience time.Duration, env []string, command string, args ...string) *Server {
	t.Helper()
	s := &Server{Base: "http://127.0.0.1:" + port, log: filepath.Join(t.TempDir(), "server.log"), done: make(chan struct{})}
	out, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() // the process has its own copy
	s.cmd = exec.Command(command, args...)
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its children end with it
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait() // how it ended shows in the log
		close(s.done)
	}()
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", s.tail(4000))
		}
	})
	if err := s.awaitHealth(health, patience); err != nil {
		t.Fatal(err)
	}
	return s
}

// Kill ends the server and its children at once, without a goodbye to its clients.
func (s *Server) Kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // it may be gone already
	<-s.done
}

func (s *Server) awaitHealth(path string, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	for {
		if _, err := get(ctx, s.Base+path); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server was not healthy within %v", patience)
		case <-s.done:
			return errors.New("the server ended before it was healthy")
		case <-every.C:
		}
	}
}

func (s *Server) tail(n int64) string {
	data, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, int64(len(data))-n):])
}

// Counter reads one counter of the server's /metrics, summed over its labels.
func (s *Server) Counter(t testing.TB, name string) int {
	t.Helper()
	text, err := get(context.Background(), s.Base+"/metrics")
	if err != nil {
		t.Fatal(err)
	}
	sum, found := 0.0, false
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), name)
		if !ok || rest == "" || (rest[0] != ' ' && rest[0] != '{') {
			continue
		}
		value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		sum, found = sum+value, true
	}
	if !found {
		t.Fatalf("the server has no counter %s", name)
	}
	return int(sum)
}

// AwaitCounter waits until a counter has reached a value.
func (s *Server) AwaitCounter(t testing.TB, name string, value int, patience time.Duration) {
	t.Helper()
	end := time.Now().Add(patience)
	for s.Counter(t, name) < value {
		if time.Now().After(end) {
			t.Fatalf("%s did not reach %d within %v", name, value, patience)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Close = true // a kept connection would hold one of the server's threads
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return string(body), err
}

// At is a server that somebody else has started.
func At(base string) *Server { return &Server{Base: base} }
