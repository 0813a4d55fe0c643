// Package subprocess runs the simulator in a process of its own, for whoever measures
// the client: in one process the two would share a scheduler and a collector.
package subprocess

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/process"
)

// Sim is a running simulator.
type Sim struct {
	URL   string
	cmd   *exec.Cmd
	stdin io.Closer
}

// Start starts `binary sim` on a free port of the loopback, with these flags.
func Start(binary string, flags ...string) (*Sim, error) {
	cmd := exec.Command(binary, append([]string{"sim", "--listen", "127.0.0.1:0", "--until-eof"}, flags...)...)
	cmd.Args[0] = "inferometer"
	return Run(cmd)
}

// Run starts a command that is `inferometer sim --until-eof`, perhaps inside another
// one, and reads its address. It ends with us, however we end: its standard input is
// a pipe from us, which the system closes. It has a process group of its own, so that
// a Ctrl-C in the terminal doesn't end it before its truth was asked for.
func Run(cmd *exec.Cmd) (*Sim, error) {
	process.Apart(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the simulator: %w", err)
	}
	s := &Sim{cmd: cmd, stdin: stdin}
	var said []string
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), " at "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			s.URL = strings.TrimSpace(url)
			return s, nil
		}
		said = append(said, lines.Text())
	}
	return nil, fmt.Errorf("the simulator did not start: %w: %s", errors.Join(s.Stop(), errors.New("it ended")), strings.Join(said, "; "))
}

// Kill ends the simulator at once, without a goodbye to its clients.
func (s *Sim) Kill() {
	_ = s.cmd.Process.Kill() // it may be gone already
	_ = s.cmd.Wait()
}

// Signal sends it a signal, such as one that stops it for a while.
func (s *Sim) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Addr is the host and port.
func (s *Sim) Addr() string {
	_, addr, _ := strings.Cut(s.URL, "://")
	return addr
}

// patience is how long the simulator may take to write the rest of its truth.
const patience = time.Minute

// Stop ends the simulator and waits for it: its truth is whole then.
func (s *Sim) Stop() error {
	kill := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_ = s.stdin.Close()
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return err
	}
	if !s.cmd.ProcessState.Exited() {
		return fmt.Errorf("the simulator had to be killed: its truth may not be whole (%v)", s.cmd.ProcessState)
	}
	return nil
}
