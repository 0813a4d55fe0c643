package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/agentic"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/pictures"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Options say what else a report holds.
type Options struct {
	SLO      slo.SLO                   // nil: none was given
	Judged   map[string]*slo.Judgement // on each run, by its folder; nil: no SLO
	Detailed bool                      // JSON: each request too
	Details  bool                      // table: all sections, not the summary alone
	Plot     bool                      // table: the run drawn in the terminal
	Chart    string                    // svg, png: which picture
	SVG      bool                      // dataset_stats: not a PNG
	ITL      [2]float64                // timeline: the lengths of gaps that it tells apart, in ms
	Version  string                    // of inferometer

	// Of the terminal.
	Width     int // where lines are broken; 0: nowhere
	PlotWidth int
	Color     bool
}

// Format is one form of a report: of whole runs, or with a row per request.
type Format struct {
	Name    string
	Endings []string // of files that are taken for it
	One     bool     // of one run only
	Binary  bool
	Drawn   bool // needs the run's timeline
	Write   func(w io.Writer, runs []section.Run, opt *Options) error
	Rows    func(w io.Writer) (*Requests, error)
	Alone   func(w io.Writer, folder string, opt measure.Options, own *Options) error // reads the journal of one run by itself
	Folder  func(dir, folder string, opt measure.Options) error                       // of several files, in a folder of their own
}

// Formats are all of them; the first is what a terminal gets.
func Formats() []Format {
	return []Format{
		{Name: "table", Endings: []string{".txt"}, Write: tables},
		{Name: "vllm", Write: vllm},
		{Name: "json", Endings: []string{".json", ".jsonl"}, Write: results},
		{Name: "html", Endings: []string{".html", ".htm"}, Drawn: true, Write: html},
		{Name: "markdown", Endings: []string{".md"}, Write: func(w io.Writer, runs []section.Run, opt *Options) error { return Markdown(w, runs, opt.SLO) }},
		{Name: "csv", Endings: []string{".csv"}, Write: func(w io.Writer, runs []section.Run, _ *Options) error { return CSV(w, runs) }},
		{Name: "parquet", Endings: []string{".parquet"}, Binary: true, Rows: RequestsParquet},
		{Name: "svg", Endings: []string{".svg"}, Drawn: true, Write: svg},
		{Name: "png", Endings: []string{".png"}, Binary: true, Drawn: true, Write: png},
		{Name: "timeline", One: true, Alone: timeline},
		{Name: "dataset_stats", One: true, Binary: true, Alone: datasetStats},
		{Name: "lm-eval", Write: func(w io.Writer, runs []section.Run, _ *Options) error { return LMEval(w, runs) }},
		{Name: "questions", One: true, Alone: questions},
		{Name: "llmd", One: true, Write: func(w io.Writer, runs []section.Run, _ *Options) error { return LLMD(w, &runs[0]) }},
		{Name: "inferencex", One: true, Write: func(w io.Writer, runs []section.Run, _ *Options) error { return InferenceX(w, &runs[0]) }},
		{Name: "inferencex-agentic", One: true, Alone: inferenceXAgentic},
		{Name: "aiperf", One: true, Folder: aiPerf},
	}
}

// FormatNames are the names of all formats.
func FormatNames() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// ByName is a format; false: there is none of that name.
func ByName(name string) (Format, bool) {
	return first(func(f Format) bool { return f.Name == name })
}

// ByEnding is the format of files with an ending; false: there is none.
func ByEnding(ending string) (Format, bool) {
	return first(func(f Format) bool { return slices.Contains(f.Endings, ending) })
}

func first(is func(Format) bool) (Format, bool) {
	all := Formats()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return Format{}, false
}

func (o *Options) of(r *section.Run) report.Options {
	return report.Options{RunDir: r.Folder, Detailed: o.Detailed, Verdict: r.Verdict, Explain: r.Explain, SLO: o.Judged[r.Folder], Details: o.Details}
}

func tables(w io.Writer, runs []section.Run, opt *Options) error {
	for i := range runs {
		shown := opt.of(&runs[i])
		shown.Width, shown.Color = opt.Width, opt.Color
		if err := report.Console(w, runs[i].Result, shown); err != nil {
			return err
		}
		if opt.Plot {
			if err := page.Plots(w, runs[i].Drawn, opt.PlotWidth); err != nil {
				return err
			}
		}
	}
	return nil
}

// vllm writes vLLM's blocks alone.
func vllm(w io.Writer, runs []section.Run, _ *Options) error {
	for i := range runs {
		if err := report.VLLM(w, runs[i].Result); err != nil {
			return err
		}
	}
	return nil
}

// results writes one result per line, as JSON.
func results(w io.Writer, runs []section.Run, opt *Options) error {
	for i := range runs {
		if err := report.JSON(w, runs[i].Result, opt.of(&runs[i])); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func html(w io.Writer, runs []section.Run, opt *Options) error {
	return page.Write(w, runs, page.Options{SLO: opt.SLO, Version: opt.Version})
}

func svg(w io.Writer, runs []section.Run, opt *Options) error {
	c, err := page.Chart(opt.Chart, runs)
	if err != nil {
		return err
	}
	return c.SVG(w)
}

// pngZoom is how many pixels there are for each of the chart's: for screens of today.
const pngZoom = 2

func png(w io.Writer, runs []section.Run, opt *Options) error {
	c, err := page.Chart(opt.Chart, runs)
	if err != nil {
		return err
	}
	return c.PNG(w, pngZoom, false)
}

// timeline and datasetStats are what vLLM's client draws beside a result.
func timeline(w io.Writer, folder string, opt measure.Options, own *Options) error {
	lanes := &chartdata.Lanes{Thresholds: own.ITL}
	run, err := judged.Read(folder, opt, lanes)
	if err != nil {
		return err
	}
	return pictures.WriteTimeline(w, run.Result.Run, lanes, own.Version)
}

func datasetStats(w io.Writer, folder string, opt measure.Options, own *Options) error {
	lengths := &chartdata.Lengths{}
	if _, err := judged.Read(folder, opt, lengths); err != nil {
		return err
	}
	return pictures.WriteDatasetStats(w, lengths, own.SVG)
}

func aiPerf(dir, folder string, opt measure.Options) error {
	return agentic.WriteAIPerf(dir, folder, opt.Rules)
}

func inferenceXAgentic(w io.Writer, folder string, opt measure.Options, _ *Options) error {
	r, err := agentic.Read(folder, opt.Rules, nil)
	if err != nil {
		return err
	}
	return agentic.WriteAggregate(w, r)
}

// AppendSections adds runs to a file of notes, made where there is none.
func AppendSections(path string, runs []section.Run) error {
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
		if err := Section(&b, &runs[i]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	_, err = f.WriteString(b.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append to the notes: %w", err)
	}
	return nil
}
