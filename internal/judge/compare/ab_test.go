package compare

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

var sequences = flag.Int("sequences", 150, "simulated sequences of rounds for each line of TestOperatingCharacteristics")

// duel is a world in which the truth about A and B is known.
type duel struct {
	name    string
	metrics int
	change  float64                         // of B, in truth
	spread  float64                         // of one run, in logarithms
	drift   float64                         // of the machine from one run to the next
	noise   func(random *rand.Rand) float64 // of spread 1; nil: normal
	spoilt  float64                         // share of runs that something else on the machine slows down by 10 to 60 %
	off     float64                         // by which a run's numbers may be off, and are, up or down; it says so

	mayReal  float64 // at most this share is called real (or at least, where there is a change)
	mustSame float64 // at least this share is called equivalent
}

func heavy(random *rand.Rand) float64 { // Student's t with 3 degrees, of spread 1
	sum := 0.0
	for range 3 {
		v := random.NormFloat64()
		sum += v * v
	}
	return random.NormFloat64() / math.Sqrt(sum/3) / math.Sqrt(3)
}

var allMetrics = []string{"mean_ttft_ms", "mean_tpot_ms", "output_throughput"}

// play lets a duel go on until it is decided. The first metric carries the change.
func (d *duel) play(ab *AB, random *rand.Rand) (*Analysis, error) {
	noise := d.noise
	if noise == nil {
		noise = (*rand.Rand).NormFloat64
	}
	a, b := Side{Name: "A"}, Side{Name: "B"}
	at := 0.0
	for round := range ab.opt.MaxRounds {
		run := func(change float64) result.Result {
			r := result.Result{Tool: result.Inferometer, Values: map[string]float64{}}
			for i, key := range allMetrics[:d.metrics] {
				v := d.drift*at + d.spread*noise(random)
				if i == 0 {
					v += math.Log1p(change)
				}
				if random.Float64() < d.spoilt {
					v += 0.1 + 0.4*random.Float64()
				}
				if d.off > 0 {
					truth := 100 * math.Exp(v)
					v += d.off * (2*random.Float64() - 1)
					r.Bounds = map[string]result.Bounds{key: {Low: truth * math.Exp(-d.off), High: truth * math.Exp(d.off)}}
				}
				r.Values[key] = 100 * math.Exp(v)
			}
			at++
			return r
		}
		if AFirst(round) {
			a.Runs = append(a.Runs, run(0))
			b.Runs = append(b.Runs, run(d.change))
		} else {
			b.Runs = append(b.Runs, run(d.change))
			a.Runs = append(a.Runs, run(0))
		}
		if len(a.Runs) < ab.opt.MinRounds {
			continue
		}
		l, err := ab.Analyse(a, b)
		if err != nil || l.Done() || round == ab.opt.MaxRounds-1 {
			return l, err
		}
	}
	return nil, nil
}

