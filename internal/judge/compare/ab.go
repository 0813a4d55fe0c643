package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// Decided is the outcome where no gate was asked for and no metric is open.
const Decided Outcome = "decided"

// Same is the call of a paired change whose whole interval is too small to matter.
const Same Call = "equivalent"

// ABOptions are the rules of a duel of two servers, fixed before its first round.
type ABOptions struct {
	Metrics              []string // that must be decided, as typed
	Gate                 Gate     // whose limits must be decided
	MinRounds, MaxRounds int      // the first interim analysis comes after MinRounds
	AnyVerdict           bool     // runs count whose own verdict is INVALID
	Options
}

// AB decides, round by round, whether B differs from A. A round is one run of each
// with the same seed: what both have in common (the prompts, the time of day, another
// load on the machine) cancels out in their ratio.
type AB struct {
	opt   ABOptions
	keys  []string // that must be decided
	level float64  // significance level of one analysis of one of keys
	other float64  // … of one of the other metrics of the table; 0: not known yet
}

// NewAB checks the rules and computes the significance level of one analysis.
func NewAB(opt ABOptions) (*AB, error) {
	if opt.MinRounds < 3 || opt.MaxRounds < opt.MinRounds || opt.MaxRounds > 100 {
		return nil, fmt.Errorf("rounds from %d to %d: the first look needs at least 3 rounds, and the last comes after 100 at most", opt.MinRounds, opt.MaxRounds)
	}
	opt.Options = opt.withDefaults()
	ab := &AB{opt: opt}
	for _, word := range opt.Metrics {
		ab.require(metric.KeyOf(word))
	}
	for _, l := range opt.Gate {
		ab.require(l.Metric)
	}
	if len(ab.keys) == 0 {
		return nil, fmt.Errorf("no metric is to be decided")
	}
	// Several metrics are several tests: the error is shared out (Bonferroni).
	ab.level = analysisLevel((1-opt.Level)/float64(len(ab.keys)), opt.MinRounds, opt.MaxRounds)
	return ab, nil
}

func (ab *AB) require(key string) {
	if !slices.Contains(ab.keys, key) {
		ab.keys = append(ab.keys, key)
	}
}

// Analysis is what is known after some rounds.
type Analysis struct {
	*Comparison
	Rounds        int                  `json:"rounds"`
	AnalysisLevel float64              `json:"look_level"` // significance level of each analysis of each metric
	Ratios        map[string][]float64 `json:"ratios"`     // B/A of each round, by metric that is to be decided
	Open          []string             `json:"undecided"`  // metrics and limits; empty: all is decided
	Findings      []Finding            `json:"gate,omitempty"`
	Outcome       Outcome              `json:"outcome"` // undecided while anything is open
	Hopeless      string               `json:"hopeless,omitempty"`
}

// Done reports whether further rounds cannot change the outcome.
func (l *Analysis) Done() bool { return len(l.Open) == 0 || l.Outcome == Broken || l.Hopeless != "" }

// Analyse holds the rounds so far against the rules. a.Runs[i] and b.Runs[i] are those of one round.
func (ab *AB) Analyse(a, b Side) (*Analysis, error) {
	c, err := Compare([]Side{a, b}, Options{Level: ab.opt.Level, Interest: ab.opt.Interest})
	if err != nil {
		return nil, err
	}
	for i := range c.Doubts {
		if ab.opt.AnyVerdict && c.Doubts[i].Reason == "verdict" {
			c.Doubts[i].Severe = false
		}
	}
	l := &Analysis{Comparison: c, Rounds: len(a.Runs), AnalysisLevel: ab.level, Ratios: map[string][]float64{}, Open: []string{}, Outcome: Undecided}
	if err := ab.addRows(l, a, b); err != nil {
		return nil, err
	}
	if ab.other == 0 {
		ab.other = analysisLevel((1-ab.opt.Level)/float64(len(c.Rows)), ab.opt.MinRounds, ab.opt.MaxRounds)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		level := ab.other
		if slices.Contains(ab.keys, row.Metric.Key) {
			level = ab.level
			l.Ratios[row.Metric.Key] = ratios(a.Runs, b.Runs, row.Metric.Key)
		}
		row.Cells[1].Change = paired(ratios(a.Runs, b.Runs, row.Metric.Key), level, ab.opt.Options)
	}
	c.Footnotes = append(c.Footnotes, fmt.Sprintf("paired by round: the intervals are those of the mean ratio of %d rounds, so wide that they hold at all of up to %d looks at once",
		l.Rounds, ab.opt.MaxRounds-ab.opt.MinRounds+1))
	return l, ab.judge(l)
}

