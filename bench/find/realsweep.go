package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// realSweep measures the truth as a person would, in real time: on a machine that is
// busy with other things the simulator itself is slower than its formula. The truth
// lies between the two neighbours that part the runs that held from those that did
// not, with the fewest on the wrong side.
func (b *bench) realSweep(c *config, url string) (truth, seconds float64, err error) {
	held := map[float64]bool{}
	run := func(x float64) {
		if err != nil {
			return
		}
		began := time.Now()
		held[x], err = b.realHolds(c, url, x)
		seconds += time.Since(began).Seconds()
		if b.verbose {
			fmt.Fprintf(os.Stderr, "sweep %.4g: holds %v\n", x, held[x])
		}
	}
	x := 1.0
	for run(x); err == nil && held[x]; run(x) {
		x *= 2
	}
	for y := x / 2 * 1.05; y < x && err == nil; y *= 1.05 {
		if c.closed {
			y = math.Ceil(y)
		}
		run(y)
	}
	return edgeOf(held), seconds, err
}

// edgeOf is the place with the fewest loads on the wrong side.
func edgeOf(held map[float64]bool) float64 {
	var xs []float64
	for x := range held {
		xs = append(xs, x)
	}
	slices.Sort(xs)
	best, least := 0, math.MaxInt
	for cut := 1; cut < len(xs); cut++ {
		wrong := 0
		for i, x := range xs {
			if held[x] != (i < cut) {
				wrong++
			}
		}
		if wrong < least {
			best, least = cut, wrong
		}
	}
	return math.Sqrt(xs[best-1] * xs[best])
}

func (b *bench) realHolds(c *config, url string, x float64) (bool, error) {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	flag := "--request-rate"
	if c.closed {
		flag = "--max-concurrency"
	}
	args := append([]string{"bench", "serve"}, c.workload(url)...)
	args = append(args, flag, strconv.FormatFloat(x, 'g', -1, 64), "--duration", b.long.String(), "--run-dir", folder, "--seed", strconv.Itoa(int(x*100)),
		"--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,95,99", "--progress", "none")
	if out, err := exec.Command(b.binary, args...).CombinedOutput(); err != nil {
		return false, fmt.Errorf("%w\n%s", err, out)
	}
	open := func() (*journal.Reader, error) { return journal.Open(filepath.Join(folder, journal.FileName)) }
	first, err := open()
	if err != nil {
		return false, err
	}
	again, err := open()
	if err != nil {
		return false, err
	}
	o, err := observe(first, again, c.slo)
	return use(&o) <= 1, errors.Join(err, first.Close(), again.Close())
}

// workload are the flags of what is sent, and where.
func (c *config) workload(url string) []string {
	return []string{
		"--base-url", url, "--random-input-len", strconv.Itoa(c.input), "--random-output-len", strconv.Itoa(c.output),
		"--random-range-ratio", strconv.FormatFloat(c.spread, 'g', -1, 64),
	}
}
