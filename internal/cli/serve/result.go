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
	"github.com/inferometer/inferometer/internal/judge/rules"
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
	of, err := r.result()
	if of == nil {
		return err
	}
	res, v := of.Result, of.Verdict
	r.events.judged(r.run.Folder(), v)
	err = errors.Join(err, r.note(of))
	page, pageErr := r.page()
	if err := errors.Join(r.printResult(of, page), err, pageErr); err != nil {
		return err
	}
	if err := r.summarize(res); err != nil {
		return err
	}
	bench.Prune(&r.host.Host, &r.Spec, r.run.Folder())
	return upload.Ending(r.ending(res, v), r.Upload.Put(ctx, r.said(), r.run.Folder()))
}

// printResult shows the result in the form that was asked for.
func (r *serveRun) printResult(of *judged.Run, page string) error {
	opt := r.shown(of)
	opt.Page = page
	table := func(w io.Writer) error {
		opt.Details, opt.Width, opt.Color = r.Details, command.ResultWidth(w), command.Colored(w)
		if r.brief && !r.Details {
			return report.Summary(w, of.Result, opt)
		}
		return report.Console(w, of.Result, opt)
	}
	switch r.Format {
	case formatVLLM:
		return report.VLLM(r.Out, of.Result)
	case formatJSON:
		opt.Detailed = r.SaveDetailed
		err := report.JSON(r.Out, of.Result, opt)
		if err == nil {
			_, err = fmt.Fprintln(r.Out)
		}
		if err != nil || r.Quiet {
			return err
		}
		return table(r.Err)
	}
	if of.Result.Compat != "" && !r.Details && !r.Quiet { // then standard output has vLLM's block alone
		opt.Width, opt.Color = command.ResultWidth(r.Err), command.Colored(r.Err)
		return errors.Join(report.Doubts(r.Err, of.Result, opt), table(r.Out))
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

// shown is what a report says of the run beside its result.
func (r *serveRun) shown(of *judged.Run) report.Options {
	return report.Options{RunDir: r.run.Folder(), Verdict: of.Verdict, Explain: of.Explain, SLO: r.judged}
}

// result computes the result and writes its files. Files come before words: who
// reads our output may have gone, and the write would kill us. A result that can't
// be written is still given.
func (r *serveRun) result() (*judged.Run, error) {
	j, err := r.run.Reopen()
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the run's folder was removed while the run went on, so there is no result; leave it alone next time, or give another --run-dir: %w", err)
	}
	if err != nil {
		return nil, errors.Join(r.run.Unwritten(), err)
	}
	defer j.Close()
	defer sparing()()
	opt := measure.Options{Detailed: r.SaveDetailed}
	if r.run.Unwritten() != nil {
		opt.Warnings = append(opt.Warnings, "the journal could not be written completely: this result is from memory, and report can only show a part of it")
	}
	drawn, also := r.newPlots()
	of, err := judged.Journal(j, opt, also...)
	if err != nil {
		return nil, errors.Join(r.run.Unwritten(), err)
	}
	objective, err := spec.ParseSLO(r.SLO)
	if err != nil {
		return nil, err
	}
	r.judged = judged.SLO(objective, r.run.Folder(), of.Result, opt)
	return of, errors.Join(r.run.Unwritten(), writeResult(filepath.Join(r.run.Folder(), journal.ResultName), of.Result, r.shown(of)), r.save(of), r.draw(drawn, of.Result))
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
	return WorstEnding([]error{SLOEnding("", r.judged), RulesEnding("", res.Rules)})
}

// firstCause is what most requests failed for.
func firstCause(res *measure.Result) string {
	if len(res.Errors) > 0 {
		e := &res.Errors[0]
		return fmt.Sprintf("%d of %d %s: %s", e.Count, res.Requests, e.Outcome, outside.Line(e.Message, 200))
	}
	for _, o := range res.Outcomes {
		if o.Outcome == journal.HungUp && o.Count == res.Requests && o.Count > 0 {
			return fmt.Sprintf("all %d were ended on purpose by --request-cancellation-rate", o.Count)
		}
		if o.Outcome != journal.Complete && o.Count > 0 {
			return fmt.Sprintf("%d of %d %s", o.Count, res.Requests, o.Outcome)
		}
	}
	return "none was sent"
}

// save writes the result where --save-result and --append-result want it.
func (r *serveRun) save(of *judged.Run) error {
	if !r.SaveResult && !r.AppendResult {
		return nil
	}
	path, opt := r.ResultPath(report.FileName(of.Result)), r.shown(of)
	opt.Detailed = r.SaveDetailed
	if !r.AppendResult {
		if err := writeResult(path, of.Result, opt); err != nil {
			return err
		}
	} else if err := appendResult(path, of.Result, opt); err != nil {
		return err
	}
	r.host.Say("result: %s", path)
	return nil
}

// note adds the run to the file of --append-markdown.
func (r *serveRun) note(of *judged.Run) error {
	if r.AppendMarkdown == "" {
		return nil
	}
	return export.AppendSections(r.AppendMarkdown, []section.Run{{Name: section.Name(of.Result, r.run.Folder()), Folder: r.run.Folder(), Result: of.Result, Verdict: of.Verdict}})
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

// RulesEnding says by its error that a run does not keep the rules of others.
func RulesEnding(name string, j *rules.Judgement) error {
	if j == nil || j.Valid {
		return nil
	}
	f := j.Worst()
	code := command.ExitUndecided
	if f.State == rules.Broken {
		code = command.ExitSLO
	}
	return command.Exit(code, fmt.Errorf("%sby the rules of %s the run is not valid: %s: %s", name, j.Rules, f.Rule, f.Figure))
}

// WorstEnding is the first that is broken, or else the first that is not known.
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
	of, unwritten := r.result()
	if of == nil {
		return nil, nil, unwritten
	}
	j, err := r.run.Reopen() // once more, for its batches
	if err != nil {
		return nil, of.Verdict, err
	}
	defer j.Close()
	batches, err := batch.Read(j, j.Run().Options.Batch)
	return batches, of.Verdict, errors.Join(unwritten, err)
}
