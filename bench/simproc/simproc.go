// Package simproc runs the simulator in a process of its own, for the programs
// that measure the client.
package simproc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

// Sim is a running simulator.
type Sim struct {
	URL string
	cmd *exec.Cmd
}

// Start starts `binary sim` on a free port of the loopback, with these flags.
func Start(binary string, flags ...string) (*Sim, error) {
	cmd := exec.Command(binary, append([]string{"sim", "--listen", "127.0.0.1:0"}, flags...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), " at "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return &Sim{URL: strings.TrimSpace(url), cmd: cmd}, nil
		}
	}
	return nil, fmt.Errorf("the simulator did not start: %w", cmd.Wait())
}

// Addr is the host and port.
func (s *Sim) Addr() string {
	_, addr, _ := strings.Cut(s.URL, "://")
	return addr
}

// Stop ends the simulator and waits for it: its truth is whole then.
func (s *Sim) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
