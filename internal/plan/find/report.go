package find

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/plan/search"
)

// FileName is the file of a Report.
const FileName = "find.json"

// Report is what was found.
type Report struct {
	Schema    int      `json:"schema"`
	Version   string   `json:"version"`
	Command   []string `json:"command"`
	SLO       string   `json:"slo"`
	Vary      string   `json:"vary"`
	Tolerance float64  `json:"tolerance"`
	Map       string   `json:"map,omitempty"` // the flag that varies between the results
	Results   []Result `json:"results"`
}

// Schema is the version of a report's format.
const Schema = 1

// Result is one search.
type Result struct {
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

func resultOf(s *search.Search) Result {
	r := Result{Answer: s.Answer(), Curve: search.Curve(s.Seen())}
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
func (r *Result) found() *search.CurvePoint { return r.at(r.Answer.X) }

func (r *Result) at(x *float64) *search.CurvePoint {
	for i := range r.Curve {
		if x != nil && r.Curve[i].X == *x {
			return &r.Curve[i]
		}
	}
	return nil
}

// Save writes the report into a folder, as JSON and as Markdown.
func (r *Report) Save(folder string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	err = errors.Join(
		atomicfile.WriteBytes(filepath.Join(folder, FileName), append(b, '\n')),
		atomicfile.WriteBytes(filepath.Join(folder, "find.md"), []byte(r.Text(0))),
		r.keepResult(folder),
	)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// keepResult puts the result of the found point beside the answer, where a scenario
// looks for it.
func (r *Report) keepResult(folder string) error {
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
	return atomicfile.WriteBytes(filepath.Join(folder, journal.ResultName), b)
}

// Read reads the report in a folder.
func Read(folder string) (*Report, error) {
	content, err := os.ReadFile(filepath.Join(folder, FileName))
	if err != nil {
		return nil, err
	}
	var r Report
	return &r, json.Unmarshal(content, &r)
}
