// Command explain shows whether inferometer explain names what limits a run: eight states of the
// batch simulator, and two controls, with parameters drawn anew for each seed. Each is a real run
// of bench serve against real simulators over HTTP, and then inferometer explain on its journal.
//
// A state is right where explain names it, unclear where it says so, and wrong otherwise. The controls (a
// light load, a small concurrency) are wrong only where one of the eight is named.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

type bench struct {
	binary, keep   string
	scale, seconds float64
	verbose        bool

	mu    sync.Mutex
	table map[explain.Limit]map[explain.Limit]int
	odd   []string // what was not right

	repeated int // runs that this machine spoiled
}

func main() {
	b := &bench{table: map[explain.Limit]map[explain.Limit]int{}}
	flag.StringVar(&b.binary, "binary", "bin/inferometer", "the program")
	count := flag.Int("seeds", 20, "how many of each state")
	first := flag.Uint64("seed", 0, "the first seed; 0: a fresh one")
	only := flag.String("states", "", "only these, by commas")
	parallel := flag.Int("parallel", 4, "runs at a time; most of each is sleep")
	flag.Float64Var(&b.scale, "scale", 1, "by how much a step of the simulator is longer, for a busy machine")
	flag.Float64Var(&b.seconds, "seconds", 6, "for which each run sends")
	flag.StringVar(&b.keep, "keep", "", "keep the runs in this folder")
	flag.BoolVar(&b.verbose, "v", false, "show each run")
	least := flag.Int("least", 0, "how many of each state must be right; 0: all but one of twenty")
	flag.Parse()
	if *first == 0 {
		*first = rand.Uint64N(1 << 40)
	}
	fmt.Printf("seeds %d to %d, steps × %g, %g s each\n", *first, *first+uint64(*count)-1, b.scale, b.seconds)
	if b.run(*first, *count, *parallel, *only); !b.report(*count, cmp.Or(*least, *count-(*count+19)/20)) {
		os.Exit(1)
	}
}

// run does all runs, some at a time.
func (b *bench) run(first uint64, count, parallel int, only string) {
	places := make(chan struct{}, max(parallel, 1))
	var all sync.WaitGroup
	for i := range count {
		for _, s := range states {
			if only != "" && !slices.Contains(strings.Split(only, ","), string(s.limit)) {
				continue
			}
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				b.one(s, first+uint64(i))
			})
		}
	}
	all.Wait()
}

