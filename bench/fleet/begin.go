//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/cli"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

const beginPrefix = "begin-"

// beginTogether starts many light agents, has them send together, and looks into the truth:
// how far from its instant is the first request of each? Requests are due at a constant rate
// and go round, so that the first ones of the agents follow each other as at the servers of
// a real fleet; two cores could not send 200 at the same moment.
func beginTogether(o options) error {
	best := 0.0
	for round := range o.rounds {
		var worst float64
		err := onStage(o, func(s *stage.Stage) (err error) {
			worst, err = o.begin(s)
			return err
		})
		if err != nil {
			return err
		}
		if round == 0 || worst < best {
			best = worst
		}
		if o.within > 0 && best <= o.within {
			break
		}
	}
	fmt.Printf("best round: all begin within %.2f ms\n", best)
	if o.within > 0 && best > o.within {
		return fmt.Errorf("FAIL: more than %.0f ms", o.within)
	}
	return nil
}

func (o options) begin(s *stage.Stage) (worst float64, err error) {
	sim, err := s.StartSim("sim", nil, "127.0.0.1", "--ttft", o.ttft, "--itl", o.itl)
	if err != nil {
		return 0, err
	}
	nats, err := s.StartNATS(nil)
	if err != nil {
		return 0, err
	}
	agents, err := o.lightAgents(s, nats)
	if err != nil {
		return 0, err
	}
	planned := o.rate * o.seconds
	lead, err := s.Bench("run", nil, nats, "--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init", "--random-input-len", "16",
		"--random-output-len", strconv.Itoa(o.tokens), "--num-prompts", strconv.Itoa(planned), "--request-rate", strconv.Itoa(o.rate), "--burstiness", "inf",
		"--request-id-prefix", beginPrefix, "--fleet-agents", strconv.Itoa(o.agents), "--fleet-wait", "120s", "--quiet")
	if err != nil {
		return 0, err
	}
	watched := watch(nats, lead, sim)
	if code := lead.Wait(10 * time.Minute); code != 0 {
		return 0, fmt.Errorf("the leader: exit code %d", code)
	}
	report := <-watched
	if err := sim.Stop(); err != nil {
		return 0, err
	}
	truth, err := stage.ReadTruth(beginPrefix, sim.Truth)
	if err != nil {
		return 0, err
	}
	if err := truth.Once(planned); err != nil {
		return 0, err
	}
	j, err := stage.ReadJournal(s.Run("run"))
	if err != nil {
		return 0, err
	}
	offs := make([]float64, o.agents)
	for i := range offs {
		due := j.Run.StartUnixNs + int64(i)*int64(time.Second)/int64(o.rate)
		offs[i] = float64(truth[i][0].Begun()-due) / 1e6
	}
	var later []float64 // of the requests after the first ones
	for i := o.agents; i < planned; i++ {
		later = append(later, float64(j.Requests[i][0].Sent-j.Requests[i][0].Due)/1e6)
	}
	slices.Sort(later)
	slices.Sort(offs)
	worst = max(offs[len(offs)-1], -offs[0])
	memory, cpu := int64(0), time.Duration(0)
	for _, a := range agents {
		used, rss := a.Usage()
		memory, cpu = memory+rss, cpu+used
	}
	fmt.Printf("%d agents in %d processes, %.1f MB and %.2f s of CPU each: first requests at the server from %.2f to %.2f ms after their instants, median %.2f; later ones are sent %.2f ms late, median\n",
		o.agents, len(agents), float64(memory)/1e6/float64(o.agents), cpu.Seconds()/float64(o.agents), offs[0], offs[len(offs)-1], offs[len(offs)/2], later[len(later)/2])
	fmt.Print(report)
	return worst, nil
}

// lightAgents starts agents and waits for them. A process that waits for its next request wakes up some
// hundred times a second, for Go's scheduler alone; 200 of them would be more than two cores
// carry. So many share a process.
func (o options) lightAgents(s *stage.Stage, nats *stage.NATS) (all []*stage.Process, err error) {
	if o.perProcess <= 1 {
		all, err = s.StartAgents(o.agents, nil, nats, "--allow", "127.0.0.0/8")
	} else {
		var self string
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
		for left := o.agents; left > 0; left -= o.perProcess {
			name := fmt.Sprintf("agents%d", len(all)+1)
			p, err := s.Start(name, nil, "env", fmt.Sprintf("GOMAXPROCS=%d", 2*o.perProcess), self, "-host", strconv.Itoa(min(left, o.perProcess)), "-nats", nats.Files["agent"], "-name", name)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	for _, a := range all {
		if err := a.Await("ready", 3*time.Minute); err != nil {
			return nil, err
		}
	}
	return all, err
}

// host is many agents in one process.
func host(o options, n int) error {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			cli.Main(context.Background(), []string{"agent", "--nats", o.nats, "--allow", "127.0.0.0/8", "--name", fmt.Sprintf("%s-%d", o.name, i)}, strings.NewReader(""), os.Stdout, os.Stderr)
		})
	}
	all.Wait()
	return nil
}

// watch follows what leader and NATS carry while the run lasts, a second at a time, and
// reports the busiest one: that is the load, not the preparing.
func watch(nats *stage.NATS, lead *stage.Process, sim *stage.Sim) <-chan string {
	done := make(chan string, 1)
	go func() {
		type moment struct {
			at         time.Time
			counters   stage.Counters
			lead, nats time.Duration
			rss        int64
		}
		var all []moment
		for lead.Running() {
			m := moment{at: time.Now()}
			var err error
			if m.counters, err = nats.Count(); err != nil {
				break
			}
			m.lead, m.rss = lead.Usage()
			m.nats, _ = nats.Usage()
			all = append(all, m)
			time.Sleep(time.Second)
		}
		text, most, rss := "", 0.0, int64(0)
		for i := 1; i < len(all); i++ {
			a, b := all[i-1], all[i]
			s := b.at.Sub(a.at).Seconds()
			rss = max(rss, b.rss)
			if in := float64(b.counters.In-a.counters.In) / s; in > most {
				most = in
			}
		}
		if n := len(all); n > 3 {
			a, b := all[n/4], all[n-2]
			s := b.at.Sub(a.at).Seconds()
			text = fmt.Sprintf("NATS, the middle of the run: %.0f messages/s in, %.0f out, %.0f kB/s in, %.0f kB/s out, CPU %.2f, memory %.0f MB; busiest second %.0f messages in\nleader: CPU %.2f, memory at its peak %.0f MB\n",
				float64(b.counters.In-a.counters.In)/s, float64(b.counters.Out-a.counters.Out)/s, float64(b.counters.InBytes-a.counters.InBytes)/s/1e3, float64(b.counters.OutBytes-a.counters.OutBytes)/s/1e3,
				(b.nats-a.nats).Seconds()/s, float64(b.counters.Memory)/1e6, most, (b.lead-a.lead).Seconds()/s, float64(rss)/1e6)
		}
		done <- text
	}()
	return done
}
