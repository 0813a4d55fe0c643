package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/bench/harness"
)

type options struct {
	python, script          string
	prompts, tokens, rounds int
	seed                    uint64
}

// checkPython says what to install where it is not.
func (o options) checkPython() error {
	if out, err := exec.Command(o.python, "-c", "import numpy, tokenizers").CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot import numpy and tokenizers (%w).\n"+
			"Install them (python3 -m venv DIR && DIR/bin/pip install numpy tokenizers) and set PYTHON=DIR/bin/python\n%s", o.python, err, out)
	}
	return nil
}

// row is one tokenizer's figures, a value a round.
type row struct {
	name           string
	ours, python   []float64 // CPU seconds
	ratios         []float64
	passes         int
	pythonsVersion string
}

func measure(o options, names []string) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	fetch := exec.Command("scripts/tokenizers.sh", names...)
	fetch.Stderr = os.Stderr
	out, err := fetch.Output()
	if err != nil {
		return nil, fmt.Errorf("fetch the tokenizers: %w", err)
	}
	folders := strings.Fields(string(out))
	rows := make([]row, len(names))
	for range o.rounds {
		for i, folder := range folders {
			rows[i].name = names[i]
			if err := rows[i].round(o, self, folder); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	return rows, nil
}

// round runs both once. Each run is a new process: the word caches of both begin empty.
func (r *row) round(o options, self, folder string) error {
	prompts, tokens, seed := strconv.Itoa(o.prompts), strconv.Itoa(o.tokens), strconv.FormatUint(o.seed, 10)
	ours, err := costOf(exec.Command(self, "-generate", folder, "-prompts", prompts, "-tokens", tokens, "-seed", seed))
	if err != nil {
		return err
	}
	r.ours = append(r.ours, ours.CPUSeconds)
	if o.python == "" {
		return nil
	}
	python, err := costOf(exec.Command(o.python, o.script, filepath.Join(folder, "tokenizer.json"), prompts, tokens, seed))
	if err != nil {
		return err
	}
	if ours.SHA256 != python.SHA256 {
		return errors.New("the prompts of Python's tokenizers are others than ours: the figures would compare different work")
	}
	r.python = append(r.python, python.CPUSeconds)
	r.ratios = append(r.ratios, ours.CPUSeconds/python.CPUSeconds)
	r.passes, r.pythonsVersion = python.Passes, python.Version
	return nil
}

func costOf(cmd *exec.Cmd) (c cost, err error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return c, json.Unmarshal(out, &c)
}

func table(rows []row) string {
	var b strings.Builder
	spread := func(v []float64) string {
		if len(v) == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f (%.3f – %.3f)", harness.Median(v), slices.Min(v), slices.Max(v))
	}
	fmt.Fprintf(&b, "%-10s %24s %24s %24s  %s\n", "tokenizer", "ours, CPU s", "Python, CPU s", "ratio", "decode-encode passes")
	for _, r := range rows {
		passes := "-"
		if r.passes > 0 {
			passes = fmt.Sprintf("%d, tokenizers %s", r.passes, r.pythonsVersion)
		}
		fmt.Fprintf(&b, "%-10s %24s %24s %24s  %s\n", r.name, spread(r.ours), spread(r.python), spread(r.ratios), passes)
	}
	return b.String()
}