// one is one run of one state.
func (b *bench) one(s state, seed uint64) {
	name := fnv.New64a()
	_, _ = name.Write([]byte(s.limit))
	d := &dice{rand.New(rand.NewPCG(seed, name.Sum64())), b.scale, b.seconds}
	set := s.draw(d)
	e, err := b.explained(&set, s.limit, seed)
	// Where this machine had no processor for the client, the run is limited by that and nothing else.
	for try := 0; try < mostTries && err == nil && s.limit != explain.Client && starved(e); try++ {
		b.mu.Lock()
		b.repeated++
		b.mu.Unlock()
		e, err = b.explained(&set, s.limit, seed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.odd = append(b.odd, fmt.Sprintf("%s, seed %d: %v", s.limit, seed, err))
		return
	}
	if b.table[s.limit] == nil {
		b.table[s.limit] = map[explain.Limit]int{}
	}
	b.table[s.limit][e.Limit]++
	if e.Limit != s.limit || b.verbose {
		words := fmt.Sprintf("%s, seed %d: %s\n    %s\n    sim %s\n    load %s", s.limit, seed, e.Limit, strings.Join(append(e.Why, e.Seen...), "\n    "),
			strings.Join(set.servers[0], " "), strings.Join(set.load, " "))
		if b.verbose {
			fmt.Println(words)
		} else {
			b.odd = append(b.odd, words)
		}
	}
}

const mostTries = 3

// starved says that a run was limited by the processors of this machine, in the words of the client's samples.
func starved(e *explain.Explanation) bool {
	return e.Limit == explain.Client && slices.ContainsFunc(e.Why, func(s string) bool { return strings.Contains(s, "had no processor") })
}

// explained runs a setting and asks for its explanation.
func (b *bench) explained(s *setting, limit explain.Limit, seed uint64) (e *explain.Explanation, err error) {
	folder := filepath.Join(b.keep, fmt.Sprintf("%s-%d", strings.ReplaceAll(string(limit), " ", "-"), seed))
	if b.keep == "" {
		if folder, err = os.MkdirTemp("", "explain"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
	} else if err := os.RemoveAll(folder); err != nil { // of a try before
		return nil, err
	}
	var urls []string
	for _, flags := range s.servers {
		sim, err := subprocess.Start(b.binary, append(flags, "--seed", strconv.FormatUint(seed%1_000_000, 10))...)
		if err != nil {
			return nil, err
		}
		defer sim.Kill()
		urls = append(urls, sim.URL)
	}
	if err := b.serve(s, urls, folder, seed); err != nil {
		return nil, err
	}
	out, err := exec.Command(b.binary, "explain", "--json", folder).Output()
	if err != nil {
		return nil, fmt.Errorf("explain: %w", withStderr(err))
	}
	e = &explain.Explanation{}
	return e, json.Unmarshal(out, e)
}

// serve runs bench serve, stopped now and then where the setting says so.
func (b *bench) serve(s *setting, urls []string, folder string, seed uint64) error {
	args := []string{
		"bench", "serve", "--backend", "vllm", "--model", "sim", "--dataset-name", "random", "--ignore-eos", "--quiet", "--progress", "none",
		"--seed", strconv.FormatUint(seed%1_000_000, 10), "--duration", span(b.seconds), "--scrape-every", span(max(0.1, b.seconds/40)), "--run-dir", folder,
	}
	if len(urls) > 1 {
		args = append(args, "--targets", strings.Join(urls, ","))
	} else {
		args = append(args, "--base-url", urls[0])
	}
	cmd := exec.Command(b.binary, append(args, s.load...)...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	var stopper sync.WaitGroup
	if s.stop.period > 0 {
		stopper.Go(func() { s.stop.keep(cmd.Process, done) })
	}
	err := cmd.Wait()
	close(done)
	stopper.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("bench serve: %w: %s", err, said.String())
	}
	return err
}

// keep stops a process for a part of each period, until done.
func (d duty) keep(p *os.Process, done <-chan struct{}) {
	for {
		_ = p.Signal(syscall.SIGSTOP) // it may have ended
		stay(d.stopped, done)
		_ = p.Signal(syscall.SIGCONT)
		if stay(d.period-d.stopped, done) {
			return
		}
	}
}

func stay(d time.Duration, done <-chan struct{}) bool {
	select {
	case <-time.After(d):
		return false
	case <-done:
		return true
	}
}

func withStderr(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

// report prints the table; false: it is not good enough.
func (b *bench) report(count, least int) bool {
	good := len(b.odd) == 0 || !slices.ContainsFunc(b.odd, func(s string) bool { return strings.Contains(s, "bench serve:") })
	for _, words := range b.odd {
		fmt.Println(words)
	}
	fmt.Printf("\n%d runs were repeated, since this machine had no processor for the client\n", b.repeated)
	fmt.Printf("\n%-16s %6s %8s %6s  named\n", "state", "right", "unclear", "wrong")
	for _, s := range states {
		row := b.table[s.limit]
		if row == nil {
			continue
		}
		right, unclear, all := row[s.limit], row[explain.Unclear], 0
		control := s.limit == explain.None || s.limit == explain.Concurrency
		if control {
			right = row[explain.None] + row[explain.Concurrency]
		}
		var named []string
		for _, l := range explain.Limits {
			if all += row[l]; row[l] > 0 {
				named = append(named, fmt.Sprintf("%s %d", l, row[l]))
			}
		}
		wrong := all - right - unclear
		fmt.Printf("%-16s %6d %8d %6d  %s\n", s.limit, right, unclear, wrong, strings.Join(named, ", "))
		good = good && wrong == 0 && (control || right >= least)
	}
	return good
}
