package scenario

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/show/report"
)

// A point with questions that was interrupted goes on where it stopped: its speed run is
// not measured again if it was whole, and no question is asked twice that has an answer.
// So its record is written before it begins, and again before the questions.

// goesOn says whether what an earlier try has left of a point can be used.
func (j *job) goesOn() bool {
	kept := j.r.Folder.kept(j.p)
	if !j.p.asks() || kept == nil || kept.Fingerprint != j.p.Fingerprint || kept.done() {
		return false
	}
	if _, err := os.Stat(j.r.Folder.result(j.p.ID)); kept.SpeedDone && err != nil {
		return false
	}
	j.rec.SpeedDone, j.rec.Self, j.rec.SpecDecode = kept.SpeedDone, kept.Self, kept.SpecDecode
	return true
}

// note writes down how far the point has come, for a try after a kill.
func (j *job) note() error {
	if !j.p.asks() {
		return nil
	}
	j.rec.State = run.Interrupted
	return j.r.Folder.write(&j.rec)
}

// ask puts the questions of a point whose speed was measured.
func (j *job) ask(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	j.rec.SpeedDone = true
	if err := j.note(); err != nil {
		return err
	}
	select {
	case <-drain:
		return bench.ErrPartial // nothing more is sent
	default:
	}
	j.r.run.Note("%s: its speed is measured; now the questions of %s", j.p.ID, j.p.scenario.Eval.Task)
	folder, id := j.r.Folder, j.p.ID
	return j.child(ctx, drain, j.p.at(j.p.Eval, up.URLs), folder.Eval(id), filepath.Join(folder.point(id), evalLog))
}

// child runs settings of bench serve in a process of its own, in the folder at. Questions go on
// where a run of them in the same folder has stopped.
func (j *job) child(ctx context.Context, drain <-chan struct{}, settings option.Settings, at, log string) error {
	r := j.r
	asked, secrets, err := r.Spec(settings.With("run-dir", at))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(at, journal.FileName)); err == nil && asked.Asks() {
		asked.Resume = true
	}
	child := bench.Child{
		Program: r.Program, Spec: asked, Secrets: secrets, Flags: []string{"--progress", "plain"},
		Log: log, PIDFile: r.Folder.benchPID(j.p.ID), Live: r.Live, Control: r.Control, Instead: r.Instead,
	}
	outcome, err := child.Run(ctx, drain)
	if err != nil {
		return err
	}
	if asked.Resume && outcome.Code == bench.ExitDone && outcome.Result == "" {
		return resultOf(at) // all questions had their answers
	}
	return outcome.Err()
}

// resultOf writes the result of a run that was killed after its last answer.
func resultOf(at string) error {
	path := filepath.Join(at, journal.ResultName)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	r, err := judged.Read(at, measure.Options{PercentileMetrics: metric.AlwaysNames()})
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return report.JSON(w, r.Result, report.Options{RunDir: at, Verdict: r.Verdict, Explain: r.Explain})
	})
}
