package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/upload"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/show/export"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/spec"
)

// report computes the result from the journal, prints and saves it, and says by
// its error how the run ended.
func (r *serveRun) report(ctx context.Context) error {
	res, v, err := r.result()
	if res == nil {
		return err
	}
	r.events.judged(r.run.Folder(), v)
	err = errors.Join(err, r.note(res, v))
	page, pageErr := r.page()
	if err := errors.Join(r.printResult(res, v, page), err, pageErr); err != nil {
		return err
	}
	if err := r.summarize(res); err != nil {
		return err
	}
	bench.Prune(&r.host.Host, &r.Spec, r.run.Folder())
	return upload.Ending(r.ending(res, v), r.Upload.Put(ctx, r.said(), r.run.Folder()))
}

// printResult shows the result in the form that was asked for.
func (r *serveRun) printResult(res *measure.Result, v *verdict.Verdict, page string) error {
	table := func(w io.Writer) error {
		err := report.Console(w, res, report.Options{
			RunDir: r.run.Folder(), Verdict: v, SLO: r.judged, Intervals: r.CI, Width: command.ResultWidth(w), Color: command.Colored(w),
		})
		if err == nil && page != "" {
			_, err = fmt.Fprintf(w, "Page: %s\n", page)
		}
		return err
	}
	switch r.Format {
	case formatVLLM:
		return report.VLLM(r.Out, res)
	case formatJSON:
		opt := report.Options{RunDir: r.run.Folder(), Verdict: v, SLO: r.judged, Detailed: r.SaveDetailed}
		err := report.JSON(r.Out, res, opt)
		if err == nil {
			_, err = fmt.Fprintln(r.Out)
		}
		if err != nil || r.Quiet {
			return err
		}
		return table(r.Err)
	}
	return table(r.Out)
}

// page writes the page of a run beside its journal, for somebody who asked for nothing by name.
func (r *serveRun) page() (path string, err error) {
	if !r.brief {
		return "", nil
	}
	runs, err := export.ReadRuns([]string{r.run.Folder()}, measure.Options{}, true)
	if err != nil {
		return "", err
	}
	html, _ := export.ByName("html")
	path = filepath.Join(r.run.Folder(), "report.html")
	return path, atomicfile.Write(path, func(w io.Writer) error { return html.Write(w, runs, &export.Options{Version: command.Version()}) })
}

// result computes the result and writes its files. Files come before words: who
// reads our output may have gone, and the write would kill us. A result that can't
// be written is still given.
func (r *serveRun) result() (*measure.Result, *verdict.Verdict, error) {
	j, err := r.run.Reopen()
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the run's folder was removed while the run went on, so there is no result; leave it alone next time, or give another --run-dir: %w", err)
	}
	if err != nil {
		return nil, nil, errors.Join(r.run.Unwritten(), err)
	}
	defer j.Close()
	defer sparing()()
	opt := measure.Options{Detailed: r.SaveDetailed}
	if r.run.Unwritten() != nil {
		opt.Warnings = append(opt.Warnings, "the journal could not be written completely: this result is from memory, and report can only show a part of it")
	}
	drawn, also := r.newPlots()
	res, v, err := judged.Journal(j, opt, also...)
	if err != nil {
		return nil, nil, errors.Join(r.run.Unwritten(), err)
	}
	objective, err := spec.ParseSLO(r.SLO)
	if err != nil {
		return nil, nil, err
	}
	r.judged = judged.SLO(objective, r.run.Folder(), res, opt)
	show := report.Options{RunDir: r.run.Folder(), Verdict: v, SLO: r.judged}
	return res, v, errors.Join(r.run.Unwritten(), writeResult(filepath.Join(r.run.Folder(), journal.ResultName), res, show), r.save(res, v), r.draw(drawn, res))
}

// said is where it goes what was done, unless only the result is wanted.
func (r *serveRun) said() io.Writer {
	if r.Quiet {
		return nil
	}
	return r.Err
}

