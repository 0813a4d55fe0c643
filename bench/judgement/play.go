package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/relay"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// play is one run of bench serve against simulators, in a folder of its own.
type play struct {
	binary string
	server string // the program that simulates; empty: binary
	seed   uint64
	sims   [][]string // flags of each simulator
	load   []string   // flags of bench serve beside the usual ones

	way                     time.Duration                 // each way between client and server takes so long; 0: nothing lies between them
	simWithin, clientWithin []string                      // commands to run them in, such as taskset
	beside                  func(p *played) (stop func()) // what disturbs the run, from when the client has begun until it ends
}

// played is what a play left behind. Done removes it.
type played struct {
	folder   string
	sims     []*subprocess.Sim
	commands [][]string // of the simulators
	client   *exec.Cmd
	said     string
	exit     int
}

func (p *played) run() string     { return filepath.Join(p.folder, "run") }
func (p *played) journal() string { return filepath.Join(p.run(), journal.FileName) }
func (p *played) truth(sim int) string {
	return filepath.Join(p.folder, fmt.Sprintf("truth-%d.jsonl", sim))
}
func (p *played) done() { _ = os.RemoveAll(p.folder) }

// perform plays it. The simulators have ended when it returns, so that their truth is whole.
func (p *play) perform() (*played, error) {
	folder, err := os.MkdirTemp("", "judgement")
	if err != nil {
		return nil, err
	}
	out := &played{folder: folder}
	if err := p.into(out); err != nil {
		out.done()
		return nil, err
	}
	return out, nil
}

func (p *play) into(out *played) error {
	seed := strconv.FormatUint(p.seed%1_000_000, 10)
	var urls []string
	for i, flags := range p.sims {
		args := append(append([]string{}, p.simWithin...), cmp.Or(p.server, p.binary), "sim", "--until-eof", "--listen", "127.0.0.1:0", "--seed", seed, "--truth", out.truth(i))
		out.commands = append(out.commands, append(args, flags...))
		sim, err := out.simulate(i)
		if err != nil {
			return err
		}
		defer func() { out.sims[i].Kill() }()
		out.sims = append(out.sims, sim)
		url := sim.URL
		if p.way > 0 {
			between, err := relay.Open(sim.Addr(), p.way)
			if err != nil {
				return err
			}
			defer between.Close()
			url = strings.Replace(url, sim.Addr(), between.Addr(), 1)
		}
		urls = append(urls, url)
	}
	where := []string{"--base-url", urls[0]}
	if len(urls) > 1 {
		where = []string{"--targets", strings.Join(urls, ",")}
	}
	args := append(append([]string{}, p.clientWithin...), p.binary, "bench", "serve", "--backend", "vllm", "--model", "sim", "--dataset-name", "random",
		"--ignore-eos", "--skip-tokenizer-init", "--quiet", "--progress", "none", "--seed", seed, "--run-dir", out.run())
	out.client = exec.Command(args[0], append(append(args[1:], where...), p.load...)...)
	out.client.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(out.folder, "state")) // no run knows another one's prompts
	var said strings.Builder
	out.client.Stdout, out.client.Stderr = &said, &said
	if err := out.client.Start(); err != nil {
		return err
	}
	stop := func() {}
	if p.beside != nil {
		stop = p.beside(out)
	}
	err := out.client.Wait()
	stop()
	out.said, out.exit = said.String(), out.client.ProcessState.ExitCode()
	if _, missing := os.Stat(out.journal()); missing != nil {
		return fmt.Errorf("bench serve: %w: %s", err, out.said)
	}
	for _, sim := range out.sims {
		if err := sim.Stop(); err != nil {
			return err
		}
	}
	return nil
}

// simulate starts a simulator, with more flags than its own.
func (p *played) simulate(i int, more ...string) (*subprocess.Sim, error) {
	args := append(slices.Clone(p.commands[i]), more...)
	return subprocess.Run(exec.Command(args[0], args[1:]...))
}

// restart ends a simulator as a crash does, and starts it again at the same address.
func (p *played) restart(i int) error {
	p.sims[i].Kill()
	sim, err := p.simulate(i, "--listen", p.sims[i].Addr())
	if err != nil {
		return err
	}
	p.sims[i] = sim
	return nil
}

// result reads the run's own file into v.
func (p *played) result(v any) error {
	text, err := os.ReadFile(filepath.Join(p.run(), journal.ResultName))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
