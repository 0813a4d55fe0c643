package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/bench/judgement/states"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/explain"
	simlog "github.com/inferometer/inferometer/internal/sim/truth"
	"github.com/inferometer/inferometer/internal/stats"
)

// explainTrials plays each situation some times, and asks explain what limited it. None is played again because the
// machine spoiled it.
func explainTrials(o *options) ([]tally, error) {
	atATime := o.pick(4, 3) // most of each run is sleep
	out := make([]tally, len(states.All))
	named := make([]map[string]int, len(states.All))
	places := make(chan struct{}, atATime)
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed error
	for i := range o.pick(1, 6) {
		for at := range states.All {
			situation := &states.All[at]
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				e, answered, err := explainOne(o, situation, o.seed+uint64(i))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("%s, seed %d: %w", situation.Name, o.seed+uint64(i), err))
					return
				}
				out[at].situation, out[at].quiet = situation.Name, situation.Quiet
				out[at].add(answered)
				if named[at] == nil {
					named[at] = map[string]int{}
				}
				named[at][string(e.Limit)]++
				if o.verbose && answered != right {
					fmt.Printf("%s, seed %d: %s\n    %s\n", situation.Name, o.seed+uint64(i), e.Limit, strings.Join(slices.Concat(e.Why, e.Seen), "\n    "))
				}
			})
		}
	}
	all.Wait()
	if o.verbose {
		fmt.Println("\nwhat explain named:")
		for at := range out {
			fmt.Printf("  %-32s", states.All[at].Name)
			for _, limit := range slices.Sorted(maps.Keys(named[at])) {
				fmt.Printf(" %s %d", limit, named[at][limit])
			}
			fmt.Println()
		}
		fmt.Println()
	}
	return out, failed
}

// explainOne is one run of one situation.
func explainOne(o *options, s *states.Situation, seed uint64) (e *explain.Explanation, a answer, err error) {
	set := s.Draw(seed)
	p := play{binary: o.binary, server: o.server, seed: seed, sims: set.Sims, load: set.Load, way: set.Way, beside: disturb(o, &set)}
	got, err := p.perform()
	if err != nil {
		return nil, wrong, err
	}
	defer func() {
		if o.keep && (err != nil || a != right) {
			fmt.Printf("%s, seed %d: %s\n", s.Name, seed, got.folder)
			return
		}
		got.done()
	}()
	cmd := exec.Command(o.binary, "explain", "--json", got.run())
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return nil, wrong, fmt.Errorf("explain: %w: %s", err, said.String())
	}
	e = &explain.Explanation{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, wrong, err
	}
	switch {
	case slices.Contains(s.Right, e.Limit), e.Limit == explain.Unclear && s.Says != "" && strings.Contains(strings.Join(e.Why, " "), s.Says):
		return e, right, nil
	case e.Limit == explain.Unclear:
		return e, undecided, nil
	}
	// Where this machine was busy with other things, it may be so.
	is, err := soByTheLogs(got, e.Limit)
	if err != nil || !is {
		return e, wrong, err
	}
	return e, right, nil
}

// soByTheLogs says whether the client or a change limited a run after all, by what the servers wrote down.
func soByTheLogs(p *played, limit explain.Limit) (bool, error) {
	switch limit {
	case explain.Client:
		lost, err := outsideServers(p)
		return lost >= clientLoses, err
	case explain.Changed:
		return serversChanged(p)
	}
	return false, nil
}

// serversChanged says whether a server gave its tokens a fifth slower or faster, at the median, from a request on.
func serversChanged(p *played) (bool, error) {
	for i := range p.sims {
		log, err := simlog.Read(p.truth(i))
		if err != nil {
			return false, err
		}
		slices.SortFunc(log, func(a, b simlog.Request) int { return cmp.Compare(a.Begun(), b.Begun()) })
		var gaps []float64
		for _, r := range log {
			if n := len(r.Events); n > 2 {
				gaps = append(gaps, float64(r.Events[n-1]-r.Events[0])/float64(n-1))
			}
		}
		side := max(5, len(gaps)/10)
		for at := side; at <= len(gaps)-side; at++ {
			before, after := middle(gaps[:at]), middle(gaps[at:])
			if max(before, after) >= 1.2*min(before, after) {
				return true, nil
			}
		}
	}
	return false, nil
}

func middle(values []float64) float64 { return stats.Median(slices.Sorted(slices.Values(values))) }

// clientLoses is the share of requests' time from which on it is true that the client limited the run.
const clientLoses = 0.2

// outsideServers is the share of the requests' time, from when they were due, that they were not in a server, by the
// servers' own logs.
func outsideServers(p *played) (float64, error) {
	inside, whole := 0.0, 0.0
	for i := range p.sims {
		log, err := simlog.Read(p.truth(i))
		if err != nil {
			return 0, err
		}
		for _, r := range log {
			if strings.HasSuffix(r.Path, "/completions") {
				inside += float64(r.Ended - r.Begun())
			}
		}
	}
	j, err := journal.Open(p.journal())
	if err != nil {
		return 0, err
	}
	defer j.Close()
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return 1 - inside/whole, nil
		}
		if err != nil {
			return 0, err
		}
		whole += float64(r.End - r.Due)
	}
}

// disturb is what a setting has beside the run.
func disturb(o *options, set *states.Setting) disturbance {
	all := func(*played) func() { return func() {} }
	if set.Stop.Period > 0 {
		all = both(all, stops(theClient, pauses(set.Stop)))
	}
	if set.StopSim.Period > 0 {
		all = both(all, stops(theServer, pauses(set.StopSim)))
	}
	for i := range set.Hogs {
		all = both(all, hogs(1, i%runtime.NumCPU()))
	}
	if set.Beside != nil {
		all = both(all, otherClient(o, set.Beside))
	}
	return all
}

// pauses are those of a duty, for longer than any run takes.
func pauses(d states.Duty) (all []stopped) {
	for at := time.Duration(0); at < time.Minute; at += d.Period {
		all = append(all, stopped{at, d.Stopped})
	}
	return all
}

// otherClient sends to the same server.
func otherClient(o *options, load []string) disturbance {
	return func(p *played) func() {
		args := []string{
			"bench", "serve", "--backend", "vllm", "--model", "sim", "--dataset-name", "random", "--ignore-eos", "--skip-tokenizer-init", "--quiet", "--progress", "none",
			"--base-url", p.sims[0].URL, "--seed", "77", "--run-dir", filepath.Join(p.folder, "other"),
		}
		cmd := exec.Command(o.binary, append(args, load...)...)
		if err := cmd.Start(); err != nil {
			fmt.Fprintf(os.Stderr, "judgement: no other client: %v\n", err)
			return func() {}
		}
		return func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}