// addRows adds metrics that must be decided and are not among the usual ones.
func (ab *AB) addRows(l *Analysis, a, b Side) error {
	var missing []string
	for _, key := range ab.keys {
		if l.row(key) == nil {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	more, err := Compare([]Side{a, b}, Options{Metrics: missing})
	if err != nil || len(more.Rows) < len(missing) {
		return fmt.Errorf("the runs have not all of the metrics %v", missing)
	}
	l.Rows = append(l.Rows, more.Rows...)
	return nil
}

// judge finds what is still open. Before the first analysis all of it is.
func (ab *AB) judge(l *Analysis) error {
	early := l.Rounds < ab.opt.MinRounds
	for _, word := range ab.opt.Metrics {
		if ch := l.row(metric.KeyOf(word)).Cells[1].Change; early || ch == nil || ch.Call != Real && ch.Call != Same {
			l.Open = append(l.Open, metric.KeyOf(word))
		}
	}
	outcome, findings, err := ab.opt.Gate.Judge(l.Comparison)
	if err != nil {
		return err
	}
	l.Findings = findings
	for _, f := range findings {
		if early || f.Outcome == Undecided {
			l.Open = append(l.Open, f.Limit)
		}
	}
	switch d := l.severe(0, 1); {
	case early:
		return nil
	case d != nil:
		l.Hopeless = d.Side + ": " + d.Sentence
	case len(l.Open) == 0 && len(ab.opt.Gate) == 0:
		l.Outcome = Decided
	case len(l.Open) == 0 || outcome == Broken:
		l.Outcome = outcome
	}
	return nil
}

// ratios are B/A of a metric in each round; nil if a round lacks it, or it has no logarithm.
func ratios(a, b []foreign.Run, key string) []float64 {
	out := make([]float64, 0, len(a))
	for i := range a {
		va, vb := a[i].Values[key], b[i].Values[key]
		if va <= 0 || vb <= 0 {
			return nil
		}
		out = append(out, vb/va)
	}
	return out
}

// paired is the change over rounds: Student's interval of the mean logarithm of the
// ratios, at the level of one analysis.
func paired(ratios []float64, level float64, opt Options) *Change {
	var m stats.Moments
	for _, r := range ratios {
		m.Add(math.Log(r))
	}
	switch {
	case m.N == 0:
		return nil
	case m.N < 2:
		return &Change{Ratio: math.Expm1(m.Mean), Runs: 1, Call: Unknown}
	}
	bound := stats.StudentQuantile(1-level/2, m.Degrees())
	half := bound * m.StdError()
	c := &Change{
		Ratio: math.Expm1(m.Mean), Runs: len(ratios), Bounded: true, Low: math.Expm1(m.Mean - half), High: math.Expm1(m.Mean + half),
		Smallest: math.Expm1(m.StdError() * (bound + stats.StudentQuantile(0.8, m.Degrees()))), Call: Unclear,
	}
	c.P = 1
	if m.Mean != 0 { // adjusted from one analysis to the whole sequence
		c.P = min(1, stats.StudentTail(m.Mean/m.StdError(), m.Degrees())/level*(1-opt.Level))
	}
	switch {
	case math.Abs(m.Mean) > half:
		c.Call = Real
	case max(-c.Low, c.High) <= opt.Interest:
		c.Call = Same
	}
	return c
}

// Spoiled is why a round does not count: one of its runs is incomplete, or its own
// verdict is INVALID. Empty: it counts.
func (ab *AB) Spoiled(a, b *foreign.Run) string {
	for _, d := range append(alone("A", a), alone("B", b)...) {
		if d.Severe && (d.Reason != "verdict" || !ab.opt.AnyVerdict) {
			return d.Side + ": " + d.Sentence
		}
	}
	return ""
}

// JSON writes the analysis with everything that it rests on.
func (l *Analysis) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(l)
}

// AFirst gives the order of a round, counted from zero: A B, B A, B A, A B, and so on
// (ABBA, then BAAB), so that a steady drift affects both alike.
func AFirst(round int) bool { return round%4 == 0 || round%4 == 3 }

// Keys are the metrics that must be decided.
func (ab *AB) Keys() []string { return ab.keys }

// Sentence is the state of the metrics that must be decided, for the progress.
func (ab *AB) Sentence(l *Analysis) string {
	var parts []string
	for _, key := range ab.keys {
		parts = append(parts, key+" "+l.row(key).Cells[1].Change.words())
	}
	return strings.Join(parts, "; ")
}

// Percentile is the number in the name of a metric, as 95 in p95_ttft_ms; empty if there is none.
func Percentile(key string) string {
	statistic, _, _ := metric.SplitKey(key)
	if digits, ok := strings.CutPrefix(statistic, "p"); ok {
		return digits
	}
	return ""
}
