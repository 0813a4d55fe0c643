package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
)

// findFile holds a findReport.
const findFile = "find.json"

// findReport is what was found.
type findReport struct {
	Schema    int          `json:"schema"`
	Version   string       `json:"version"`
	Command   []string     `json:"command"`
	SLO       string       `json:"slo"`
	Vary      string       `json:"vary"`
	Tolerance float64      `json:"tolerance"`
	Map       string       `json:"map,omitempty"` // the flag that varies between the results
	Results   []findResult `json:"results"`
}

// findResult is one search.
type findResult struct {
	Value   string              `json:"value,omitempty"`   // of the mapped flag
	Verdict string              `json:"verdict,omitempty"` // on the run that is the answer
	Reasons []string            `json:"verdict_reasons,omitempty"`
	Earlier *earlierProbes      `json:"earlier_probes,omitempty"` // nil: all are of this run
	Answer  search.Answer       `json:"answer"`
	Curve   []search.CurvePoint `json:"curve"`
	Goodput *float64            `json:"best_goodput_at"` // loads: nil where there is none
	Peak    *float64            `json:"peak_at"`
	Knee    *float64            `json:"knee_at"`
}

func find(ctx context.Context, s streams, args []string) error {
	set, o := findFlags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	workload := set.Without(args, func(f *argv.Flag) bool { return f.Group == groupFind })
	if err := o.checkAt(workload); err != nil {
		return err
	}
	r := findReport{
		Schema: 1, Version: fullVersion(), Command: append([]string{"inferometer", "find"}, set.Redacted(args)...),
		SLO: o.objective.String(), Vary: o.vary, Tolerance: o.tolerance, Map: o.mapKey,
	}
	ctx, drain, stop := interrupts(ctx, s.err)
	defer stop()
	values := o.mapValues
	if len(values) == 0 {
		values = []string{""}
	}
	for _, value := range values {
		f := &finder{streams: s, prober: prober{options: o, program: program, args: workload, folder: o.out, servers: o.servers()}}
		if value != "" {
			f.args = append(slices.Clone(workload), "--"+o.mapKey+"="+value)
			f.folder = filepath.Join(o.out, o.mapKey+"-"+value)
			fmt.Fprintf(s.err, "%s %s\n", o.mapKey, value)
		}
		result, err := f.search(ctx, drain)
		if err != nil {
			return err
		}
		result.Value = value
		r.Results = append(r.Results, result)
	}
	return o.conclude(s, &r)
}

// checkAt checks the whole command of a probe, with the user's own flags.
func (o *findOptions) checkAt(workload []string) error {
	return checkServeArgs(o.probeArgs(workload, searchStart(o), o.probe, 0, "x"))
}

// servers are those that are asked whether they are idle.
func (o *findOptions) servers() (list []*target.Target) {
	for _, u := range o.serve.baseURLs() {
		list = append(list, &target.Target{Base: u, Header: apiKeyHeader(), Client: &http.Client{}})
	}
	return list
}

// finder is one search under way.
type finder struct {
	streams
	prober
}

// search goes on from the probes that are there until the search is over.
func (f *finder) search(ctx context.Context, drain <-chan struct{}) (findResult, error) {
	o := f.options
	cfg := search.Config{
		From: searchStart(o), Lower: o.from == nil, Integer: o.vary == varyConcurrency, Tolerance: o.tolerance,
		Short: o.probe.Seconds(), Long: o.confirm.Seconds(), Enough: search.Enough(o.objective), Budget: o.maxTime.Seconds(),
	}
	if o.to != nil {
		cfg.To = *o.to
	}
	s := search.New(cfg)
	log, err := f.openLog(ctx, cfg)
	if err != nil {
		return findResult{}, err
	}
	for _, seen := range log.earlier {
		s.Observed(seen)
	}
	earlier := earlierOf(log.earlier)
	if earlier != nil {
		fmt.Fprintf(f.err, "going on after %d probes of an earlier run, %s\n", earlier.Probes, earlier.when())
	}
	for {
		probe, ok := s.Next()
		if !ok {
			break
		}
		f.begin(len(s.Seen())+1, probe)
		seen, err := f.run(ctx, drain, len(s.Seen())+1, probe)
		if errors.Is(err, errInterruptedProbe) {
			return findResult{}, coded{errors.New("interrupted; the same command goes on where it stopped"), exitPartial}
		}
		if err == nil && len(s.Seen()) == 0 && seen.Numbers.Requests == 0 {
			err = fmt.Errorf("%s (its log is %s)", cmp.Or(f.said, "no request completed"), filepath.Join(f.folder, "probes", "001", "bench.log"))
		}
		if err != nil {
			return findResult{}, fmt.Errorf("probe %s %g: %w", o.vary, probe.X, err)
		}
		if err := log.add(seen); err != nil {
			return findResult{}, err
		}
		s.Observed(seen)
		f.ended(len(s.Seen()), &seen)
	}
	r := resultOf(s)
	r.Earlier = earlier
	return r, nil
}

func resultOf(s *search.Search) findResult {
	r := findResult{Answer: s.Answer(), Curve: search.Curve(s.Seen())}
	at := func(p *search.CurvePoint) *float64 {
		if p == nil {
			return nil
		}
		return &p.X
	}
	if p := r.found(); p != nil {
		r.Verdict, r.Reasons = p.Numbers.Verdict, p.Numbers.Reasons
	}
	r.Goodput, r.Peak, r.Knee = at(search.BestGoodput(r.Curve)), at(search.Peak(r.Curve)), at(search.Knee(r.Curve))
	return r
}

// found is the point of the curve that is the answer; nil: there is none.
func (r *findResult) found() *search.CurvePoint { return r.at(r.Answer.X) }

func (r *findResult) at(x *float64) *search.CurvePoint {
	for i := range r.Curve {
		if x != nil && r.Curve[i].X == *x {
			return &r.Curve[i]
		}
	}
	return nil
}

// conclude writes and prints the answer.
func (o *findOptions) conclude(s streams, r *findReport) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	text := r.text(0)
	// Files first: who reads our output may have gone, and the write would kill us.
	err = errors.Join(
		atomicfile.WriteBytes(filepath.Join(o.out, findFile), append(b, '\n')),
		atomicfile.WriteBytes(filepath.Join(o.out, "find.md"), []byte(text)),
		o.keepResult(r),
	)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if _, err := fmt.Fprint(s.out, r.text(consoleWidth(s.out))); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "results: %s\n", o.out)
	if slices.ContainsFunc(r.Results, func(f findResult) bool { return f.Answer.X == nil }) {
		return coded{errors.New("the SLO holds at no load that was tried"), exitNothing}
	}
	if slices.ContainsFunc(r.Results, func(f findResult) bool { return !f.Answer.Confirmed }) {
		return coded{errors.New("the answer is not confirmed; the text above says why"), exitPartial}
	}
	return nil
}

// keepResult puts the result of the found point beside the answer, where a scenario
// looks for it.
func (o *findOptions) keepResult(r *findReport) error {
	if len(r.Results) != 1 {
		return nil
	}
	p := r.Results[0].found()
	if p == nil {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(p.Run, journal.ResultName))
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(o.out, journal.ResultName), b)
}
