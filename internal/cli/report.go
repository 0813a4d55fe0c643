package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/measure"
	"github.com/inferometer/inferometer/internal/report"
	"github.com/inferometer/inferometer/internal/verdict"
)

func reportRun(_ context.Context, s streams, args []string) error {
	set := argv.New("inferometer report",
		"Show the result of a run again, from its journal: also of a run that was killed, and with other percentiles or limits.")
	set.Example("The result of a run, by its folder", "inferometer report runs/20260102T030405Z-1")
	set.Example("The same, by the result that it saved", "inferometer report out.json")
	set.Example("Other percentiles, by vLLM's own rules", "inferometer report out.json --metric-percentiles 50,90,99.9 --compat vllm")
	set.Operands("RUN", 1, 1)
	var o reportOptions
	set.Choice(&o.format, "format", "table", []string{"table", "json"}, "What to print.")
	set.Bool(&o.detailed, "detailed", "With json: each request's lengths, times, text and error too.")
	set.CSV(&o.metrics, "percentile-metrics", nil, "Metrics to report.", argv.Shown("as in the run"))
	set.Floats(&o.percentiles, "metric-percentiles", nil, "Percentiles to report of them.", argv.Shown("as in the run"))
	set.KeyValues(&o.goodput, "goodput", argv.OneOrMore, "Limits in ms, as in ttft:200 itl_p99:50 tpot:30 e2el:5000.", argv.Separator(":"))
	set.Choice(&o.compat, "compat", "", []string{"vllm", "none"}, "Whose rules: vllm's, or none but ours.", argv.Shown("as in the run"))
	set.Bool(&o.ci, "ci", ciHelp)
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	folder, err := runFolder(set.Args()[0])
	if err != nil {
		return err
	}
	opt, err := o.measureOptions()
	if err != nil {
		return err
	}
	r, v, err := readRun(folder, opt)
	if err != nil {
		return err
	}
	shown := report.Options{RunDir: folder, Detailed: o.detailed, Verdict: v, Intervals: o.ci}
	if o.format == "json" {
		if err := report.JSON(s.out, r, shown); err != nil {
			return err
		}
		_, err := fmt.Fprintln(s.out)
		return err
	}
	return report.Console(s.out, r, shown)
}

type reportOptions struct {
	format, compat string
	detailed, ci   bool
	metrics        []string
	percentiles    []float64
	goodput        []argv.Pair
}

func (o *reportOptions) measureOptions() (measure.Options, error) {
	opt := measure.Options{PercentileMetrics: o.metrics, Percentiles: o.percentiles, Detailed: o.detailed}
	limits := serveOptions{goodput: o.goodput}
	if err := limits.setGoodput(); err != nil {
		return opt, err
	}
	opt.Goodput = goodputMap(limits.Goodput)
	switch o.compat {
	case "vllm":
		opt.Compat = &o.compat
	case "none":
		opt.Compat = new(string)
	}
	return opt, nil
}

// readRun computes a run's result from its journal, and whether it may be
// trusted, in one pass.
func readRun(folder string, opt measure.Options) (*measure.Result, *verdict.Verdict, error) {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		if errors.Is(err, journal.ErrNoRun) {
			return nil, nil, fmt.Errorf("%w; the run was killed before its first second was over", err)
		}
		return nil, nil, err
	}
	defer j.Close()
	judged := judgedReader{j, verdict.NewCollector(j.Run(), verdict.Options{Percentiles: opt.Percentiles, PercentileMetrics: opt.PercentileMetrics})}
	r, err := measure.Measure(judged, opt)
	if err != nil {
		return nil, nil, err
	}
	if j.Damage() != nil {
		r.Warnings = append([]string{fmt.Sprintf("the journal ends in the middle (%v): its last second is lost", j.Damage())}, r.Warnings...)
	}
	return r, judged.collector.Verdict(j.End(), j.Samples(), j.Scrapes()), nil
}

// judgedReader shows each request to the verdict on its way to measure.
type judgedReader struct {
	*journal.Reader
	collector *verdict.Collector
}

func (j judgedReader) Next() (*journal.Request, error) {
	req, err := j.Reader.Next()
	if err != nil {
		return nil, err
	}
	return req, j.collector.Add(req)
}

// runFolder finds the folder of a run: the path itself, or what a result file says.
func runFolder(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%w; give the run's folder, or a result saved by bench serve", err)
	}
	if info.IsDir() {
		return filepath.Abs(path) // as the run itself has named it
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	folder, err := lastRun(b)
	if err != nil {
		return "", fmt.Errorf("%s is neither a run's folder nor a result: %w", path, err)
	}
	if folder == "" {
		return "", fmt.Errorf("%s was not written by inferometer: it names no run", path)
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(path), folder)
	}
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("the run's folder is gone: %w; only the newest --keep-runs are kept, use --run-dir to keep one", err)
	}
	return folder, nil
}

// lastRun reads the run's folder from a result. With --append-result a file holds
// several: the last one counts. It may have been laid out anew by other tools.
func lastRun(results []byte) (string, error) {
	folder := ""
	d := json.NewDecoder(bytes.NewReader(strictJSON(results)))
	for n := 0; ; n++ {
		var result struct {
			Inferometer struct {
				Run string `json:"run"`
			} `json:"inferometer"`
		}
		switch err := d.Decode(&result); {
		case errors.Is(err, io.EOF) && n > 0:
			return folder, nil
		case err != nil:
			return "", err
		}
		folder = result.Inferometer.Run
	}
}