// How often ab is wrong, how often it finds what is there, and how many rounds that
// takes: the table of docs/compare.md.
func TestOperatingCharacteristics(t *testing.T) {
	slack := 3 * math.Sqrt(0.05*0.95/float64(*sequences)) // of a share that is counted
	few := 3 * math.Sqrt(0.01*0.99/float64(*sequences))   // … of one that is small
	t.Log("| truth | metrics | real | equivalent | undecided | rounds, mean |")
	for _, d := range []duel{
		{name: "the same, runs differ by 1 %", metrics: 1, spread: 0.01, mayReal: 0.01, mustSame: 0.9},
		{name: "the same, runs differ by 3 %", metrics: 1, spread: 0.03, mayReal: 0.01, mustSame: 0.8},
		{name: "the same, runs differ by 10 %", metrics: 1, spread: 0.10, mayReal: 0.01},
		{name: "the same, runs differ by 3 %", metrics: 3, spread: 0.03, mayReal: 0.01, mustSame: 0.6},
		{name: "the same, 3 %, with rare large outliers", metrics: 1, spread: 0.03, noise: heavy, mayReal: 0.01, mustSame: 0.7},
		{name: "the same, 3 %, each run 1 % slower than the one before", metrics: 1, spread: 0.03, drift: 0.01, mayReal: 0.01, mustSame: 0.7},
		{name: "the same, 1 %, one run in ten disturbed by 10 to 60 %", metrics: 1, spread: 0.01, spoilt: 0.1, mayReal: 0.01},
		{name: "the same, 1 %, one run in four disturbed by 10 to 60 %", metrics: 1, spread: 0.01, spoilt: 0.25, mayReal: 0.01},
		{name: "B +20 %, 1 %, one run in ten disturbed by 10 to 60 %", metrics: 1, spread: 0.01, spoilt: 0.1, change: 0.2, mayReal: 0.97},
		{name: "B +20 %, 1 %, one run in four disturbed by 10 to 60 %", metrics: 1, spread: 0.01, spoilt: 0.25, change: 0.2, mayReal: 0.55},
		{name: "the same, 1 %, numbers known to 3 % only", metrics: 1, spread: 0.01, off: 0.03, mayReal: 0.01},
		{name: "B +20 %, 1 %, numbers known to 3 % only", metrics: 1, spread: 0.01, off: 0.03, change: 0.2, mayReal: 0.99},
		{name: "B +10 %, runs differ by 1 %", metrics: 1, spread: 0.01, change: 0.10, mayReal: 0.99},
		{name: "B +10 %, runs differ by 3 %", metrics: 1, spread: 0.03, change: 0.10, mayReal: 0.99},
		{name: "B +10 %, runs differ by 3 %", metrics: 3, spread: 0.03, change: 0.10, mayReal: 0.99},
		{name: "B +10 %, runs differ by 5 %", metrics: 3, spread: 0.05, change: 0.10, mayReal: 0.85},
		{name: "B +10 %, runs differ by 10 %", metrics: 1, spread: 0.10, change: 0.10},
	} {
		ab, err := NewAB(ABOptions{Metrics: allMetrics[:d.metrics], MinRounds: 3, MaxRounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(2026, 11))
		n, found, same, rounds := float64(*sequences), 0.0, 0.0, 0.0
		for range *sequences {
			l, err := d.play(ab, random)
			if err != nil {
				t.Fatal(err)
			}
			rounds += float64(l.Rounds) / n
			switch {
			case d.isReal(l):
				found += 1 / n
			case len(l.Open) == 0:
				same += 1 / n
			}
		}
		t.Logf("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f |", d.name, d.metrics, found*100, same*100, math.Abs(1-found-same)*100, rounds)
		switch {
		case d.change == 0 && found > d.mayReal+few:
			t.Errorf("%s: called real in %.3f", d.name, found)
		case d.change > 0 && found < d.mayReal-slack:
			t.Errorf("%s: called real in only %.3f", d.name, found)
		case same < d.mustSame-slack:
			t.Errorf("%s: called equivalent in only %.3f", d.name, same)
		}
	}
}

// isReal: of servers that are the same any metric is one too many; of others the first is it.
func (d *duel) isReal(l *Analysis) bool {
	for i := range l.Rows {
		if l.Rows[i].Cells[1].Change.Call == Real && (d.change == 0 || l.Rows[i].Metric.Key == allMetrics[0]) {
			return true
		}
	}
	return false
}

// The level of an analysis lies between that of analyses which all tell the same, and
// Bonferroni's; with a single one of rounds too few to trim it is all there is, and of more the choice between
// two estimates costs a part of it.
func TestAnalysisLevel(t *testing.T) {
	if got := analysisLevel(0.05, 4, 4); math.Abs(got-0.05) > 0.003 {
		t.Errorf("one analysis: %g, want 0.05", got)
	}
	if got := analysisLevel(0.05, 10, 10); got < 0.03 || got > 0.045 {
		t.Errorf("one analysis by two estimates: %g", got)
	}
	got := analysisLevel(0.05, 3, 20)
	if got < 0.05/18*1.5 || got > 0.02 {
		t.Errorf("18 analyses: %g", got)
	}
	if again := analysisLevel(0.05, 3, 20); again != got {
		t.Errorf("%g, and then %g", got, again)
	}
	if more := analysisLevel(0.05, 3, 60); more >= got {
		t.Errorf("58 analyses: %g, not less than of 18: %g", more, got)
	}
}

func TestOrderIsABBA(t *testing.T) {
	var order strings.Builder
	for round := range 4 {
		if AFirst(round) {
			order.WriteString("AB")
		} else {
			order.WriteString("BA")
		}
	}
	if got := order.String(); got != "ABBABAAB" {
		t.Errorf("%s", got)
	}
}

func sideOf(name string, ttfts ...float64) Side {
	s := Side{Name: name}
	for _, v := range ttfts {
		s.Runs = append(s.Runs, result.Result{Tool: result.Inferometer, Values: map[string]float64{"mean_ttft_ms": v, "request_throughput": 10}})
	}
	return s
}

func TestABGate(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []float64
		want Outcome
		open int
	}{
		{"kept", []float64{100, 101, 99, 100}, Kept, 0},
		{"broken", []float64{119, 121, 120, 120}, Broken, 0},
		{"across", []float64{103, 107, 105, 106}, Undecided, 1},
		{"too early", []float64{150, 150}, Undecided, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate, err := ParseGate("mean_ttft<+5%")
			if err != nil {
				t.Fatal(err)
			}
			ab, err := NewAB(ABOptions{Gate: gate, MinRounds: 3, MaxRounds: 6})
			if err != nil {
				t.Fatal(err)
			}
			l, err := ab.Analyse(sideOf("A", []float64{100, 100.5, 99.5, 100}[:len(tt.b)]...), sideOf("B", tt.b...))
			if err != nil {
				t.Fatal(err)
			}
			if l.Outcome != tt.want || len(l.Open) != tt.open || l.Done() != (tt.want != Undecided) {
				t.Errorf("%s, open %v, done %v; want %s and %d open: %+v", l.Outcome, l.Open, l.Done(), tt.want, tt.open, l.Findings)
			}
		})
	}
}