// sparing has garbage collected sooner until the function that it returns is called. The
// load, which must not wait for that, is over, and what the report keeps holds next to no
// pointers: a collection takes some ms.
func sparing() (restore func()) {
	const percent = 50
	before := debug.SetGCPercent(percent)
	if before < percent { // as somebody wanted it: off is below zero
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}

// answeredEarlier says that a resumed run had its answers already, and only ran programs.
func answeredEarlier(res *measure.Result) bool { return res.Eval != nil && res.Eval.Earlier > 0 }

// ending says by its error how the run ended.
func (r *serveRun) ending(res *measure.Result, v *verdict.Verdict) error {
	switch {
	case res.Interrupted == load.Overlong:
		return r.overlong(res)
	case res.Completed == 0 && !(res.Requests == 0 && answeredEarlier(res)):
		return command.Exit(command.ExitNothing, fmt.Errorf("no request completed: %s; the run is in %s", firstCause(res), r.run.Folder()))
	case res.Partial:
		return command.Exit(command.ExitPartial, fmt.Errorf("stopped early (%s): the result is partial", res.Interrupted))
	case r.Strict && v.Level == verdict.TrustInvalid:
		return command.Exit(command.ExitInvalid, errors.New("the verdict is INVALID, and --strict asks for numbers that can be trusted"))
	}
	return SLOEnding("", r.judged)
}

// firstCause is what most requests failed for.
func firstCause(res *measure.Result) string {
	if len(res.Errors) > 0 {
		e := &res.Errors[0]
		return fmt.Sprintf("%d of %d %s: %s", e.Count, res.Requests, e.Outcome, outside.Line(e.Message, 200))
	}
	for _, o := range res.Outcomes {
		if o.Outcome != journal.Complete && o.Count > 0 {
			return fmt.Sprintf("%d of %d %s", o.Count, res.Requests, o.Outcome)
		}
	}
	return "none was sent"
}

// save writes the result where --save-result and --append-result want it.
func (r *serveRun) save(res *measure.Result, v *verdict.Verdict) error {
	if !r.SaveResult && !r.AppendResult {
		return nil
	}
	path := r.ResultPath(report.FileName(res))
	opt := report.Options{RunDir: r.run.Folder(), Detailed: r.SaveDetailed, Verdict: v, SLO: r.judged}
	if !r.AppendResult {
		if err := writeResult(path, res, opt); err != nil {
			return err
		}
	} else if err := appendResult(path, res, opt); err != nil {
		return err
	}
	r.host.Say("result: %s", path)
	return nil
}

// note adds the run to the file of --append-markdown.
func (r *serveRun) note(res *measure.Result, v *verdict.Verdict) error {
	if r.AppendMarkdown == "" {
		return nil
	}
	return export.AppendSections(r.AppendMarkdown, []section.Run{{Name: section.Name(res, r.run.Folder()), Folder: r.run.Folder(), Result: res, Verdict: v}})
}

// writeResult writes a new result whole or not at all.
func writeResult(path string, res *measure.Result, opt report.Options) error {
	return WriteJSONFile(path, func(w io.Writer) error { return report.JSON(w, res, opt) })
}

// WriteJSONFile writes what a command was asked to leave, whole or not at all.
func WriteJSONFile(path string, write func(io.Writer) error) error {
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

func appendResult(path string, res *measure.Result, opt report.Options) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("append the result: %w", err)
	}
	return errors.Join(report.Append(f, res, opt), f.Close())
}

// overlong is the end of a run whose answers are far longer than asked for.
func (r *serveRun) overlong(res *measure.Result) error {
	field, other := "max_tokens", "max_completion_tokens"
	if r.Chat() {
		field, other = other, field
	}
	cut := 0
	for _, o := range res.Outcomes {
		if o.Outcome == journal.Long {
			cut = o.Count
		}
	}
	words := fmt.Sprintf("the run was stopped: answers are far longer than asked for (%d were cut off), so the server ignores %s", cut, field)
	if r.run.OldLimit() {
		return command.Exit(command.ExitNothing, errors.New(words+" and "+other))
	}
	return command.Exit(command.ExitNothing, fmt.Errorf(`%s; say the length in a field that it knows, such as --extra-body '{"%s": 128}'`, words, other))
}

// checkFormat lets --result-filename - mean the result as JSON on standard output.
func (o *Options) checkFormat() error {
	if o.ResultFilename != "-" {
		return nil
	}
	switch {
	case o.AppendResult:
		return argv.Errorf("result-filename", "- is standard output, to which nothing can be appended")
	case o.Format == formatVLLM:
		return argv.Errorf("result-filename", "- prints JSON to standard output, and --format %s another form", o.Format)
	}
	o.Format, o.SaveResult, o.ResultFilename = formatJSON, false, ""
	return nil
}

// SLOEnding says by its error that an SLO is not kept.
func SLOEnding(name string, j *slo.Judgement) error {
	if j == nil {
		return nil
	}
	for _, c := range j.Checks {
		if c.Status == slo.Broken {
			return command.Exit(command.ExitSLO, fmt.Errorf("%sthe SLO is broken: %s", name, c))
		}
	}
	for _, c := range j.Checks {
		if c.Status == slo.Unknown {
			return command.Exit(command.ExitUndecided, fmt.Errorf("%swhether the SLO holds is not known: %s", name, c))
		}
	}
	return nil
}

// WorstEnding is the first broken SLO, or else the first that is not known.
func WorstEnding(endings []error) (worst error) {
	for _, err := range endings {
		var c command.Coded
		if errors.As(err, &c) && c.Code == command.ExitSLO {
			return err
		}
		if worst == nil {
			worst = err
		}
	}
	return worst
}

// SendBatches sends batches of one shape, and reads them back from the journal.
func SendBatches(ctx context.Context, s command.Streams, o *Options, drain <-chan struct{}) ([]batch.Batch, *verdict.Verdict, error) {
	r := newServeRun(o, s)
	if err := r.execute(ctx, drain); err != nil {
		return nil, nil, err
	}
	defer r.run.Close()
	res, v, unwritten := r.result()
	if res == nil {
		return nil, v, unwritten
	}
	j, err := r.run.Reopen() // once more, for its batches
	if err != nil {
		return nil, v, err
	}
	defer j.Close()
	batches, err := batch.Read(j, j.Run().Options.Batch)
	return batches, v, errors.Join(unwritten, err)
}
