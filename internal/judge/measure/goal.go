package measure

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/stats"
)

// Goal is one part of --until: how narrow the interval of a number shall be.
type Goal struct {
	Text   string  // as typed, without spaces: p99_ttft±5%
	Name   string  // of the number: p99_ttft, request_throughput
	Within float64 // half of the interval's width as a share of the estimate

	metric  string  // empty for a rate
	mean    bool    // else a percentile
	percent float64 // 50 for the median
}

const goalForm = "a goal reads p99_ttft±5%"

// ParseGoals reads --until: goals such as p99_ttft±5% or mean_e2el+-2%, with "and"
// or a comma between them.
func ParseGoals(text string) ([]Goal, error) {
	words := strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " and ")), " ")
	var goals []Goal
	for _, part := range strings.Split(words, " and ") {
		g, err := parseGoal(strings.ReplaceAll(part, " ", ""))
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

func parseGoal(text string) (Goal, error) {
	text = strings.ReplaceAll(text, "+-", "±")
	name, within, ok := strings.Cut(text, "±")
	number, percent := strings.CutSuffix(within, "%")
	if !ok || !percent || name == "" {
		return Goal{}, fmt.Errorf("%q can't be read: %s", text, goalForm)
	}
	share, err := strconv.ParseFloat(number, 64)
	if err != nil || !(share > 0 && share < 100) {
		return Goal{}, fmt.Errorf("%q needs a share above 0 %% and below 100 %%", text)
	}
	g := Goal{Text: text, Name: name, Within: share / 100}
	return g, g.resolve()
}

// resolve finds out what the name means.
func (g *Goal) resolve() error {
	if g.Name == "request_throughput" || g.Name == "output_throughput" {
		return nil
	}
	stat, metric, _ := strings.Cut(g.Name, "_")
	g.metric = metric
	switch metric {
	case "ttft", "tpot", "itl", "e2el":
	default:
		return fmt.Errorf("%q is no number that --until knows: mean_, median_ or pNN_ of ttft, tpot, itl or e2el, request_throughput, output_throughput", g.Name)
	}
	switch {
	case stat == "mean":
		g.mean = true
	case stat == "median":
		g.percent = 50
	default:
		p, err := strconv.ParseFloat(strings.TrimPrefix(stat, "p"), 64)
		if err != nil || !strings.HasPrefix(stat, "p") || !(p > 0 && p < 100) {
			return fmt.Errorf("%q is no statistic: mean, median or a percentile such as p99", stat)
		}
		g.percent = p
	}
	return nil
}

// interval is the interval of the goal's number, from what is known so far.
func (e *evidence) interval(g *Goal) Interval {
	if g.metric == "" {
		return e.rate(g.Name)
	}
	ch := stats.Chain{}
	if g.metric == "itl" {
		ch = e.gaps.chain()
	} else {
		for _, m := range Metrics() {
			if m.Name == g.metric {
				ch = e.chain(m.Value)
			}
		}
	}
	s := NewSample(len(ch.Values))
	for _, v := range ch.Values {
		s.Add(v)
	}
	st := s.Stats([]float64{g.percent})
	if g.mean {
		return meanInterval(&st, &ch)
	}
	return percentileInterval(s, &ch, g.percent, st.Percentiles[0].Value)
}

// rate is the interval of a throughput up to the last end.
func (e *evidence) rate(name string) Interval {
	of := outputTokens
	if name == "request_throughput" {
		of = func(*Row) float64 { return 1 }
	}
	last, n, sum := int64(0), 0, 0.0
	for i := range e.rows {
		if r := &e.rows[i]; r.OK {
			last, n, sum = max(last, r.End), n+1, sum+of(r)
		}
	}
	duration := seconds(last)
	if duration <= 0 {
		return rateInterval(nil, 0, 0, 0)
	}
	return rateInterval(e.slots(duration, of), duration, sum/duration, n)
}