// What is broken stays broken: the other limits need not be waited for. Answers of
// another length can't be decided, however many rounds.
func TestABEndsEarly(t *testing.T) {
	gate, err := ParseGate("mean_ttft<+5% and request_throughput>+1%")
	if err != nil {
		t.Fatal(err)
	}
	ab, err := NewAB(ABOptions{Gate: gate, Metrics: []string{"mean_ttft"}, MinRounds: 3, MaxRounds: 6})
	if err != nil {
		t.Fatal(err)
	}
	a, b := sideOf("A", 100, 101, 99), sideOf("B", 150, 151, 149)
	l, err := ab.Analyse(a, b)
	if err != nil || !l.Done() || l.Outcome != Broken {
		t.Errorf("%v, %v", l, err)
	}
	var read struct {
		Rounds int
		Ratios map[string][]float64
		Rows   []any
	}
	out, err := json.Marshal(l)
	if err != nil || json.Unmarshal(out, &read) != nil || read.Rounds != 3 || len(read.Ratios["mean_ttft_ms"]) != 3 || len(read.Rows) != 2 {
		t.Errorf("%v: %s", err, out)
	}
	for i := range a.Runs {
		a.Runs[i].Facts = result.Facts{Completed: 10, OutputTokens: 100}
		b.Runs[i].Facts = result.Facts{Completed: 10, OutputTokens: 200}
	}
	if l, err = ab.Analyse(a, b); err != nil || l.Hopeless == "" || l.Outcome != Undecided || !l.Done() {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestABRules(t *testing.T) {
	for _, opt := range []ABOptions{
		{Metrics: []string{"mean_ttft"}, MinRounds: 2, MaxRounds: 20},
		{Metrics: []string{"mean_ttft"}, MinRounds: 5, MaxRounds: 4},
		{Metrics: []string{"mean_ttft"}, MinRounds: 5, MaxRounds: 1000},
		{MinRounds: 3, MaxRounds: 4},
	} {
		if _, err := NewAB(opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
	ab, err := NewAB(ABOptions{Metrics: []string{"p95_ttft"}, MinRounds: 3, MaxRounds: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ab.Analyse(sideOf("A", 1), sideOf("B", 1)); err == nil || !strings.Contains(err.Error(), "p95_ttft_ms") {
		t.Errorf("a metric that is not there: %v", err)
	}
}

func TestSpoiled(t *testing.T) {
	good, short := &result.Result{}, &result.Result{Facts: result.Facts{Completed: 36, Asked: 64}}
	invalid := &result.Result{Facts: result.Facts{Verdict: "INVALID", Reasons: []string{"foreign_requests"}, ToDo: "find out who else uses the server"}}
	ab, loose := &AB{}, &AB{opt: ABOptions{AnyVerdict: true}}
	for _, tt := range []struct {
		ab   *AB
		b    *result.Result
		want string
	}{
		{ab, good, ""},
		{ab, short, "B: only 36 of 64"},
		{loose, short, "B: only 36 of 64"},
		{ab, invalid, "B: its own verdict is INVALID (foreign_requests); hint: find out who else uses the server"},
		{loose, invalid, ""},
	} {
		if got := tt.ab.Spoiled(good, tt.b); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// analysisLevel is the significance level of a single analysis, where one is made
// after each of the rounds least … most.
func analysisLevel(alpha float64, least, most int) float64 {
	return drawNull(least, most).level(alpha)
}
