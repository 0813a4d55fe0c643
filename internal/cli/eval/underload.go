package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/eval/changes"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

const (
	flagUnderLoad = "under-load"
	underLoadHelp = "Ask all questions one at a time, and then --max-concurrency at a time, greedily: how many answers change, and whether accuracy does. Needs --run-dir, which gets a folder for each run."
	flagRepeat    = "under-load-repeat"
	repeatHelp    = "With --under-load: ask one at a time twice, so that what the server changes by itself is told from what the load does."
)

// The folders of the runs, in --run-dir, and the file of what they say.
const (
	folderAlone  = "alone"
	folderAgain  = "alone-again"
	folderLoaded = "loaded"
	underLoad    = kept.LoadedName
)

// neverLoaded are flags that --under-load can't have: they are of one run, or of another pace.
var neverLoaded = []string{
	"resume", flagWriteKey, "dry-run", "print-spec", "lock", "request-rate", "burstiness", "save-result", "append-result", "result-filename", "result-dir", "upload",
}

// Loaded is what the same questions got alone and under load. It is printed as JSON.
type Loaded struct {
	Task        string `json:"task"`
	Concurrency int    `json:"max_concurrency"` // of the second run; the first has 1
	Questions   int    `json:"questions"`

	Alone score.Accuracy `json:"alone"` // each over what it answered itself
	Under score.Accuracy `json:"under_load"`
	// Changes is what the load changed; Noise is what changed between two runs without it. null: not asked for.
	Changes *changes.Changes `json:"changes"`
	Noise   *changes.Changes `json:"noise"`

	RunAlone string `json:"run_alone"`
	RunUnder string `json:"run_under_load"`
	RunAgain string `json:"run_alone_again,omitempty"`

	examples []example
}

// askUnderLoad is eval --under-load.
func (o *options) askUnderLoad(ctx context.Context, s command.Streams, set *argv.Set) error {
	n, err := o.checkLoaded(set)
	if err != nil {
		return err
	}
	asked := set.Given().Without(func(flag string) bool {
		return slices.Contains([]string{flagUnderLoad, flagRepeat, "max-concurrency", "run-dir"}, flag)
	})
	if !set.Seen("temperature") {
		asked.Add("temperature", "0")
	}
	typed := set.Hidden(asked).Words()
	runs := s
	if o.Format == formatJSON {
		runs.Out = io.Discard // they are in their folders
	}
	ask := func(folder string, concurrency int) (*score.Result, error) {
		path := filepath.Join(o.RunDir, folder)
		if !o.Quiet {
			fmt.Fprintf(s.Err, "%s: %d at a time\n", path, concurrency)
		}
		one := asked.With("max-concurrency", strconv.Itoa(concurrency)).With("run-dir", path)
		if err := serve.Eval(ctx, runs, one, typed, place); err != nil {
			return nil, err
		}
		return answersIn(path)
	}
	l, err := o.runLoaded(n, ask)
	if err != nil {
		return err
	}
	return o.tell(s, l)
}

const formatJSON = "json"

// checkLoaded refuses what does not go together, before anything is asked.
func (o *options) checkLoaded(set *argv.Set) (most int, err error) {
	for _, name := range neverLoaded {
		if set.Seen(name) {
			return 0, argv.Errorf(name, "can't be used with --%s, which makes two runs, one at a time and --max-concurrency at a time", flagUnderLoad)
		}
	}
	n, _ := strconv.Atoi(concurrency)
	if o.MaxConcurrency != nil {
		n = *o.MaxConcurrency
	}
	switch {
	case n < 2:
		return 0, argv.Errorf("max-concurrency", "is %d, which is no load; give 2 or more with --%s", n, flagUnderLoad)
	case o.Temperature != nil && *o.Temperature != 0:
		return 0, argv.Errorf("temperature", "is %v: answers that are drawn change by themselves; leave it out with --%s", *o.Temperature, flagUnderLoad)
	case o.Format != formatJSON && o.Format != "table":
		return 0, argv.Errorf("format", "%s is a block of one run; use table or json with --%s", o.Format, flagUnderLoad)
	case o.RunDir == "":
		return 0, argv.Errorf(flagUnderLoad, "needs --run-dir, which gets a folder for each of the runs")
	}
	for _, name := range []string{folderAlone, folderAgain, folderLoaded, underLoad, journal.FileName} {
		if _, err := os.Lstat(filepath.Join(o.RunDir, name)); err == nil {
			return 0, argv.Errorf("run-dir", "%s holds %s already: give another (inferometer compare shows two runs that are there)", o.RunDir, name)
		}
	}
	return n, os.MkdirAll(o.RunDir, 0o777)
}

// runLoaded makes the runs one after the other and compares them.
func (o *options) runLoaded(n int, ask func(folder string, concurrency int) (*score.Result, error)) (*Loaded, error) {
	alone, err := ask(folderAlone, 1)
	if err != nil {
		return nil, err
	}
	l := &Loaded{Task: alone.Task, Concurrency: n, Questions: alone.Questions, RunAlone: filepath.Join(o.RunDir, folderAlone), RunUnder: filepath.Join(o.RunDir, folderLoaded)}
	if o.repeat {
		again, err := ask(folderAgain, 1)
		if err != nil {
			return nil, err
		}
		if l.Noise, err = changes.Of(alone, again); err != nil {
			return nil, err
		}
		l.RunAgain = filepath.Join(o.RunDir, folderAgain)
	}
	loaded, err := ask(folderLoaded, n)
	if err != nil {
		return nil, err
	}
	if l.Changes, err = changes.Of(alone, loaded); err != nil {
		return nil, err
	}
	l.Alone, l.Under = alone.Scores[0].Accuracy, loaded.Scores[0].Accuracy
	l.examples, err = examplesOf(l)
	return l, err
}

// answersIn are the scored answers of a run that came to its end.
func answersIn(folder string) (*score.Result, error) {
	r, err := judged.Read(folder, measure.Options{})
	if err != nil {
		return nil, err
	}
	switch e := r.Result.Eval; {
	case r.Result.Partial || r.Result.Interrupted != "":
		return nil, fmt.Errorf("the run in %s was cut off, and nothing is compared: inferometer eval --resume %s goes on with it, and inferometer compare compares two", folder, folder)
	case e == nil || len(e.Scores) == 0:
		return nil, errors.New("the run holds no scored answers")
	default:
		return e, nil
	}
}

// tell prints what was found, and keeps it.
func (o *options) tell(s command.Streams, l *Loaded) error {
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(filepath.Join(o.RunDir, underLoad), append(raw, '\n')); err != nil {
		return err
	}
	if o.Format == formatJSON {
		_, err = fmt.Fprintf(s.Out, "%s\n", raw)
		return err
	}
	_, err = io.WriteString(s.Out, l.words())
	return err
}
