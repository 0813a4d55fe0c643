package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/show/report"
)

// prober runs the probes of one search, each a bench serve of its own.
type prober struct {
	options *findOptions
	program string
	args    []string // the workload's
	folder  string   // of the search
	servers []*target.Target
	said    string // the error that the last probe ended with, if any
}

// errInterruptedProbe: the user wants no more.
var errInterruptedProbe = errors.New("interrupted")

// run makes the n-th probe, from 1.
func (p *prober) run(ctx context.Context, drain <-chan struct{}, n int, probe search.Probe) (search.Observation, error) {
	began := time.Now()
	folder := filepath.Join(p.folder, "probes", fmt.Sprintf("%03d", n))
	if err := os.RemoveAll(folder); err != nil {
		return search.Observation{}, fmt.Errorf("clear a probe's folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return search.Observation{}, fmt.Errorf("make a probe's folder: %w", err)
	}
	length := time.Duration(probe.Seconds * float64(time.Second))
	run := filepath.Join(folder, "run")
	args := p.options.probeArgs(p.args, probe.X, length, p.options.serve.Seed+n, run)
	if err := p.bench(ctx, drain, folder, args); err != nil {
		return search.Observation{}, err
	}
	o, err := observe(run, p.options.objective)
	if err != nil {
		return o, err
	}
	p.drain(ctx)
	o.X, o.Purpose, o.Run, o.At = probe.X, probe.Purpose, run, began
	o.Seconds, o.Cost = probe.Seconds, time.Since(began).Seconds()
	return o, nil
}

// bench runs bench serve. One that measured something has done its work, whatever
// its exit code: over the edge requests may well fail.
func (p *prober) bench(ctx context.Context, drain <-chan struct{}, folder string, args []string) error {
	command := ownCommand(p.program, append([]string{"bench", "serve"}, args...))
	command.Log, command.Grace = filepath.Join(folder, "bench.log"), time.Second
	process, err := target.Start(command)
	if err != nil {
		return fmt.Errorf("run bench serve: %w", err)
	}
	defer process.Stop()
	select {
	case <-process.Exited():
	case <-drain:
		return errInterruptedProbe
	case <-ctx.Done():
		return errInterruptedProbe
	}
	process.Wait()
	p.said = ""
	if process.Err() != nil {
		p.said = lastError(process.Tail(5))
	}
	if _, err := os.Stat(filepath.Join(folder, "run", journal.ResultName)); err != nil {
		return fmt.Errorf("%s (its log is %s)", p.said, filepath.Join(folder, "bench.log"))
	}
	return nil
}

// lastError is what bench serve said of its end, by the last lines of its log.
func lastError(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if text, ok := strings.CutPrefix(lines[i], "inferometer bench serve: "); ok {
			return text
		}
	}
	return lines[len(lines)-1]
}

// observe reads a probe from its journal, without its start; see measure.SettledFrom.
func observe(run string, objective slo.SLO) (search.Observation, error) {
	file := filepath.Join(run, journal.FileName)
	from := int64(0)
	err := withJournal(file, func(j *journal.Reader) (err error) {
		from, err = measure.SettledFrom(j)
		return err
	})
	if err != nil {
		return search.Observation{}, err
	}
	var b bytes.Buffer
	err = withJournal(file, func(j *journal.Reader) error {
		r, err := measure.Measure(measure.After(j, from), measure.Options{})
		if err != nil {
			return err
		}
		return report.JSON(&b, r, report.Options{})
	})
	if err != nil {
		return search.Observation{}, err
	}
	o, err := search.FromResult(b.Bytes(), objective)
	if err != nil {
		return o, err
	}
	whole, err := os.ReadFile(filepath.Join(run, journal.ResultName))
	if err != nil {
		return o, fmt.Errorf("read a probe's result: %w", err)
	}
	judged, err := search.FromResult(whole, objective)
	o.Numbers.Verdict, o.Numbers.Reasons = judged.Numbers.Verdict, judged.Numbers.Reasons
	return o, err
}

func withJournal(file string, use func(*journal.Reader) error) error {
	j, err := journal.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(use(j), j.Close())
}

const (
	drainEvery = 100 * time.Millisecond
	drainMost  = 30 * time.Second
)

// drain waits until the servers say that nothing is under way; where one does not
// say, the cool-down passes.
func (p *prober) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainMost)
	defer cancel()
	for _, t := range p.servers {
		for {
			m, err := t.Metrics(ctx)
			busy, told := m.UnderWay()
			if err == nil && told && busy == 0 {
				break
			}
			pause := drainEvery
			if !told {
				pause = p.options.cooldown
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			if !told {
				break
			}
		}
	}
}
