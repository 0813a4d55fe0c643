package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// commanded is a command of the program that runs others itself, such as ab and find: against simulators, each with its flags.
type commanded struct {
	sims   [][]string
	args   func(urls []string, out string) []string
	beside disturbance // nil: nothing disturbs it
}

// perform runs the command, and reads the file that it leaves in its folder into v. What it says is returned.
func (c *commanded) perform(binary, file string, v any) (said string, err error) {
	folder, err := os.MkdirTemp("", "judgement")
	if err != nil {
		return "", err
	}
	p := &played{folder: folder}
	defer p.done()
	var urls []string
	for _, flags := range c.sims {
		sim, err := subprocess.Start(binary, flags...)
		if err != nil {
			return "", err
		}
		defer sim.Kill()
		p.sims, urls = append(p.sims, sim), append(urls, sim.URL)
	}
	p.client = exec.Command(binary, c.args(urls, filepath.Join(folder, "out"))...)
	p.client.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(folder, "state"))
	var text strings.Builder
	p.client.Stdout, p.client.Stderr = &text, &text
	if err := p.client.Start(); err != nil {
		return "", err
	}
	stop := func() {}
	if c.beside != nil {
		stop = c.beside(p)
	}
	_ = p.client.Wait() // its exit code says how it ended, and so does its file
	stop()
	content, err := os.ReadFile(filepath.Join(folder, "out", file))
	if os.IsNotExist(err) {
		return text.String(), nil // it has decided nothing
	}
	if err != nil {
		return text.String(), err
	}
	return text.String(), json.Unmarshal(content, v)
}

// manyPauses stop one or all of the simulators again and again, for as long as anything takes: steal's stand-in.
func (d *dice) manyPauses(of who, every, shortest, longest float64) disturbance {
	var pauses []stopped
	for at := 0.0; at < 120_000; {
		at += d.between(0.3, 1.7) * every
		length := d.between(shortest, longest)
		pauses = append(pauses, stopped{span(at), span(length)})
		at += length
	}
	return stops(of, pauses)
}

// eachServer are all simulators.
func eachServer(p *played) (list []func(os.Signal) error) {
	for _, sim := range p.sims {
		list = append(list, sim.Signal)
	}
	return list
}
