package ssh

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/outside"
)

// Fleet says what is started where.
type Fleet struct {
	Hosts   []Host
	Program string    // on the other side; empty: inferometer, found there
	Args    []string  // of inferometer agent, beside those that are always given
	Place   bus.Place // it goes there by standard input: a command line is seen by all
	// Say is told what an agent, or its ssh, says, a line at a time. May be nil.
	Say func(host, line string)
}

// Agents are the connections, each a process of ssh.
type Agents struct {
	stop    context.CancelFunc
	running sync.WaitGroup
	ended   chan error
}

const (
	// grace is what an agent has to finish when nobody waits for it any more.
	grace    = 5 * time.Second
	mostLine = 500
)

// Start connects to all hosts and starts an agent on each. Whether it is there is seen on
// the bus. The connections end with ctx, or by Stop.
func Start(ctx context.Context, f Fleet) (*Agents, error) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		return nil, fmt.Errorf("--agents needs the program ssh: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &Agents{stop: cancel, ended: make(chan error, len(f.Hosts))}
	for _, h := range f.Hosts {
		args, place, err := f.command(h)
		if err != nil {
			cancel()
			return nil, errors.Join(err, a.wait())
		}
		a.running.Go(func() {
			if err := f.connect(ctx, h, program, args, place); err != nil && ctx.Err() == nil {
				a.ended <- fmt.Errorf("the agent on %s: %w", h, err)
			}
		})
	}
	return a, nil
}

// Ended tells of agents that ended by themselves with an error.
func (a *Agents) Ended() <-chan error { return a.ended }

// Stop ends all connections, and with them the agents.
func (a *Agents) Stop() {
	a.stop()
	_ = a.wait()
}

func (a *Agents) wait() error {
	a.running.Wait()
	return nil
}

// command is what ssh is called with, and what the agent reads.
func (f Fleet) command(h Host) (args []string, place []byte, err error) {
	args = []string{
		"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
		"-o", "ControlPath=none", "-o", "ExitOnForwardFailure=yes",
	}
	if h.User != "" {
		args = append(args, "-l", h.User)
	}
	if h.Port != 0 {
		args = append(args, "-p", strconv.Itoa(h.Port))
	}
	there := f.Place
	forward, err := tunnel(&there)
	if err != nil {
		return nil, nil, err
	}
	args = append(args, forward...)
	if place, err = json.Marshal(there); err != nil {
		return nil, nil, err
	}
	program := f.Program
	if program == "" {
		program = "inferometer"
	}
	words := append([]string{program, "agent", "--nats", "-", "--once", "--name", h.String()}, f.Args...)
	return append(args, "--", h.Name, "exec "+shlex.Join(words)), append(place, '\n'), nil
}

// tunnel leads a NATS that only this machine reaches through the connection: the agent
// finds it on its own loopback, on a port that is drawn anew for each.
func tunnel(p *bus.Place) (args []string, err error) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil, errors.New("the address of NATS can't be read")
	}
	if !outside.Loopback(u.Hostname()) {
		return nil, nil
	}
	port := u.Port()
	if port == "" {
		port = "4222"
	}
	name := u.Hostname()
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	drawn := strconv.Itoa(20000 + rand.IntN(10000)) // below what systems give to connections by themselves
	u.Host = net.JoinHostPort("127.0.0.1", drawn)
	p.URL = u.String()
	return []string{"-R", "127.0.0.1:" + drawn + ":" + name + ":" + port}, nil
}

// connect runs one ssh to its end.
func (f Fleet) connect(ctx context.Context, h Host, program string, args []string, place []byte) error {
	cmd := exec.CommandContext(ctx, program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// The end of its standard input asks the agent to end; who does not hear is killed.
	cmd.Cancel = in.Close
	cmd.WaitDelay = grace
	out, said := io.Pipe()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return err
	}
	last := make(chan string, 1)
	go func() { last <- f.listen(h, out) }()
	_, written := in.Write(place) // ssh may be gone already; then it has said why
	err = cmd.Wait()
	_ = said.Close()
	word := <-last
	switch {
	case err == nil && written == nil:
		return nil
	case word != "":
		return errors.New(word)
	}
	return errors.Join(err, written)
}

// listen hands on what is said, and gives the last of it.
func (f Fleet) listen(h Host, from io.Reader) (last string) {
	lines := bufio.NewReaderSize(from, 4<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if text := strings.TrimSpace(outside.Line(string(line), mostLine)); text != "" {
			last = text
			if f.Say != nil {
				f.Say(h.String(), text)
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			_, _ = io.Copy(io.Discard, from)
			return last
		}
	}
}
