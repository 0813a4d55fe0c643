package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
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
	looks look     // of one analysis of one of keys
	other look     // … of one of the other metrics of the table; zero: not known yet
	nulls nulls    // that levels are found by
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
	ab.nulls = drawNull(opt.MinRounds, opt.MaxRounds)
	ab.looks = ab.nulls.look(opt.Level, len(ab.keys))
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
	l := &Analysis{Comparison: c, Rounds: len(a.Runs), AnalysisLevel: ab.looks.level, Ratios: map[string][]float64{}, Open: []string{}, Outcome: Undecided}
	if err := ab.addRows(l, a, b); err != nil {
		return nil, err
	}
	if ab.other == (look{}) {
		ab.other = ab.nulls.look(ab.opt.Level, len(c.Rows))
		ab.nulls = nulls{} // some megabytes
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		looks, rounds := ab.other, roundsOf(a.Runs, b.Runs, row.Metric.Key)
		if slices.Contains(ab.keys, row.Metric.Key) {
			looks = ab.looks
			l.Ratios[row.Metric.Key] = rounds.ratios()
		}
		change := rounds.change(looks, ab.opt.Options)
		if l.Rounds < ab.opt.MinRounds && change != nil { // nobody has looked yet
			change.Call = Unclear
		}
		row.Cells[1].Change = change
		l.markBetter(row)
	}
	c.Footnotes = append(c.Footnotes, fmt.Sprintf("paired by round: the intervals are those of the mean ratio of %d rounds, with what each run's own numbers may be off, "+
		"so wide that they hold at all of up to %d looks at once; a change is real where %.0f %% intervals exclude none", l.Rounds, ab.opt.MaxRounds-ab.opt.MinRounds+1, 100*sureLevel(ab.opt.Level)))
	return l, ab.judge(l)
}

// markBetter marks the better value of a row where that is decided, and nowhere else: what Compare marked
// rests on the runs unpaired.
func (l *Analysis) markBetter(row *Row) {
	for side := range row.Cells {
		row.Cells[side].Best = false
	}
	c := row.Cells[1].Change
	if c == nil || c.Call != Real || row.Metric.Unsure || l.severe(0, 1) != nil || l.unequalLoads([]int{0, 1}) {
		return
	}
	better := 0
	if (c.Low > 0) == row.Metric.Higher {
		better = 1
	}
	row.Cells[better].Best = true
}

// addRows adds metrics that must be decided and are not among the usual ones.
func (ab *AB) addRows(l *Analysis, a, b Side) error {
	var missing []string
	for _, key := range ab.keys {
		if l.Row(key) == nil {
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
		if ch := l.Row(metric.KeyOf(word)).Cells[1].Change; early || ch == nil || ch.Call != Real && ch.Call != Same {
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

// Spoiled is why a round does not count, and what to change: one of its runs is incomplete, or its own
// verdict is INVALID. Empty: it counts.
func (ab *AB) Spoiled(a, b *result.Result) string {
	for side, r := range []*result.Result{a, b} {
		name := []string{"A", "B"}[side]
		for _, d := range alone(name, r) {
			switch {
			case !d.Severe || d.Reason == "verdict" && ab.opt.AnyVerdict:
			case d.Reason == "verdict" && r.Facts.ToDo != "":
				return name + ": " + d.Sentence + "; hint: " + r.Facts.ToDo
			case d.Reason == "verdict":
				return name + ": " + d.Sentence
			default:
				return name + ": " + d.Sentence + "; hint: see in that run's report why requests fail, and lower the load if the server refuses it"
			}
		}
	}
	return ""
}

// AFirst gives the order of a round, counted from zero: A B, B A, B A, A B, and so on
// (ABBA, then BAAB), so that a steady drift affects both alike.
func AFirst(round int) bool { return round%4 == 0 || round%4 == 3 }

// Keys are the metrics that must be decided.
func (ab *AB) Keys() []string { return ab.keys }

// Percentile is the number in the name of a metric, as 95 in p95_ttft_ms; empty if there is none.
func Percentile(key string) string {
	statistic, _, _ := metric.SplitKey(key)
	if digits, ok := strings.CutPrefix(statistic, "p"); ok {
		return digits
	}
	return ""
}
