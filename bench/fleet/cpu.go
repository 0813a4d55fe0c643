//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// cost is what the clients of one run used.
type cost struct {
	load  time.Duration // of all clients, while they sent
	whole time.Duration // of the agents' processes, from the offer to the end
	bytes int64         // of their journals
	lines int
}

// cpuPerEvent compares one process that sends all with fleets of 1, 2 and 4 agents. Each
// agent has the same load, so that its event loop finds as much to do at a time; with
// -split it is one load that they divide, and each is woken for fewer events at once.
func cpuPerEvent(o options) error {
	sizes := []int{0, 1, 2, 4} // 0: one process without a fleet
	best := map[int]cost{}
	for range o.rounds {
		for _, n := range sizes {
			var c cost
			err := onStage(o, func(s *stage.Stage) (err error) {
				c, err = o.measure(s, n)
				return err
			})
			if err != nil {
				return err
			}
			if old, ok := best[n]; !ok || c.load < old.load {
				best[n] = c
			}
		}
	}
	fmt.Printf("%-22s %10s %14s %8s %16s %16s\n", "CPU of all clients", "events", "µs per event", "ratio", "whole, µs", "journal, B/req.")
	alone := 0.0
	for _, n := range sizes {
		c, events := best[n], float64(o.events(n))
		per := float64(c.load.Microseconds()) / events
		name := "one process"
		if n > 0 {
			name = fmt.Sprintf("%d agents", n)
		} else {
			alone = per
		}
		fmt.Printf("%-22s %10.0f %14.2f %8.2f %16.2f %16d\n", name, events, per, per/alone, float64(c.whole.Microseconds())/events, c.bytes/int64(max(c.lines, 1)))
		if n == 4 && o.limit > 0 && per/alone > o.limit {
			return fmt.Errorf("FAIL: 4 agents cost %.2f × one process for an event, more than %.2f", per/alone, o.limit)
		}
	}
	return nil
}

// clients is how many send: a single process is one.
func clients(n int) int { return max(n, 1) }

func (o options) times(n int) int {
	if o.split {
		return 1
	}
	return clients(n)
}

// events are the tokens, usage and [DONE] of all answers.
func (o options) events(n int) int { return o.requests * o.times(n) * (o.tokens + 2) }

func (o options) measure(s *stage.Stage, n int) (c cost, err error) {
	sim, err := s.StartSim("sim", nil, "127.0.0.1", "--ttft", o.ttft, "--itl", o.itl)
	if err != nil {
		return c, err
	}
	requests := o.requests * o.times(n)
	flags := []string{
		"--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init", "--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens),
		"--num-prompts", strconv.Itoa(requests), "--max-concurrency", strconv.Itoa(o.streams * o.times(n)), "--quiet",
	}
	var nats *stage.NATS
	var agents []*stage.Process
	if n > 0 {
		if nats, err = s.StartNATS(nil); err != nil {
			return c, err
		}
		if agents, err = s.StartAgents(n, nil, nats, "--allow", sim.Addr()); err != nil {
			return c, err
		}
		flags = append(flags, "--fleet-agents", strconv.Itoa(n))
	}
	before := used(agents)
	run, err := s.Bench("run", nil, nats, flags...)
	if err != nil {
		return c, err
	}
	if code := run.Wait(10 * time.Minute); code != 0 {
		return c, fmt.Errorf("bench serve: exit code %d", code)
	}
	c.whole = used(agents) - before
	if n == 0 {
		c.whole = run.CPU()
	}
	return c, c.read(s.Run("run"), requests)
}

func used(all []*stage.Process) (sum time.Duration) {
	for _, p := range all {
		cpu, _ := p.Usage()
		sum += cpu
	}
	return sum
}

// read takes the clients' own figures from their journals: of the agents, or of the one.
func (c *cost) read(folder string, requests int) error {
	paths, err := filepath.Glob(filepath.Join(folder, "agents", "*", journal.FileName))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		paths = []string{filepath.Join(folder, journal.FileName)}
	}
	for _, path := range paths {
		j, err := stage.ReadJournal(filepath.Dir(path))
		if err != nil {
			return err
		}
		if j.End == nil {
			return errors.New(path + " has no end")
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		c.load += time.Duration(j.End.Client.UserCPUNs + j.End.Client.SystemCPUNs)
		c.bytes += info.Size()
		c.lines += len(j.Requests)
	}
	if c.lines != requests {
		return fmt.Errorf("the journals hold %d requests of %d", c.lines, requests)
	}
	return nil
}
