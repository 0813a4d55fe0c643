package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

type options struct {
	dir, backend, itl, engines        string
	profile                           string
	streams, requests, tokens, rounds int
	peersToo, best, tls, whole        bool
	limits                            map[string]*float64 // of an engine's cost in that of bare, by engine; 0: none
}

// client is a program to measure; command gives its command line.
type client struct {
	name    string
	command func(sim *subprocess.Sim, streams, requests int, scratch string) *exec.Cmd
}

func (o options) clients() []client {
	yardstick := func(name string) client {
		return client{name, func(sim *subprocess.Sim, streams, requests int, _ string) *exec.Cmd {
			return exec.Command(filepath.Join(o.dir, name), "-addr", sim.Addr(), "-streams", strconv.Itoa(streams),
				"-requests", strconv.Itoa(requests), "-tokens", strconv.Itoa(o.tokens), "-chat="+strconv.FormatBool(o.backend == "openai-chat"),
				"-tls="+strconv.FormatBool(o.tls))
		}}
	}
	all := []client{yardstick("bare")}
	if runtime.GOOS == "linux" && !o.tls {
		all = append(all, yardstick("epoll"))
	}
	for engine := range strings.SplitSeq(o.engines, ",") {
		all = append(all, client{"ours, " + engine, func(sim *subprocess.Sim, streams, requests int, scratch string) *exec.Cmd {
			if requests == 0 {
				return exec.Command(filepath.Join(o.dir, "inferometer"), "version")
			}
			return exec.Command(filepath.Join(o.dir, "inferometer"), o.ours(sim, engine, streams, requests, scratch)...)
		}})
	}
	if o.peersToo {
		all = append(all, o.peers()...)
	}
	return all
}

// ours are our flags: the load alone, or with all that a user has around it.
func (o options) ours(sim *subprocess.Sim, engine string, streams, requests int, scratch string) []string {
	flags := []string{
		"bench", "serve", "--backend", o.backend, "--base-url", sim.URL, "--insecure",
		"--model", "sim", "--skip-tokenizer-init", "--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens),
		"--num-prompts", strconv.Itoa(requests), "--max-concurrency", strconv.Itoa(streams),
		"--engine", engine, "--run-dir", filepath.Join(scratch, "run"),
	}
	if o.profile != "" {
		flags = append(flags, "--cpu-profile", o.profile)
	}
	if !o.whole {
		return append(flags, "--quiet", "--progress", "none")
	}
	return append(flags, "--progress", "plain", "--save-result", "--save-detailed", "--result-dir", scratch)
}

// idle is what is taken off: the cost of a run with one request, or of a start alone.
func (o options) idle(c client, sim *subprocess.Sim) (float64, error) {
	n := 1
	if o.whole {
		n = 0
	}
	us, _, err := cost(c, sim, n, n)
	return us, err
}

// row is one client's figures, a value a round.
type row struct {
	name string
	best bool      // the best round counts, not the median
	us   []float64 // CPU µs per event
	rss  []float64 // MB
}

type table []row

func measure(o options) (table, error) {
	flags := []string{"--ttft", "50ms", "--itl", o.itl}
	if o.tls {
		flags = append(flags, "--tls")
	}
	sim, err := subprocess.Start(filepath.Join(o.dir, "inferometer"), flags...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sim.Stop() }()
	clients := o.clients()
	rows := make(table, len(clients))
	events := float64(o.requests * (o.tokens + 2)) // the tokens, usage and [DONE]
	if o.backend == "openai-chat" {
		events += float64(o.requests) // the role
	}
	for range o.rounds {
		for i, c := range clients {
			idle, err := o.idle(c, sim)
			if err != nil {
				return nil, err
			}
			cpu, rss, err := cost(c, sim, o.streams, o.requests)
			if err != nil {
				return nil, err
			}
			rows[i].name, rows[i].best = c.name, o.best
			rows[i].us = append(rows[i].us, (cpu-idle)/events)
			rows[i].rss = append(rows[i].rss, rss)
		}
		if o.best && rows.over(o) == "" {
			break
		}
	}
	return rows, nil
}

// cost runs a client and returns its CPU time in µs and its peak memory in MB.
func cost(c client, sim *subprocess.Sim, streams, requests int) (us, rssMB float64, err error) {
	scratch, err := os.MkdirTemp("", "bench-client")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(scratch)
	cmd := c.command(sim, streams, requests, scratch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", c.name, err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, errors.New("this system does not tell a process's CPU time")
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3, float64(usage.Maxrss) / 1024, nil
}

// cost is the round that counts.
func (r row) cost() float64 {
	if r.best {
		return slices.Min(r.us)
	}
	return harness.Median(r.us)
}

// ratio is a client's cost over that of bare.
func (t table) ratio(name string) float64 {
	for _, r := range t {
		if r.name == name {
			return r.cost() / t[0].cost()
		}
	}
	return 0
}

// over says which engine costs more than its limit; empty: none does.
func (t table) over(o options) string {
	for _, engine := range []string{"loop", "nethttp"} {
		if limit, r := *o.limits[engine], t.ratio("ours, "+engine); limit > 0 && r > limit {
			return fmt.Sprintf("%s costs %.2f × bare, more than %.2f", engine, r, limit)
		}
	}
	return ""
}

func (t table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %10s %18s %10s %10s\n", "CPU per event", "median µs", "spread µs", "× bare", "peak MB")
	for _, r := range t {
		fmt.Fprintf(&b, "%-16s %10.2f %18s %10.2f %10.0f\n", r.name, harness.Median(r.us),
			fmt.Sprintf("%.2f – %.2f", slices.Min(r.us), slices.Max(r.us)), t.ratio(r.name), harness.Median(r.rss))
	}
	return b.String()
}
