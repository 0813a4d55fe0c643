// Package duel runs two servers in turns until it is decided whether they differ. The
// package judge/compare has the rules of decision; this one runs the rounds.
package duel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/comparison"
)

// Sides are the names of the two servers.
var Sides = [2]string{"A", "B"}

// ErrStopped says that the user wants no more rounds.
var ErrStopped = errors.New("stopped")

// Progress is told how far a duel is.
type Progress interface {
	Say(text string)     // a line that stays
	Running(text string) // what runs now
	// Round tells of a run of one side: with no result that it begins, with one that it is over.
	Round(name, result string)
}

// Duel is one duel.
type Duel struct {
	Folder   string
	MaxTime  time.Duration  // no round begins that would end later
	Children [2]bench.Child // of both sides: the program and the Spec; each round adds its number to the seed
	Progress Progress

	rules    compare.ABOptions
	judge    *compare.AB
	sides    [2]compare.Side // of the rounds that count
	leftOut  []leftOut       // rounds that do not
	analysis *compare.Analysis
	ended    string // why it stopped undecided
	stopped  bool   // by the user
}

// leftOut is a round that does not count, and why.
type leftOut struct {
	round int // from 1
	why   string
}

func (l leftOut) String() string { return fmt.Sprintf("round %d is left out: %s", l.round, l.why) }

// New checks the rules.
func New(rules compare.ABOptions) (*Duel, error) {
	judge, err := compare.NewAB(rules)
	if err != nil {
		return nil, err
	}
	return &Duel{rules: rules, judge: judge}, nil
}

// Keys are the metrics that must be decided.
func (d *Duel) Keys() []string { return d.judge.Keys() }

// MakeFolder makes the folder of the duel; there must be no rounds in it.
func (d *Duel) MakeFolder() error {
	if err := os.MkdirAll(d.Folder, 0o755); err != nil {
		return err
	}
	if old, _ := filepath.Glob(filepath.Join(d.Folder, "round-*")); len(old) > 0 {
		return fmt.Errorf("%s holds rounds already: give another folder with --output", d.Folder)
	}
	return nil
}

// Rounds runs rounds until all is decided or a bound is reached. A drain ends the run
// that is under way early, and the duel with it; the end of ctx cancels that too. An
// error after rounds that count does not undo them: Analysis has what is known.
func (d *Duel) Rounds(ctx context.Context, drain <-chan struct{}) error {
	began := time.Now()
	for round := range d.rules.MaxRounds {
		start := time.Now()
		err := d.round(ctx, drain, round)
		if errors.Is(err, ErrStopped) {
			d.stopped, d.ended = true, "stopped"
			return nil
		}
		if err != nil {
			return err
		}
		switch took := time.Since(start); {
		case d.analysis != nil && d.analysis.Done():
			return nil
		case len(d.leftOut) >= d.rules.MinRounds && 2*len(d.leftOut) > round+1:
			d.ended = "most rounds tell nothing"
			return nil
		case time.Since(began)+took > d.MaxTime && round+1 < d.rules.MaxRounds:
			d.ended = fmt.Sprintf("--max-time %s leaves no time for another round of %s", d.MaxTime, took.Round(time.Second))
			return nil
		}
	}
	d.ended = fmt.Sprintf("--max-rounds %d are run", d.rules.MaxRounds)
	return nil
}

// round runs both servers once, in the round's order, and analyses all rounds so far.
func (d *Duel) round(ctx context.Context, drain <-chan struct{}, round int) error {
	order := []int{0, 1}
	if !compare.AFirst(len(d.sides[0].Runs)) { // of those that count: one that is left out is made again in its order
		order = []int{1, 0}
	}
	var runs [2]result.Result
	for _, side := range order {
		d.Progress.Running(fmt.Sprintf("round %d of at most %d: %s", round+1, d.rules.MaxRounds, Sides[side]))
		folder := filepath.Join(d.Folder, fmt.Sprintf("round-%02d-%s", round+1, strings.ToLower(Sides[side])))
		name := fmt.Sprintf("round %d: %s", round+1, Sides[side])
		d.Progress.Round(name, "")
		if err := d.run(ctx, drain, round, side, folder); err != nil {
			return err
		}
		d.Progress.Round(name, filepath.Join(folder, journal.ResultName))
		found, err := foreign.ReadFile(filepath.Join(folder, journal.ResultName))
		if err != nil {
			return err
		}
		runs[side] = found[0]
	}
	return d.count(round, runs)
}

// run measures one side in a round.
func (d *Duel) run(ctx context.Context, drain <-chan struct{}, round, side int, folder string) error {
	child, asked := d.Children[side], *d.Children[side].Spec
	asked.RunDir = folder
	asked.Seed += round
	child.Spec, child.Log = &asked, filepath.Join(folder, "bench.log")
	outcome, err := child.Run(ctx, drain)
	select {
	case <-drain:
		return ErrStopped
	case <-ctx.Done():
		return ErrStopped
	default:
	}
	if err != nil {
		return err
	}
	if outcome.Code == bench.ExitNothing || outcome.Code == bench.ExitUsage || outcome.Result == "" {
		return fmt.Errorf("%s, %s: exit status %d: %s", Sides[side], asked.URLs[0], outcome.Code, outcome.Said)
	}
	return nil
}

// count adds a round's runs, unless they tell nothing.
func (d *Duel) count(round int, runs [2]result.Result) error {
	if why := d.judge.Spoiled(&runs[0], &runs[1]); why != "" {
		d.leftOut = append(d.leftOut, leftOut{round + 1, why})
		d.Progress.Say(d.leftOut[len(d.leftOut)-1].String())
		return nil
	}
	for side := range runs {
		d.sides[side].Name = Sides[side]
		d.sides[side].Runs = append(d.sides[side].Runs, runs[side])
	}
	var err error
	if d.analysis, err = d.judge.Analyse(d.sides[0], d.sides[1]); err != nil {
		return err
	}
	d.Progress.Say(fmt.Sprintf("round %d: %s", round+1, comparison.Rounds(d.analysis, d.judge.Keys())))
	return nil
}

// Analysis is what is known after the last round; nil: no round counted.
func (d *Duel) Analysis() *compare.Analysis { return d.analysis }

// Save writes ab.json, with the rounds that were left out.
func (d *Duel) Save() error {
	for _, l := range d.leftOut {
		d.analysis.Doubts = append(d.analysis.Doubts, compare.Doubt{Side: "both", Reason: "left_out", Sentence: l.String()})
	}
	return atomicfile.Write(filepath.Join(d.Folder, kept.DuelName), func(w io.Writer) error { return comparison.JSON(w, d.analysis) })
}
