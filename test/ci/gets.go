package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// get is something that a part needs and a script gets: built, installed, or found in the cache of an earlier run.
type get struct {
	name string
	run  []string // what it prints on standard output becomes the variable
	env  string   // empty: it prints nothing that is needed
	must bool     // that it can't be had is a failure of the run, not a skipped part
}

// got is what became of one.
type got struct {
	get
	done    chan struct{} // closed when it has ended
	value   string
	fault   string // why it can't be had
	seconds float64
}

// getter gets things in the background, one after the other and behind all other work, in the order in which they
// are first needed; while something is measured it stands still.
type getter struct {
	all []*got

	mu     sync.Mutex
	free   *sync.Cond
	paused bool
	pid    int // of the command that is at work; 0: none
	end    context.CancelFunc
	gone   chan struct{}
}

func startGets(ctx context.Context, wanted []get, start func(context.Context, command, *bytes.Buffer, *bytes.Buffer) (*exec.Cmd, error)) *getter {
	ctx, cancel := context.WithCancel(ctx)
	g := &getter{end: cancel, gone: make(chan struct{})}
	g.free = sync.NewCond(&g.mu)
	for _, w := range wanted {
		g.all = append(g.all, &got{get: w, done: make(chan struct{})})
	}
	go func() {
		defer close(g.gone)
		for _, one := range g.all {
			g.one(ctx, one, start)
		}
	}()
	return g
}

func (g *getter) one(ctx context.Context, one *got, start func(context.Context, command, *bytes.Buffer, *bytes.Buffer) (*exec.Cmd, error)) {
	defer close(one.done)
	began := time.Now()
	for try := 0; ; try++ { // a download may break that stood still for minutes
		var out, words bytes.Buffer
		g.mu.Lock()
		for g.paused {
			g.free.Wait()
		}
		cmd, err := start(ctx, command{args: append([]string{"nice", "-n", "19"}, one.run...)}, &out, &words)
		if err == nil {
			g.pid = cmd.Process.Pid
			behindOthers(g.pid)
		}
		g.mu.Unlock()
		if err == nil {
			err = cmd.Wait()
		}
		g.mu.Lock()
		g.pid = 0
		g.mu.Unlock()
		one.seconds = since(began)
		one.value, one.fault = strings.TrimSpace(out.String()), ""
		if err == nil {
			return
		}
		one.fault = fmt.Sprintf("%s: %v: %s", strings.Join(one.run, " "), err, strings.TrimSpace(tail(words.String(), 1)))
		if ctx.Err() != nil || try > 0 || since(began) < 60 {
			return // what fails at once does so for a reason that a second try does not mend
		}
	}
}

// pause lets nothing be got until the function that it gives is called.
func (g *getter) pause() (resume func()) {
	signal := func(s syscall.Signal, paused bool) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.paused = paused
		if g.pid != 0 {
			_ = signalSession(g.pid, s) // it may just have ended
		}
		g.free.Broadcast()
	}
	signal(syscall.SIGSTOP, true)
	return func() { signal(syscall.SIGCONT, false) }
}

// stop ends what is still at work.
func (g *getter) stop() {
	g.end()
	<-g.gone
}

// find is what became of the named thing.
func (g *getter) find(name string) *got {
	for _, one := range g.all {
		if one.name == name {
			return one
		}
	}
	panic("no part may need what nothing gets: " + name)
}

func (o *got) ended() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}
