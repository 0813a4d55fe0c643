// Package find measures a server to find the highest load at which an SLO holds. The
// package search chooses each probe; this one runs it, reads what it showed, and keeps
// it in a log from which an interrupted search goes on.
package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
)

// What a search can raise.
const (
	Rate        = "rate"        // requests per second
	Concurrency = "concurrency" // requests at a time
	// Conversations at a time, where each is a job.
	Conversations = "conversations"
)

// Varies are what a search can raise, with the flag of bench serve for each.
var Varies = []struct{ Name, Flag string }{{Rate, "request-rate"}, {Concurrency, "max-concurrency"}, {Conversations, "max-conversations"}}

// VaryNames are their names.
func VaryNames() (list []string) {
	for _, v := range Varies {
		list = append(list, v.Name)
	}
	return list
}

// Flag is the flag of bench serve that a search raises.
func (o *Options) Flag() string {
	for _, v := range Varies {
		if v.Name == o.Vary {
			return v.Flag
		}
	}
	return ""
}

// Options say what is looked for, and what it may cost.
type Options struct {
	SLO       slo.SLO
	Vary      string   // one of Varies
	From, To  *float64 // nil: 1, and lower loads where need be; no bound
	Tolerance float64  // half of the answer's 95 % interval, as a share
	MaxTime   time.Duration
	Probe     time.Duration // how long the first probes are
	Confirm   time.Duration // how long the run is that confirms the answer
	Cooldown  time.Duration // between probes, where a server does not tell when it is idle
	Fresh     bool          // forget the probes of an earlier search
	// AnyVerdict counts probes whose own verdict is INVALID, and those over the edge whatever disturbed them.
	AnyVerdict bool
}

// Start is the first load to try.
func (o *Options) Start() float64 {
	if o.From != nil {
		return *o.From
	}
	return 1
}

func (o *Options) config() search.Config {
	cfg := search.Config{
		From: o.Start(), Lower: o.From == nil, Integer: o.Vary != Rate, Tolerance: o.Tolerance,
		Short: o.Probe.Seconds(), Long: o.Confirm.Seconds(), Enough: search.Enough(o.SLO), Budget: o.MaxTime.Seconds(),
	}
	if o.To != nil {
		cfg.To = *o.To
	}
	return cfg
}

// ErrInterrupted says that the user wants no more probes.
var ErrInterrupted = errors.New("interrupted")

// Progress is told how far a search is.
type Progress interface {
	Note(text string)
	Begin(n int, p search.Probe)
	End(n int, o *search.Observation)
}

// Finder is one search.
type Finder struct {
	Options
	Folder   string           // of the search
	Child    bench.Child      // the program, and the Spec that all probes have in common
	Servers  []*target.Target // asked who they are, and whether they are idle
	Progress Progress

	said string // by the last probe
}

// Servers are targets for the questions of a search.
func Servers(urls []string, header http.Header) (list []*target.Target) {
	for _, u := range urls {
		list = append(list, &target.Target{Base: u, Header: header, Client: &http.Client{}})
	}
	return list
}

// Search goes on from the probes that are there until the search is over. A drain ends
// it after the probe that runs, which is left early; the end of ctx cancels that too.
// With ErrInterrupted the result is what is known so far.
func (f *Finder) Search(ctx context.Context, drain <-chan struct{}) (Result, error) {
	cfg := f.config()
	log, err := f.openLog(ctx, cfg)
	if err != nil {
		return Result{}, err
	}
	s := search.New(cfg)
	for _, seen := range log.earlier {
		s.Observed(seen)
	}
	earlier := earlierOf(log.earlier)
	if earlier != nil {
		f.Progress.Note(fmt.Sprintf("going on after %d probes of an earlier run, %s", earlier.Probes, earlier.when()))
	}
	err = f.probes(ctx, drain, s, log)
	r := resultOf(s)
	r.Earlier = earlier
	if errors.Is(err, ErrInterrupted) {
		r.Answer.Reason = "the search was interrupted; the same command goes on where it stopped"
	}
	return r, err
}

// probes runs what the search asks for.
func (f *Finder) probes(ctx context.Context, drain <-chan struct{}, s *search.Search, log *probeLog) error {
	for {
		probe, ok := s.Next()
		if !ok {
			return nil
		}
		n := len(s.Seen()) + 1
		f.Progress.Begin(n, probe)
		seen, err := f.probe(ctx, drain, n, probe)
		if err == nil && n == 1 && seen.Numbers.Requests == 0 && seen.Numbers.Sent > 0 {
			err = fmt.Errorf("%s (its log is %s)", cmp.Or(f.said, "no request completed"), filepath.Join(f.probeFolder(1), LogName))
		}
		if err != nil {
			return fmt.Errorf("probe %s %g: %w", f.Vary, probe.X, err)
		}
		if err := log.add(seen); err != nil {
			return err
		}
		s.Observed(seen)
		f.Progress.End(n, &seen)
	}
}
