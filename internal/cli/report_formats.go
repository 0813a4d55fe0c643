package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/report"
)

// format is one form of a report: of whole runs, or with a row a request.
type format struct {
	name    string
	endings []string // of files that are taken for it
	one     bool     // of one run only
	binary  bool
	drawn   bool // needs the run's timeline
	write   func(w io.Writer, runs []page.Run, o *reportOptions) error
	rows    func(w io.Writer) (*export.Requests, error)
}

// formats are all of them; the first is what a terminal gets.
func formats() []format {
	return []format{
		{name: "table", endings: []string{".txt"}, write: writeTables},
		{name: "vllm", write: writeVLLM},
		{name: "json", endings: []string{".json", ".jsonl"}, write: writeJSON},
		{name: "html", endings: []string{".html", ".htm"}, drawn: true, write: writeHTML},
		{name: "markdown", endings: []string{".md"}, write: func(w io.Writer, runs []page.Run, o *reportOptions) error { return export.Markdown(w, runs, o.limits) }},
		{name: "csv", endings: []string{".csv"}, write: func(w io.Writer, runs []page.Run, _ *reportOptions) error { return export.CSV(w, runs) }},
		{name: "parquet", endings: []string{".parquet"}, binary: true, rows: export.RequestsParquet},
		{name: "svg", endings: []string{".svg"}, drawn: true, write: writeSVG},
		{name: "png", endings: []string{".png"}, binary: true, drawn: true, write: writePNG},
		{name: "llmd", one: true, write: func(w io.Writer, runs []page.Run, _ *reportOptions) error { return export.LLMD(w, &runs[0]) }},
		{name: "inferencex", one: true, write: func(w io.Writer, runs []page.Run, _ *reportOptions) error { return export.InferenceX(w, &runs[0]) }},
	}
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// chosen is the format that was asked for.
func (o *reportOptions) chosen() format {
	f := formats()[slices.IndexFunc(formats(), func(f format) bool { return f.name == o.format })]
	if f.name == "csv" && o.table == "requests" {
		f.rows = export.RequestsCSV
	}
	return f
}

// writeRequests writes the rows of all requests while the journals are measured.
func (o *reportOptions) writeRequests(w io.Writer, f format, operands []string) error {
	opt, err := o.measureOptions()
	if err != nil {
		return err
	}
	table, err := f.rows(w)
	if err != nil {
		return err
	}
	opt.Watch = table
	for _, path := range operands {
		folder, err := runFolder(path)
		if err != nil {
			return err
		}
		j, err := journal.Open(filepath.Join(folder, journal.FileName))
		if err != nil {
			return err
		}
		name := j.Run().Options.Label
		if name == "" {
			name = filepath.Base(folder)
		}
		table.Begin(name, j.Run())
		if err := j.Close(); err != nil {
			return err
		}
		if _, err := judged.Read(folder, opt); err != nil {
			return err
		}
	}
	return table.Close()
}

func (o *reportOptions) shown(r *page.Run) report.Options {
	return report.Options{RunDir: r.Folder, Detailed: o.detailed, Verdict: r.Verdict, SLO: o.judged[r.Folder], Intervals: o.ci}
}

func writeTables(w io.Writer, runs []page.Run, o *reportOptions) error {
	for i := range runs {
		opt := o.shown(&runs[i])
		opt.Width, opt.Color = consoleWidth(w), colored(w)
		if err := report.Console(w, runs[i].Result, opt); err != nil {
			return err
		}
		if o.plot {
			if err := page.Plots(w, runs[i].Timeline, terminalWidth(w)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeVLLM writes vLLM's blocks alone.
func writeVLLM(w io.Writer, runs []page.Run, _ *reportOptions) error {
	for i := range runs {
		if err := report.VLLM(w, runs[i].Result); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one result a line.
func writeJSON(w io.Writer, runs []page.Run, o *reportOptions) error {
	for i := range runs {
		if err := report.JSON(w, runs[i].Result, o.shown(&runs[i])); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func writeHTML(w io.Writer, runs []page.Run, o *reportOptions) error {
	return page.Write(w, runs, page.Options{SLO: o.limits, Version: strings.TrimSpace(fullVersion())})
}

func writeSVG(w io.Writer, runs []page.Run, o *reportOptions) error {
	c, err := page.Chart(o.chart, runs)
	if err != nil {
		return err
	}
	return c.SVG(w)
}

// pngZoom is how many pixels there are for each of the chart's: for screens of today.
const pngZoom = 2

func writePNG(w io.Writer, runs []page.Run, o *reportOptions) error {
	c, err := page.Chart(o.chart, runs)
	if err != nil {
		return err
	}
	return c.PNG(w, pngZoom, false)
}

// appendSections adds runs to a file of notes, made where there is none.
func appendSections(path string, runs []page.Run) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("append to the notes: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	var b strings.Builder
	for i := range runs {
		if info.Size() > 0 || i > 0 {
			b.WriteString("\n")
		}
		if err := export.Section(&b, &runs[i]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	_, err = f.WriteString(b.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append to the notes: %w", err)
	}
	return nil
}
