package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// measure runs every client at every load, round by round, and keeps each run.
func measure(o options) error {
	all, absent, err := clients(o)
	if err != nil {
		return err
	}
	chosen, err := pick(o.loads)
	if err != nil {
		return err
	}
	if old, _ := filepath.Glob(filepath.Join(o.out, "*"+ending)); len(old) > 0 {
		return fmt.Errorf("%s holds raw files already: give another -out, or remove it", o.out)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	for _, a := range absent {
		fmt.Fprintln(os.Stderr, "left out:", a)
	}
	begun := time.Now()
	for round := range o.rounds {
		for _, l := range chosen {
			if l.Name == broken && round > 0 {
				continue // what a client says of broken streams it says each time
			}
			if o.quick {
				l = l.tenth()
			}
			for _, c := range all {
				if l.Name == broken && c.name == bare {
					continue
				}
				if time.Since(begun) > o.limit {
					fmt.Fprintln(os.Stderr, "left out, for -limit is over: round", round+1, l.Name, c.name)
					continue
				}
				k, err := once(o, c, l, round+1)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, l.Name, err)
				}
				fmt.Fprintf(os.Stderr, "%6.0fs round %d %-7s %-12s exit %d, %.1f s, %.1f s of CPU %s\n",
					time.Since(begun).Seconds(), round+1, l.Name, c.name, k.Exit, k.Seconds, k.CPU, k.Why)
				if err := k.write(o.out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// once is one run of one client against a simulator of its own. What the client and the simulator wrote stays in a folder beside.
func once(o options, c client, l load, round int) (*kept, error) {
	dir, err := filepath.Abs(filepath.Join(o.out, fmt.Sprintf("%s-%d-%s", l.Name, round, strings.ReplaceAll(c.name, ", ", "-"))))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	log := filepath.Join(dir, "truth.jsonl")
	flags := []string{"--ttft", l.TTFT, "--itl", l.ITL, "--truth", log, "--seed", strconv.Itoa(round)}
	if l.Fault != "" {
		flags = append(flags, "--fault", l.Fault)
	}
	sim, err := subprocess.Start(filepath.Join(o.bin, "inferometer"), flags...)
	if err != nil {
		return nil, err
	}
	k := &kept{Client: c.name, Round: round, Load: l, Machine: here()}
	k.Average, _ = machine.This().LoadAverage()
	console, err := k.start(o, c, sim.URL, dir)
	if stop := sim.Stop(); err == nil {
		err = stop
	}
	if err != nil {
		return nil, err
	}
	if k.Truth, err = readTruth(log, l.Requests); err != nil {
		return nil, err
	}
	if c.result != "" {
		if k.Shown, err = read(filepath.Join(dir, c.result), console); err != nil {
			k.Why = outside.Sentence(strings.ReplaceAll(err.Error(), dir, "DIR"))
		}
	}
	return k, nil
}

// start runs the client to its end, or ends it, and gives what it printed.
func (k *kept) start(o options, c client, url, dir string) (string, error) {
	cmd := exec.Command(c.program, c.args(url, k.Load, dir)...)
	for _, a := range append([]string{filepath.Base(c.program)}, cmd.Args[1:]...) {
		a = strings.ReplaceAll(strings.ReplaceAll(a, dir, "DIR"), url, "URL")
		k.Command = append(k.Command, strings.ReplaceAll(a, modelFolder(), "MODEL"))
	}
	if i := slices.Index(k.Command, "-addr"); i >= 0 {
		k.Command[i+1] = "URL"
	}
	console, err := os.Create(filepath.Join(dir, "console.txt"))
	if err != nil {
		return "", err
	}
	defer console.Close()
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), c.env...), console, console
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Path, err = filepath.Abs(cmd.Path); err != nil {
		return "", err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	seen := watch(cmd.Process.Pid)
	end := time.AfterFunc(o.patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	_ = cmd.Wait() // its exit code is part of what is measured
	end.Stop()
	k.Seconds, k.Exit = time.Since(begun).Seconds(), cmd.ProcessState.ExitCode()
	k.CPU, k.Peak = seen.end()
	k.CPU = max(k.CPU, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	text, err := os.ReadFile(console.Name())
	return string(text), err
}

func modelFolder() string {
	_, model, _ := strings.Cut(strings.TrimSpace(os.Getenv("INFEROMETER_VLLM")), "\n")
	return model
}

// here describes the machine without its name.
func here() string {
	kernel, err := machine.This().Line("proc/sys/kernel/osrelease")
	if err != nil {
		kernel = "unknown"
	}
	return fmt.Sprintf("%d cores, %s, %s %s", runtime.NumCPU(), machine.This().CPUModel(), runtime.GOOS, kernel)
}

// read takes a client's own figures from its result.
func read(path, console string) (*shown, error) {
	runs, err := foreign.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(runs) != 1 {
		return nil, fmt.Errorf("%d runs in one result", len(runs))
	}
	r := runs[0]
	s := &shown{Values: map[string]float64{}, Completed: r.Facts.Completed, Failed: r.Facts.Failed}
	for _, metric := range []string{"ttft", "itl", "tpot"} {
		for _, p := range []string{"median", "p50", "p99"} {
			if v, ok := r.Values[p+"_"+metric+"_ms"]; ok {
				s.Values[p+"_"+metric+"_ms"] = v
			}
		}
	}
	if v, ok := r.Values["request_throughput"]; ok {
		s.Values["request_throughput"] = v
	}
	if s.Failed != nil {
		s.Told = told(console, *s.Failed)
	}
	return s, nil
}

var failure = regexp.MustCompile(`(?i)fail|err|incomplete|broken|cut short|truncat`)

// told says whether a line of the console has the number of failures beside a word for them.
// A table's heading may be lines above its numbers: then its whole block counts.
func told(console string, failed int) bool {
	number := regexp.MustCompile(`(^|[^0-9.,])` + strconv.Itoa(failed) + `(\.0+)?([^0-9.,]|$)`)
	for block := range strings.SplitSeq(console, "\n\n") {
		if failed > 0 && failure.MatchString(block) && number.MatchString(block) {
			return true
		}
	}
	return false
}
