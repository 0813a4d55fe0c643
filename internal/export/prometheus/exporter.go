// Package prometheus shows a run that goes on to Prometheus, in its text format.
package prometheus

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/export/tally"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
)

// bounds of the histograms, in seconds.
var bounds = tally.Bounds{
	TTFT:     []float64{.001, .0025, .005, .01, .025, .05, .075, .1, .15, .25, .5, .75, 1, 1.5, 2.5, 5, 7.5, 10, 15, 30, 60, 120},
	Gap:      []float64{.0005, .001, .0025, .005, .0075, .01, .015, .02, .025, .03, .04, .05, .075, .1, .15, .25, .5, 1, 2.5, 5},
	Duration: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600},
}

// Exporter holds what is shown. Its methods may be called at the same time.
type Exporter struct {
	version string

	mu     sync.Mutex
	labels string       // of the run; empty: it has not begun
	tally  *tally.Tally // nil: as above
	told   bool         // requests end elsewhere, and only states tell of them
	state  *live.State  // nil: there is none yet
}

// New shows a run that has not begun.
func New(version string) *Exporter { return &Exporter{version: version} }

// Started: the load begins, or on other machines it does. first is its journal's first line.
func (e *Exporter) Started(folder string, first *journal.Run) {
	o := &first.Options
	model := o.SentModel
	if model == "" {
		model = o.ModelID
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tally = tally.New(first, bounds)
	e.labels = label("run", filepath.Base(folder)) + "," + label("model", model) + "," + label("backend", o.Backend)
}

// Elsewhere says that requests end on other machines: Ended is not called before the journal
// of all is here.
func (e *Exporter) Elsewhere() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = true
}

// Ended takes in a request. It keeps nothing of it.
func (e *Exporter) Ended(q *journal.Request) {
	e.mu.Lock()
	t := e.tally
	e.mu.Unlock()
	if t != nil {
		t.Add(q)
	}
}

// Complete says that all requests were taken in.
func (e *Exporter) Complete() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = false
}

// See takes in a state of the run.
func (e *Exporter) See(s *live.State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = s
}

// maxLabel bounds the value of a label: names come from outside.
const maxLabel = 120

// escapes are those of the text format.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func label(name, value string) string {
	return name + `="` + escapes.Replace(outside.Line(value, maxLabel)) + `"`
}
