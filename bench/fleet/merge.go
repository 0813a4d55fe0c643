//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/merge"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

// mergeRate measures how fast journals become one. Their lines are those of a real run,
// again and again.
func mergeRate(o options) error {
	return onStage(o, func(s *stage.Stage) error {
		run, lines, err := o.realLines(s)
		if err != nil {
			return err
		}
		plan, bytes, err := o.copies(s.Dir, run, lines)
		if err != nil {
			return err
		}
		runtime.GC()
		w, err := journal.Create(filepath.Join(s.Dir, journal.FileName))
		if err != nil {
			return err
		}
		began, before := time.Now(), ownCPU()
		sum, err := merge.Merge(plan, w)
		if err := errors.Join(err, w.Close()); err != nil {
			return err
		}
		took, cpu := time.Since(began), ownCPU()-before
		if sum.Complete != o.requests {
			return fmt.Errorf("FAIL: %+v", sum)
		}
		info, err := os.Stat(filepath.Join(s.Dir, journal.FileName))
		if err != nil {
			return err
		}
		fmt.Printf("merged %d journals of %d requests × %d tokens, %.1f MB (%.0f B a request), into %.1f MB: %.1f s, CPU %.1f s, so %.0f requests and %.1f MB per second of CPU\n",
			o.agents, o.requests, o.tokens, float64(bytes)/1e6, float64(bytes)/float64(o.requests), float64(info.Size())/1e6, took.Seconds(), cpu.Seconds(),
			float64(o.requests)/cpu.Seconds(), float64(bytes)/1e6/cpu.Seconds())
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			return err
		}
		fmt.Printf("memory at its peak: %.0f MB\n", float64(usage.Maxrss)/1024)
		return nil
	})
}

func ownCPU() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // never fails for oneself
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// realLines are the requests of a real run.
func (o options) realLines(s *stage.Stage) (*journal.Run, []*journal.Request, error) {
	sim, err := s.StartSim("sim", nil, "127.0.0.1", "--ttft", o.ttft, "--itl", o.itl)
	if err != nil {
		return nil, nil, err
	}
	folder := filepath.Join(s.Dir, "real")
	out, err := exec.Command(s.Program, "bench", "serve", "--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init", "--random-input-len", "256",
		"--random-output-len", strconv.Itoa(o.tokens), "--num-prompts", "500", "--max-concurrency", "100", "--run-dir", folder, "--quiet").CombinedOutput()
	if err != nil {
		return nil, nil, fmt.Errorf("bench serve: %w\n%s", err, out)
	}
	j, err := stage.ReadJournal(folder)
	if err != nil {
		return nil, nil, err
	}
	var lines []*journal.Request
	for _, all := range j.Requests {
		lines = append(lines, all...)
	}
	return j.Run, lines, nil
}

// copies writes the journals of agents.
func (o options) copies(dir string, run *journal.Run, lines []*journal.Request) (*merge.Plan, int64, error) {
	weights := share.Equal(0, o.agents).Weights
	plan := &merge.Plan{Run: "merge", Start: run.StartUnixNs, Lease: time.Minute}
	total := int64(0)
	for a := range o.agents {
		path := filepath.Join(dir, fmt.Sprintf("%d.zst", a))
		w, err := journal.Create(path)
		if err != nil {
			return nil, 0, err
		}
		if err := w.Run(run); err != nil {
			return nil, 0, err
		}
		n := 0
		for i := a; i < o.requests; i += o.agents {
			q := *lines[(i/o.agents+a)%len(lines)]
			moved := int64(i/o.agents) * int64(10*time.Millisecond)
			q.Index, q.ID = i, "merge-"+strconv.Itoa(i)
			if err := q.Move(moved - q.Due); err != nil {
				return nil, 0, err
			}
			w.AppendWaiting(journal.AppendRequest(nil, &q))
			n++
		}
		if err := errors.Join(w.End(&journal.End{Sent: n}), w.Close()); err != nil {
			return nil, 0, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, err
		}
		total += info.Size()
		plan.Agents = append(plan.Agents, merge.Agent{
			ID: fmt.Sprintf("a%d", a), Share: share.Share{Index: a, Weights: weights}, Journal: path, Whole: true, LastContact: run.StartUnixNs,
			Status: &message.Status{Phase: message.Ended, Sent: n, Reserved: n},
		})
	}
	plan.Planned = func(yield func(merge.Request) bool) {
		for i := range o.requests {
			if !yield(merge.Request{Index: i, Agent: i % o.agents}) {
				return
			}
		}
	}
	return plan, total, nil
}
