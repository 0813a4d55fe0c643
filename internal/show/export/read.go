package export

import (
	"io"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/show/section"
)

// ReadRuns measures the runs that are named by their folders or results, one after the
// other, with their timelines where they are to be drawn.
func ReadRuns(paths []string, opt measure.Options, drawn bool) ([]section.Run, error) {
	var runs []section.Run
	for _, path := range paths {
		folder, err := judged.Folder(path)
		if err != nil {
			return nil, err
		}
		run, err := ReadRun(folder, opt, drawn, len(paths))
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	section.NameApart(runs)
	return runs, nil
}

// fewRows are kept of each run, however many runs there are.
const fewRows = 500

// ReadRun measures one of several runs. The more there are, the fewer single requests
// of each are kept for the page.
func ReadRun(folder string, opt measure.Options, drawn bool, several int) (section.Run, error) {
	var also []row.Collector
	var drawing *chartdata.Collector
	if drawn {
		drawing = chartdata.NewCollector(max(chartdata.MostRows/several, fewRows))
		also = append(also, drawing)
	}
	r, err := judged.Read(folder, opt, also...)
	if err != nil {
		return section.Run{}, err
	}
	run := section.Run{Name: section.Name(r.Result, folder), Folder: folder, Result: r.Result, Verdict: r.Verdict, Explain: r.Explain}
	if drawing != nil {
		run.Drawn = drawing.Run(r.Samples, r.Scrapes, r.Result.Run.MetricNames...)
		run.Drawn.Hardware = chartdata.Hardware(r.Hardware)
		run.Drawn.TokensUnknown = r.Result.TokensInTime.Reason
	}
	return run, nil
}

// WriteRequests writes the rows of all requests while the journals are measured.
func WriteRequests(w io.Writer, f Format, paths []string, opt measure.Options) error {
	table, err := f.Rows(w)
	if err != nil {
		return err
	}
	for _, path := range paths {
		folder, err := judged.Folder(path)
		if err != nil {
			return err
		}
		if err := table.begin(folder); err != nil {
			return err
		}
		if _, err := judged.Read(folder, opt, table); err != nil {
			return err
		}
	}
	return table.Close()
}

// begin names the run whose requests follow.
func (t *Requests) begin(folder string) error {
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		return err
	}
	t.Begin(runName(folder, j.Run()), j.Run())
	return j.Close()
}

// runName is what a run is called in tables: by its label, else by its folder.
func runName(folder string, run *journal.Run) string {
	if run.Options.Label != "" {
		return run.Options.Label
	}
	return filepath.Base(folder)
}
