package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// compareReal runs the command find against the simulator, over sockets and in real time,
// and the sweep after it.
func (b *bench) compareReal(c *config) (r comparison, err error) {
	e := c.engine
	s, err := subprocess.Start(b.binary, "--engine", "batch", "--no-prefix-cache",
		"--step-base", e.Base.String(), "--step-per-prefill-token", e.PerPrefillToken.String(),
		"--step-per-sequence", e.PerSequence.String(), "--step-per-cached-token", e.PerCachedToken.String(),
		"--max-num-batched-tokens", strconv.Itoa(e.MaxNumBatchedTokens), "--max-num-seqs", strconv.Itoa(e.MaxNumSeqs),
		"--num-blocks", strconv.Itoa(e.NumBlocks))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if r.answer, err = b.realFind(c, s.URL); err != nil {
		return r, err
	}
	r.truth, r.swept, err = b.realSweep(c, s.URL)
	return r, err
}

func (b *bench) realFind(c *config, url string) (a search.Answer, err error) {
	folder, err := os.MkdirTemp("", "find")
	if err != nil {
		return a, err
	}
	defer os.RemoveAll(folder)
	cmd := exec.Command(b.binary, append([]string{
		"find", "--vary", c.word(), "--slo", c.slo.String(), "--output", folder,
		"--probe", b.short.String(), "--confirm", b.long.String(), "--max-time", b.budget().String(),
	}, c.workload(url)...)...)
	if b.verbose {
		cmd.Stderr = os.Stderr
	}
	out, err := cmd.Output()
	content, readErr := os.ReadFile(filepath.Join(folder, "find.json"))
	if readErr != nil {
		return a, fmt.Errorf("find left no answer: %w\n%s", errors.Join(err, readErr), out)
	}
	var report struct {
		Results []struct {
			Answer search.Answer `json:"answer"`
		} `json:"results"`
	}
	if err := json.Unmarshal(content, &report); err != nil || len(report.Results) != 1 {
		return a, fmt.Errorf("read find.json: %w", err)
	}
	return report.Results[0].Answer, nil
}
