package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Front is accuracy against output throughput: the configurations of which no other is
// at least as good in both and better in one.
type Front struct {
	Points []FrontPoint `json:"points"` // the fastest first
	Notes  []string     `json:"notes,omitempty"`
}

// FrontPoint is one configuration.
type FrontPoint struct {
	Name       string  `json:"name"`
	Throughput float64 `json:"output_throughput"`
	Accuracy   float64 `json:"accuracy"`
	StdErr     float64 `json:"stderr"`
	Low        float64 `json:"low"` // of the accuracy
	High       float64 `json:"high"`
	On         bool    `json:"on_front"`
	By         string  `json:"dominated_by,omitempty"`
	// Doubt says that the place on the front, or off it, rests on a difference of accuracy
	// that can't be told from chance; Against is the configuration that it is against.
	Doubt   bool   `json:"accuracy_in_doubt,omitempty"`
	Against string `json:"in_doubt_against,omitempty"`

	runs []result.Result
}

const throughputKey = "output_throughput"

// FrontOf is the front of sides; nil where fewer than two have a throughput and an accuracy.
func FrontOf(sides []Side, level float64) *Front {
	f := &Front{}
	var lacking, invalid []string
	for i := range sides {
		s := &sides[i]
		if !hasEval(s) {
			continue
		}
		if s = trusted(s); len(s.Runs) == 0 {
			invalid = append(invalid, s.Name)
			continue
		}
		speed := estimates([]Side{*s}, Metric{Key: throughputKey, Higher: true}, level)[0]
		of := AnswersOf(s, level)
		if !speed.known || !of.Known {
			lacking = append(lacking, s.Name)
			continue
		}
		f.Points = append(f.Points, FrontPoint{
			Name: s.Name, Throughput: speed.value, Accuracy: of.Value, StdErr: of.StdErr, Low: of.Low, High: of.High, runs: s.Runs,
		})
	}
	if len(f.Points) < 2 {
		return nil
	}
	if len(invalid) > 0 {
		f.Notes = append(f.Notes, "INVALID, and so not among these: "+strings.Join(invalid, ", "))
	}
	if len(lacking) > 0 {
		f.Notes = append(f.Notes, "without a throughput or an accuracy, and so not among these: "+strings.Join(lacking, ", "))
	}
	slices.SortStableFunc(f.Points, func(a, b FrontPoint) int {
		return cmp.Or(cmp.Compare(b.Throughput, a.Throughput), cmp.Compare(b.Accuracy, a.Accuracy))
	})
	f.place(level)
	return f
}

// trusted is a side without its runs that are INVALID: their throughput says nothing.
func trusted(s *Side) *Side {
	out := *s
	out.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r result.Result) bool { return r.Facts.Verdict == "INVALID" })
	return &out
}

// dominates: at least as good in both, and better in one.
func (p *FrontPoint) dominates(q *FrontPoint) bool {
	return p.Throughput >= q.Throughput && p.Accuracy >= q.Accuracy && (p.Throughput > q.Throughput || p.Accuracy > q.Accuracy)
}

// place says of each point whether it is on the front, and whether that can be told. As
// many pairs may be looked at as there are, so that each has its part of the error.
func (f *Front) place(level float64) {
	n := len(f.Points)
	share := (1 - level) / float64(n*(n-1)/2)
	for i := range f.Points {
		p := &f.Points[i]
		var above []*FrontPoint
		for j := range f.Points {
			if f.Points[j].dominates(p) {
				above = append(above, &f.Points[j])
			}
		}
		if p.On = len(above) == 0; p.On {
			f.doubtOn(p, share)
			continue
		}
		p.By = above[0].Name
		if i := slices.IndexFunc(above, func(q *FrontPoint) bool { return told(q, p, share) }); i >= 0 {
			p.By = above[i].Name
		} else {
			p.Doubt, p.Against = true, p.By
		}
	}
}

// doubtOn looks at a point that is on the front because it is more accurate than all
// faster ones: if it can't be told from one of those, it may be there by chance.
func (f *Front) doubtOn(p *FrontPoint, share float64) {
	for i := range f.Points {
		if q := &f.Points[i]; q.Throughput > p.Throughput && !told(p, q, share) {
			p.Doubt, p.Against = true, q.Name
			return
		}
	}
}

// told says whether the accuracies of two can be told apart. Those that are the same, and
// those that can't be paired, can't.
func told(a, b *FrontPoint, share float64) bool {
	p := pairOf(a.runs, b.runs)
	return p.NotPaired == "" && p.P < share && a.Accuracy != b.Accuracy
}
