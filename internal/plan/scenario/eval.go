package scenario

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/keys"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/spec/fault"
	"go.yaml.in/yaml/v3"
)

// Eval is what is asked of each point's server after its speed was measured, or alone
// where the file has no workload.
type Eval struct {
	API
	Task           taskName      `yaml:"task"`
	Path           path          `yaml:"path"`     // of the questions
	Examples       path          `yaml:"examples"` // of the worked examples
	Options        keys.Values   // of the dataset eval, by key
	NumPrompts     *int          `yaml:"num_prompts"`
	Concurrency    *int          `yaml:"concurrency"`
	Temperature    *float64      `yaml:"temperature"`
	RequestTimeout time.Duration `yaml:"request_timeout"`
	Flags          Flags         `yaml:"flags"`
}

// usualQuestions are on their way at a time where neither the eval nor the point says.
const usualQuestions = 8

// taskName is a built-in task's name, or the path of a task's file.
type taskName string

func (t *taskName) decodeNode(d *decoder, key string, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && !strings.ContainsAny(n.Value, `/\`) && filepath.Ext(n.Value) == "" {
		*t = taskName(n.Value)
		return nil
	}
	return (*path)(t).decodeNode(d, key, n)
}

// isFile says that the task is a file's path.
func (t taskName) isFile() bool {
	return strings.ContainsAny(string(t), `/\`) || filepath.Ext(string(t)) != ""
}

// checkEval looks at what questions can't be combined with.
func (d *Document) checkEval(s *Scenario, fail func(key, format string, args ...any)) {
	switch {
	case s.Eval == nil:
	case s.Eval.Task == "":
		fail("eval", "needs a task: a file, or the name of a built-in one")
	case s.Search != nil:
		fail("eval", "can't be used with search: the points of a search have no configuration of their own; ask the questions in a scenario without it")
	case s.Fleet.NATS != "":
		fail("eval", "can't be used with fleet: the answers are kept by one process")
	}
}

// asksAlone says that the scenario measures nothing but what its questions do.
func (s *Scenario) asksAlone() bool { return s.Eval != nil && !s.hasWorkload }

// evalAPI is how questions are put: the eval's own protocol, and the model of the target.
func (p *Point) evalAPI() API {
	e, a := p.scenario.Eval, p.api()
	t := p.target.API
	a.Model, a.Served, a.Tokenizer = cmp.Or(t.Model, e.Model, a.Model), cmp.Or(t.Served, e.Served, a.Served), cmp.Or(t.Tokenizer, e.Tokenizer, a.Tokenizer)
	if e.Backend != "" && e.Backend != a.Backend {
		a.Backend, a.Endpoint = e.Backend, "" // which was that of the other protocol
	}
	a.Endpoint = cmp.Or(e.Endpoint, a.Endpoint)
	return a
}

// questions is what bench serve is asked for, to put the questions. The flags of the target are
// theirs too: they say how it is reached. Those of the scenario are the speed run's.
func (p *Point) questions() option.Settings {
	var to option.Settings
	e := p.scenario.Eval
	to.Text("label", p.ID)
	p.evalAPI().settings(&to)
	to.Add("dataset-name", workload.EvalName)
	to.Text("dataset-path", string(e.Path))
	to.Text("task", string(e.Task))
	to.Text("examples", string(e.Examples))
	to = append(to, keys.Eval().Settings(workload.EvalName, e.Options)...)
	to.Number("num-prompts", e.NumPrompts)
	to.Float("temperature", e.Temperature)
	at := p.questionsAtATime()
	to.Number("max-concurrency", &at)
	to.Span("request-timeout", cmp.Or(e.RequestTimeout, p.scenario.Pace.RequestTimeout))
	if p.scenario.Warmup > 0 && p.scenario.asksAlone() {
		to.Number("num-warmups", &p.scenario.Warmup)
	}
	p.reported(&to)
	return slices.Concat(to, option.Settings(p.target.Flags), option.Settings(e.Flags))
}

// questionsAtATime is the eval's own concurrency, or that of the point: accuracy is then
// measured under the point's load.
func (p *Point) questionsAtATime() int {
	if c := p.scenario.Eval.Concurrency; c != nil {
		return *c
	}
	return cmp.Or(p.Concurrency(), usualQuestions)
}

// asks says that the point has questions, by themselves or after its speed run.
func (p *Point) asks() bool { return len(p.Eval) > 0 || p.scenario.asksAlone() }

// evalFiles are the files that the answers depend on.
func (p *Point) evalFiles() (names []string) {
	if e := p.scenario.Eval; e != nil {
		names = []string{string(e.Path), string(e.Examples)}
		if e.Task.isFile() {
			names = append(names, string(e.Task))
		}
	}
	return names
}

// settings say how a server is spoken to.
func (a API) settings(to *option.Settings) {
	to.Text("backend", a.Backend)
	to.Text("endpoint", a.Endpoint)
	to.Text("model", a.Model)
	to.Text("served-model-name", a.Served)
	if a.Tokenizer == "none" {
		to.Add("skip-tokenizer-init")
	} else {
		to.Text("tokenizer", a.Tokenizer)
	}
}

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
	return j.child(ctx, drain, up, j.p.on(j.p.Eval, up), nil, folder.Eval(id), filepath.Join(folder.point(id), evalLog))
}

// child runs settings of bench serve in a process of its own, in the folder at. Questions go on
// where a run of them in the same folder has stopped.
func (j *job) child(ctx context.Context, drain <-chan struct{}, up *run.Servers, settings option.Settings, faults fault.List, at, log string) error {
	r := j.r
	asked, secrets, err := r.Spec(settings.With("run-dir", at))
	if err != nil {
		return err
	}
	asked.Faults = append(asked.Faults, faults...)
	if _, err := os.Stat(filepath.Join(at, journal.FileName)); err == nil && asked.Asks() {
		asked.Resume = true
	}
	child := bench.Child{
		Program: r.Program, Spec: asked, Secrets: secrets, Flags: []string{"--progress", "plain"},
		Log: log, PIDFile: r.Folder.benchPID(j.p.ID), Live: r.Live, Control: r.Control, Instead: r.Instead,
	}
	if len(faults) > 0 {
		child.Do = up.Do
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
