// Package verdict says whether the numbers of a run may be trusted. It is a pure
// function from a journal to a verdict: no files, no clocks, no sockets; a journal
// of last year gives the same answer again.
//
//	row.Request ─▶ facts, and each check of the table ─▶ Check ─▶ Verdict
//
// A check looks for one thing that spoils numbers: it has a figure, a threshold, a
// sentence and, where it can be estimated, its effect on the numbers that people
// read first. The table of checks stands in table.go, one line each; docs/reference/checks.md
// is written from it, and docs/verdict.md says what else a user must know. Adding a
// check is adding a type with two methods and a line.
//
// A run that went wrong in one way shows it in several figures. So a check gives
// way to the one that knows the cause where it can tell, and says so; and where
// both stay bad, Check.Because names the one that explains, and Verdict.Reasons lists only that.
//
// Effects are judged, causes are noted: check bounds says by how much a shown number can be off, and what the machine or
// the network did is named beside it.
//
// Memory is bounded whatever the number of requests: histograms, counts in time,
// and two sets of hashes up to Options.HashLimit.
package verdict

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// Trust is the verdict in one word.
type Trust string

// The three verdicts.
const (
	TrustValid   Trust = "VALID"
	TrustSuspect Trust = "SUSPECT"
	TrustInvalid Trust = "INVALID"
)

// Meaning is what the verdict says of the numbers; empty for one that is not ours.
func (t Trust) Meaning() string {
	switch t {
	case TrustValid:
		return "no shown number can be off by more than a quarter, and the run is what was asked for"
	case TrustSuspect:
		return "a shown number can be off by more than a quarter, or the run is not quite what was asked for: read the reasons"
	case TrustInvalid:
		return "a shown number can be off by more than a half, or the run is not what was asked for"
	}
	return ""
}

// Level is what one check found.
type Level string

// The levels of a check.
const (
	OK         Level = "ok"
	Noted      Level = "note" // worth knowing, and by itself no harm to a number: a cause, whose effect other checks size
	Suspect    Level = "suspect"
	Invalid    Level = "invalid"
	NotChecked Level = "not checked" // and the sentence says why
)

// Bad says that the numbers suffer.
func (l Level) Bad() bool { return l == Suspect || l == Invalid }

func (l Level) weight() int {
	switch l {
	case Noted:
		return 1
	case Suspect:
		return 2
	case Invalid:
		return 3
	}
	return 0
}

// Check is one check and what it found.
type Check struct {
	Name      string   `json:"name"`
	Group     string   `json:"group"` // client, load, answers, cache, server or statistics
	Level     Level    `json:"level"`
	Figure    string   `json:"figure,omitempty"` // for people, with its unit
	Value     *float64 `json:"value"`            // what the threshold is held against; null where there is none
	Threshold string   `json:"threshold"`
	Sentence  string   `json:"sentence"`
	Brief     string   `json:"brief,omitempty"`   // what Verdict.Line says of it: of bad checks, and how good the times are
	Effect    string   `json:"effect,omitempty"`  // on the headline numbers, where it can be estimated
	Hint      string   `json:"hint,omitempty"`    // what to do; of bad checks only
	Because   string   `json:"because,omitempty"` // another check that explains this one
}

// Verdict is the worst of its checks.
type Verdict struct {
	Level   Trust    `json:"level"`
	Reasons []string `json:"reasons"` // names of the bad checks that no other one explains, worst first
	Checks  []Check  `json:"checks"`  // all of them, in the order of the table
	// Unsupported are percentiles that the run has too few values for, as in
	// p99_ttft. They are left out of tables; the verdict is on the other numbers.
	Unsupported []string `json:"unsupported,omitempty"`
	// Requests are those that it is of, and Made the checks that could be made.
	Requests int64 `json:"requests"`
	Made     int   `json:"checks_made"`
}

// fewRequests are so few that most checks could hardly have found anything: the line says so.
const fewRequests = 20

// Line is the verdict in one line, for who knows none of the checks: of a valid run how many of them were made and
// how good its numbers are, of another one what is wrong first of all.
func (v *Verdict) Line() string {
	if len(v.Checks) == 0 {
		return string(v.Level)
	}
	if k := v.first(); k != nil {
		line := fmt.Sprintf("%s: %s", v.Level, k.Brief)
		if more := len(v.Reasons) - 1; more > 0 {
			line += fmt.Sprintf(" (+%d more)", more)
		}
		return line
	}
	if v.Level != TrustValid {
		return string(v.Level)
	}
	line := fmt.Sprintf("%s: ", v.Level)
	if v.Requests < fewRequests {
		line += counted(int(v.Requests), "request") + ", "
	}
	line += fmt.Sprintf("%d of %d checks made", v.Made, len(v.Checks))
	for _, name := range []string{"bounds", "lag"} { // whichever knows how good the times are
		if k := v.Check(name); k != nil && k.Brief != "" {
			return line + ", " + k.Brief
		}
	}
	return line
}

// first is the reason that the line names: requests that failed before all that is no worse, as nobody reads the numbers
// of a run without knowing of them.
func (v *Verdict) first() *Check {
	var first *Check
	for _, name := range v.Reasons {
		switch k := v.Check(name); {
		case k == nil || k.Brief == "":
		case first == nil, k.Name == "outcomes" && k.Level == first.Level:
			first = k
		}
	}
	return first
}

// Check returns a check by its name, nil if there is none.
func (v *Verdict) Check(name string) *Check {
	for i := range v.Checks {
		if v.Checks[i].Name == name {
			return &v.Checks[i]
		}
	}
	return nil
}

// Journal is a journal to judge. Next returns io.EOF after the last request; what
// it returns may be reused by the next call. The others are whole after that, and
// End is nil when the run was killed.
type Journal interface {
	Run() *journal.Run
	Next() (*journal.Request, error)
	End() *journal.End
	Samples() []journal.Sample
	Scrapes() []journal.Scrape
}

// Options change how a run is judged. The zero value is what the run asked for.
type Options struct {
	Percentiles       []float64 // to be held against the number of samples; nil: the run's
	PercentileMetrics []string  // whose percentiles; nil: the run's
	HashLimit         int       // different prompts, and texts, that are remembered; 0: HashLimit
}

// HashLimit is how many prompts and texts are remembered to find repetitions: some 60 MB.
const HashLimit = 1 << 20

func (o Options) withDefaults(run *journal.Options) Options {
	if len(o.Percentiles) == 0 {
		o.Percentiles = run.ReportedPercentiles()
	}
	if len(o.PercentileMetrics) == 0 {
		o.PercentileMetrics = run.ReportedMetrics()
	}
	if o.HashLimit <= 0 {
		o.HashLimit = HashLimit
	}
	return o
}

// Judge reads the journal to its end and judges it.
func Judge(j Journal, opt Options) (*Verdict, error) {
	run := j.Run()
	if run == nil {
		return nil, errors.New("the journal has no run line: it was cut off before its first second")
	}
	c := NewCollector(run, opt)
	r, err := measure.Measure(j, measure.Options{Percentiles: opt.Percentiles, PercentileMetrics: opt.PercentileMetrics}, c)
	if err != nil {
		return nil, err
	}
	c.Bounds(r.Bounds)
	c.Jobs(r.Jobs)
	c.Recovery(r.Recovery)
	return c.Verdict(j.End(), j.Samples(), j.Scrapes()), nil
}
