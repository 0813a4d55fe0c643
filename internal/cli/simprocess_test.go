package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// simProcess is a simulator in a process of its own.
type simProcess struct {
	cmd     *exec.Cmd
	url     string
	drained chan struct{} // its standard error has been read to the end
	stopped bool
}

var simAddress = regexp.MustCompile(`at (https?://\S+)`)

// startSim starts a command that is `inferometer sim …` and reads its address.
func startSim(cmd *exec.Cmd) (*simProcess, error) {
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &simProcess{cmd: cmd, drained: make(chan struct{})}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	if found := simAddress.FindStringSubmatch(line); found != nil {
		p.url = found[1]
		return p, nil
	}
	return nil, fmt.Errorf("the sim said %q (%w)", line, errors.Join(err, p.stop()))
}

// stop ends the simulator as Ctrl-C does.
func (p *simProcess) stop() error {
	if p.stopped {
		return nil
	}
	p.stopped = true
	_ = p.cmd.Process.Signal(os.Interrupt)
	<-p.drained
	return p.cmd.Wait()
}

// waitMetric waits until a metric of the simulator, summed over its labels, is at least want.
func (p *simProcess) waitMetric(name string, want float64) error {
	sum := 0.0
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		resp, err := http.Get(p.url + "/metrics")
		if err != nil {
			return err
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		sum = 0
		for _, found := range regexp.MustCompile(`(?m)^vllm:`+name+`(?:\{.*\})? (\S+)$`).FindAllSubmatch(b, -1) {
			v, err := strconv.ParseFloat(string(found[1]), 64)
			if err != nil {
				return err
			}
			sum += v
		}
		if sum >= want {
			return nil
		}
	}
	return fmt.Errorf("%s of the sim is %g, not %g", name, sum, want)
}

// patience bounds every wait: this long only on a machine that has hung.
const patience = 2 * time.Minute

// syncBuffer is what a process has written so far.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *syncBuffer) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}
