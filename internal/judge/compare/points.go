package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// Points are scenarios held against each other: points with the same values of the matrix, pair by pair.
type Points struct {
	Names    []string  // of the scenarios
	Pairs    []Pairing // in the order of the first
	Only     []Alone
	Notes    []string
	Findings []Finding
}

// Pairing is a point that several scenarios have.
type Pairing struct {
	Point      string
	Sides      []Side      // of those that have it
	Comparison *Comparison // set by Points.Compare
}

// Alone is a point that has no partner.
type Alone struct {
	Side  string `json:"side"`
	Point string `json:"point"`
	Why   string `json:"why,omitempty"` // it has no result; empty: it is not there
	first bool
}

// PointRun is a run of a scenario, or a point that has none.
type PointRun struct {
	Name   string            // of the point, for people
	Values map[string]string // of the matrix
	Part   string            // "eval": its questions
	Why    string            // it has no result
	Run    result.Result
}

// PairPoints brings the points of scenarios together. A key of the matrix that has one value in each scenario
// tells what differs between them, and not which point is which: it is not looked at.
func PairPoints(names []string, scenarios [][]PointRun) *Points {
	p := &Points{Names: names}
	keys := p.keys(scenarios)
	type place struct {
		title string
		of    [][]PointRun
	}
	var order []string
	places := map[string]*place{}
	for side, points := range scenarios {
		for _, r := range points {
			title := titleOf(keys, &r)
			at := places[title]
			if at == nil {
				at = &place{title, make([][]PointRun, len(scenarios))}
				places[title], order = at, append(order, title)
			}
			at.of[side] = append(at.of[side], r)
		}
	}
	for _, title := range order {
		p.pair(title, places[title].of)
	}
	return p
}

// keys are those of the matrix that tell points apart, in some scenario.
func (p *Points) keys(scenarios [][]PointRun) (keys []string) {
	values := map[string][][]string{} // by key and scenario
	for side, points := range scenarios {
		for _, r := range points {
			for key, v := range r.Values {
				if values[key] == nil {
					values[key] = make([][]string, len(scenarios))
				}
				if of := &values[key][side]; !slices.Contains(*of, v) {
					*of = append(*of, v)
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		of := values[key]
		if slices.ContainsFunc(of, func(list []string) bool { return len(list) > 1 }) {
			keys = append(keys, key)
			continue
		}
		var words []string
		differ := false
		for side, list := range of {
			word := "not in the matrix"
			if len(list) == 1 {
				word = list[0]
			}
			differ = differ || word != strings.Join(of[0], "")
			words = append(words, fmt.Sprintf("%s in %s", word, p.Names[side]))
		}
		if differ {
			p.Notes = append(p.Notes, fmt.Sprintf("%s is %s: the points are paired by the rest", key, strings.Join(words, ", ")))
		}
	}
	return keys
}

// titleOf is a point by the values that tell it apart.
func titleOf(keys []string, r *PointRun) string {
	var words []string
	for _, key := range keys {
		if v, ok := r.Values[key]; ok {
			words = append(words, key+" "+v)
		}
	}
	switch {
	case len(words) == 0 && len(r.Values) == 0:
		words = []string{r.Name}
	case len(words) == 0:
		words = []string{"the only point"}
	}
	if r.Part != "" {
		words = append(words, r.Part)
	}
	return strings.Join(words, ", ")
}

// pair makes one comparison of the scenarios that have a point.
func (p *Points) pair(title string, of [][]PointRun) {
	var sides []Side
	var lack []Alone
	for i, list := range of {
		side := Side{Name: p.Names[i]}
		why := ""
		for _, r := range list {
			if r.Why != "" {
				why = r.Why
				continue
			}
			side.Runs = append(side.Runs, r.Run)
		}
		if len(side.Runs) > 0 {
			sides = append(sides, side)
			if why != "" {
				p.Notes = append(p.Notes, fmt.Sprintf("%s, %s: a repeat has no result: %s", title, p.Names[i], why))
			}
			continue
		}
		lack = append(lack, Alone{Side: p.Names[i], Point: title, Why: why, first: i == 0})
	}
	if len(sides) > 1 {
		p.Pairs = append(p.Pairs, Pairing{Point: title, Sides: sides})
	}
	if len(sides) < 2 || len(lack) > 0 {
		p.Only = append(p.Only, lack...)
	}
}

// Sentence says why a point is alone.
func (a *Alone) Sentence() string {
	if a.Why != "" {
		return fmt.Sprintf("%s: %s has no result for it: %s", a.Point, a.Side, a.Why)
	}
	return fmt.Sprintf("%s: %s has no such point", a.Point, a.Side)
}

// Compare compares all pairs. Each may be wrong as seldom as makes one false alarm in all of them once in twenty.
// A point of the first scenario that another one lacks leaves a gate undecided.
func (p *Points) Compare(opt Options, gate Gate) (Outcome, error) {
	opt.Tables = len(p.Pairs)
	var pairs []Pairing
	for _, pair := range p.Pairs {
		c, err := Compare(pair.Sides, opt)
		if err != nil { // one pair that can't be told must not hide the others
			p.Only = append(p.Only, Alone{Side: pair.Sides[len(pair.Sides)-1].Name, Point: pair.Point, Why: err.Error()})
			continue
		}
		pair.Comparison = c
		pairs = append(pairs, pair)
	}
	p.Pairs = pairs
	if gate == nil {
		return Kept, nil
	}
	return p.judge(gate)
}

// judge holds each pair against the limits on what it has: a point's load has no accuracy, and its questions have.
func (p *Points) judge(gate Gate) (worst Outcome, err error) {
	worst = Kept
	unknown := make([]error, len(gate)) // of a limit that no pair could be held against
	for n := range gate {
		for i := range p.Pairs {
			if _, _, unknown[n] = gate[n : n+1].Judge(p.Pairs[i].Comparison); unknown[n] == nil {
				break
			}
		}
		if unknown[n] != nil {
			return Undecided, unknown[n]
		}
	}
	add := func(f Finding) {
		p.Findings = append(p.Findings, f)
		if f.Outcome == Broken || worst == Kept {
			worst = f.Outcome
		}
	}
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		of := slices.DeleteFunc(slices.Clone(gate), func(l condition.Clause) bool {
			_, _, err := Gate{l}.Judge(pair.Comparison)
			return err != nil
		})
		_, found, err := of.Judge(pair.Comparison)
		if err != nil {
			return Undecided, fmt.Errorf("%s: %w", pair.Point, err)
		}
		for _, f := range found {
			f.Side = pair.Point + ", " + f.Side
			add(f)
		}
	}
	for _, a := range p.Only {
		if !a.first {
			add(Finding{Side: a.Point + ", " + a.Side, Limit: "the point is there", Outcome: Undecided, Sentence: a.Sentence()})
		}
	}
	return worst, nil
}

// NotComparable is how many pairs a doubt forbids to compare.
func (p *Points) NotComparable() (n int) {
	for i := range p.Pairs {
		if p.Pairs[i].Comparison.NotComparable() {
			n++
		}
	}
	return n
}
