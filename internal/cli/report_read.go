package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// readRun computes a run's result from its journal, and whether it may be
// trusted, in one pass.
func readRun(folder string, opt measure.Options) (*measure.Result, *verdict.Verdict, error) {
	r, v, _, err := readJournal(folder, opt)
	return r, v, err
}

// readJournal is readRun and the journal, which was read to its end.
func readJournal(folder string, opt measure.Options) (*measure.Result, *verdict.Verdict, *journal.Reader, error) {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		if errors.Is(err, journal.ErrNoRun) {
			return nil, nil, nil, fmt.Errorf("%w; the run was killed before its first second was over, or its disk was full", err)
		}
		return nil, nil, nil, err
	}
	defer j.Close()
	r, v, err := judge(j, opt)
	return r, v, j, err
}

// judge reads a journal to its end.
func judge(j *journal.Reader, opt measure.Options) (*measure.Result, *verdict.Verdict, error) {
	judged := judgedReader{j, verdict.NewCollector(j.Run(), verdict.Options{Percentiles: opt.Percentiles, PercentileMetrics: opt.PercentileMetrics})}
	r, err := measure.Measure(judged, opt)
	if err != nil {
		return nil, nil, err
	}
	if j.Damage() != nil {
		r.Warnings = append([]string{fmt.Sprintf("the journal can't be read to its end (%v): what a killed run loses is its last second", j.Damage())}, r.Warnings...)
	}
	if n, why := j.Skipped(); n > 0 {
		r.Warnings = append([]string{fmt.Sprintf("lines of the journal that are left out: %d (%v)", n, why)}, r.Warnings...)
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
	d := json.NewDecoder(bytes.NewReader(pyjson.Strict(results)))
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
