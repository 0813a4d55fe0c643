package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A disturbance begins when the client has, and the function that it returns ends it and leaves nothing behind.
type disturbance = func(p *played) (stop func())

// both is two disturbances at once.
func both(a, b disturbance) disturbance {
	return func(p *played) func() {
		stopA, stopB := a(p), b(p)
		return func() { stopA(); stopB() }
	}
}

// pinned is a command that runs another one on one processor.
func pinned(processor int) []string { return []string{"taskset", "-c", strconv.Itoa(processor)} }

// lastProcessor is as far as can be from processor 0.
func lastProcessor() int { return runtime.NumCPU() - 1 }

// hogArgument makes this program a hog, see main.
const hogArgument = "-be-a-hog"

// hog works for nothing until its standard input ends: it can't outlive who started it.
func hog() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		for range 1 << 20 { //nolint:revive // working for nothing is what it is for
		}
		runtime.Gosched()
	}
}

// hogs starts some on each of the processors.
func hogs(each int, processors ...int) disturbance {
	return func(*played) func() {
		var stops []func()
		for _, processor := range processors {
			for range each {
				stops = append(stops, startHog(processor))
			}
		}
		return func() {
			for _, stop := range stops {
				stop()
			}
		}
	}
}

func startHog(processor int) (stop func()) {
	self, err := os.Executable()
	if err != nil {
		return func() {}
	}
	args := append(pinned(processor), self, hogArgument)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2") // one that works, one that waits for the end
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "judgement: no hog: %v\n", err)
		return func() {}
	}
	return func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// stopped is one pause of a process, from the client's beginning on.
type stopped struct{ at, length time.Duration }

// who are the processes that a pause hits.
type who func(p *played) []func(os.Signal) error

func theClient(p *played) []func(os.Signal) error {
	return []func(os.Signal) error{p.client.Process.Signal}
}

func theServer(p *played) []func(os.Signal) error {
	return []func(os.Signal) error{p.sims[0].Signal}
}

func theMachine(p *played) []func(os.Signal) error { return append(theServer(p), theClient(p)...) }

// stops stops processes for a while, again and again. Whatever happens, they go on.
func stops(of who, pauses []stopped) disturbance {
	return func(p *played) func() {
		begin, end := time.Now(), make(chan struct{})
		var active sync.WaitGroup
		active.Go(func() {
			for _, pause := range pauses {
				select {
				case <-end:
					return
				case <-time.After(time.Until(begin.Add(pause.at))):
				}
				for _, signal := range of(p) {
					_ = signal(syscall.SIGSTOP) // it may have ended
				}
				select {
				case <-end:
				case <-time.After(pause.length):
				}
				for _, signal := range of(p) {
					_ = signal(syscall.SIGCONT)
				}
			}
		})
		return func() { close(end); active.Wait() }
	}
}

// dutyCycle lets processes run for a share of each 100 ms only, as a quota does with a process that needs more.
func dutyCycle(of who, share float64, length time.Duration) disturbance {
	const period = 100 * time.Millisecond
	var pauses []stopped
	for at := time.Duration(share * float64(period)); at < length; at += period {
		pauses = append(pauses, stopped{at, period - time.Duration(share*float64(period))})
	}
	return stops(of, pauses)
}

// foreign sends requests of somebody else to the server, so many a second.
func foreign(rate float64) disturbance {
	return func(p *played) func() {
		end := make(chan struct{})
		var active sync.WaitGroup
		active.Go(func() {
			tick := time.NewTicker(time.Duration(float64(time.Second) / rate))
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-end:
					return
				case <-tick.C:
				}
				active.Go(func() { ask(p.sims[0].URL, i) })
			}
		})
		return func() { close(end); active.Wait() }
	}
}

// ask sends one request and reads its answer.
func ask(url string, number int) {
	body := fmt.Sprintf(`{"model":"sim","prompt":"somebody else's question, number %d","max_tokens":4}`, number)
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Post(url+"/v1/completions", "application/json", bytes.NewBufferString(body))
	if err != nil {
		return // the server ended
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}

// restarts lets the server crash and come back, after so long.
func restarts(after time.Duration) disturbance {
	return func(p *played) func() {
		end := make(chan struct{})
		var active sync.WaitGroup
		active.Go(func() {
			select {
			case <-end:
			case <-time.After(after):
				if err := p.restart(0); err != nil {
					fmt.Fprintf(os.Stderr, "judgement: %v\n", err)
				}
			}
		})
		return func() { close(end); active.Wait() }
	}
}
