//go:build linux

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/test/fleet/stage"
)

const manyPrefix = "many-"

// manyStreams holds many streams at once, over several agents and servers. Each server has
// an address of its own on the loopback, since one address has some 28,000 ports, and a
// process of its own, since a process may open so many files and no more.
func manyStreams(o options) error {
	return onStage(o, func(s *stage.Stage) error { return o.hold(s) })
}

func (o options) hold(s *stage.Stage) error {
	n := (o.streams + o.perAgent - 1) / o.perAgent
	var urls, truths []string
	var sims []*stage.Sim
	for i := range n {
		sim, err := s.StartSim(fmt.Sprintf("sim%d", i+1), nil, fmt.Sprintf("127.0.0.%d", i+2), "--ttft", o.ttft, "--itl", o.itl)
		if err != nil {
			return err
		}
		sims, urls, truths = append(sims, sim), append(urls, sim.URL), append(truths, sim.Truth)
	}
	nats, err := s.StartNATS(nil)
	if err != nil {
		return err
	}
	agents, err := s.StartAgents(n, nil, nats, "--allow", "127.0.0.0/8")
	if err != nil {
		return err
	}
	began := time.Now()
	lead, err := s.Bench("run", nil, nats, "--targets", strings.Join(urls, ","), "--model", "sim", "--skip-tokenizer-init", "--random-input-len", "8",
		"--random-output-len", strconv.Itoa(o.tokens), "--num-prompts", strconv.Itoa(o.streams), "--request-rate", strconv.Itoa(o.rate), "--burstiness", "inf",
		"--request-id-prefix", manyPrefix, "--fleet-agents", strconv.Itoa(n), "--fleet-wait", "60s", "--quiet")
	if err != nil {
		return err
	}
	most := make([]int64, n)
	for lead.Running() {
		for i, a := range agents {
			_, rss := a.Usage()
			most[i] = max(most[i], rss)
		}
		time.Sleep(time.Second)
	}
	if code := lead.Wait(time.Second); code != 0 {
		return fmt.Errorf("the leader: exit code %d", code)
	}
	took := time.Since(began)
	for _, sim := range sims {
		if err := sim.Stop(); err != nil {
			return err
		}
	}
	truth, err := stage.ReadTruth(manyPrefix, truths...)
	if err != nil {
		return err
	}
	if err := truth.Once(o.streams); err != nil {
		return err
	}
	r, err := stage.ReadResult(s.Run("run"))
	if err != nil {
		return err
	}
	rss := int64(0)
	for _, m := range most {
		rss += m
	}
	fmt.Printf("%d requests by %d agents to %d servers in %.0f s: %d complete, %d failed; at most %d streams at once by the servers' truth\n",
		o.streams, n, n, took.Seconds(), r.Completed, r.Failed, atOnce(truth))
	fmt.Printf("agents: %.1f kB for a stream, %.0f MB in all\n", float64(rss)/float64(o.streams)/1e3, float64(rss)/1e6)
	if r.Completed != o.streams {
		return fmt.Errorf("FAIL: %v", r.Inferometer.Outcomes)
	}
	return nil
}

// atOnce is the largest number of requests that the servers had at the same moment.
func atOnce(truth stage.Truth) int {
	type change struct {
		at    int64
		added int
	}
	var all []change
	for _, seen := range truth {
		for _, s := range seen {
			all = append(all, change{s.Begun(), 1}, change{s.Ended, -1})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.added, b.added)) })
	now, most := 0, 0
	for _, c := range all {
		now += c.added
		most = max(most, now)
	}
	return most
}
