package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/fireworks"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/report"
)

// mostFailed is the share of failures above which fw-ai/benchmark writes no row:
// its columns have no place for them.
const mostFailed = 0.01

// summarize adds the row of --summary-file.
func (r *serveRun) summarize(res *measure.Result) error {
	if r.SummaryFile == "" {
		return nil
	}
	if float64(res.Failed) > mostFailed*float64(res.Requests) {
		fmt.Fprintf(r.Err, "note: no row in %s: %d of %d requests failed, more than 1 %%, and its columns could not say so\n", r.SummaryFile, res.Failed, res.Requests)
		return nil
	}
	j, err := journal.Open(filepath.Join(r.run.Folder(), journal.FileName))
	if err != nil {
		return err
	}
	defer j.Close()
	l, err := fireworks.Measure(j, int64(r.SpawnTime()))
	if err != nil {
		return err
	}
	if l.Requests == 0 {
		fmt.Fprintf(r.Err, "note: no row in %s: nothing completed after all users were there\n", r.SummaryFile)
		return nil
	}
	f, err := os.OpenFile(r.SummaryFile, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("write --summary-file: %w", err)
	}
	row := report.FireworksRun{
		Provider: r.Backend, Model: r.run.SentModel(), Temperature: r.Temperature, Logprobs: r.Logprobs,
		Concurrency: r.concurrencyWords(res), Fireworks: *l,
	}
	if err := errors.Join(report.AppendFireworks(f, &row), f.Close()); err != nil {
		return fmt.Errorf("write --summary-file: %w", err)
	}
	return nil
}

// concurrencyWords are the users, or the rate in fw-ai/benchmark's words.
func (r *serveRun) concurrencyWords(res *measure.Result) string {
	switch {
	case r.SummaryLoad != "":
		return r.SummaryLoad
	case r.MaxConcurrency != nil:
		return strconv.Itoa(*r.MaxConcurrency)
	}
	return strconv.Itoa(res.PeakConcurrency)
}
