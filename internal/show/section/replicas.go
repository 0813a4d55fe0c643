package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atReplicas, replicas) }

// replicas is each of several servers by itself, and how far they lie apart.
func replicas(run *Run) *Section {
	all := run.Result.Replicas
	if all == nil {
		return nil
	}
	facts := &table.Table{}
	facts.Fact("Spread of requests", spreadOf(all))
	facts.Fact("Skew, max/min", skew(&all.Skew))
	facts.Fact("Affinity of conversations", turnsKept(all))
	facts.Fact("Affinity of prefixes", prefixesKept(all))
	if p := all.Unknown; p != nil && p.Requests > 0 && len(all.Each) > 0 {
		facts.Fact("Not known who answered", fmt.Sprintf("%d requests, %s of all: %s", p.Requests, number.Share(p.Share), outcomes(p.Outcomes)))
	}
	odd := &table.Table{Brief: maxOnConsole}
	for _, e := range oddFirst(all.Each) {
		if all.Named() {
			odd.Fact(shownName(&e), remarks(&e, run.Result.Duration))
		}
	}
	each := replicaTable("Each replica by itself; latencies in ms", all.Named(), all.Each, all.More, all.Unknown)
	if all.LoadBy == measure.ByAnswers { // then a console has better use for the width
		i := slices.IndexFunc(each.Columns, func(c table.Column) bool { return c.Name == ownCount })
		each.Columns[i].Except |= table.OnConsole
	}
	tables := []*table.Table{each, facts, odd}
	if len(all.Prefillers) > 0 {
		tables = append(tables, replicaTable("Replicas that computed prompts; latencies of those requests, in ms", all.Named(), all.Prefillers))
	}
	return &Section{ID: "replicas", Title: ReplicasTitle(all), Tables: tables}
}

// ReplicasTitle says how many there are, and who chose one for each request.
func ReplicasTitle(all *measure.Replicas) string {
	words := fmt.Sprintf("%d replicas", len(all.Each))
	if len(all.Each) == 1 {
		words = "1 replica"
	}
	if all.More != nil {
		words = "more than " + words
	}
	if all.Balance != "" {
		return words + ", " + all.Balance
	}
	return words + " behind a router"
}

// ownCount is the column of the requests that a replica counted itself.
const ownCount = "own count"

// replicaTable has a row for each, those that differ most first where they are many, and the rest last.
func replicaTable(title string, named bool, each []measure.ReplicaResult, rest ...*measure.ReplicaResult) *table.Table {
	roles := slices.ContainsFunc(each, func(e measure.ReplicaResult) bool { return e.Role != journal.BothRoles })
	told := slices.ContainsFunc(each, func(e measure.ReplicaResult) bool { return e.Own != nil })
	only := func(yes bool, columns []table.Column) []table.Column {
		if yes {
			return columns
		}
		return table.Hide(table.OnConsole|table.Files, columns...)
	}
	t := &table.Table{Title: title, Brief: maxOnConsole, Columns: slices.Concat(
		table.Words("replica"), only(roles, table.Words("role")), table.Numbers(number.Count, "requests"), wide(number.Share, "share"), wide(number.Count, "completed"),
		table.Numbers(number.Count, "failed"), wide(number.Count, "hung up", "retries"), table.Numbers(number.Rate, "tok/s"), wide(number.Rate, "req/s"),
		partColumns(), table.Numbers(number.Share, "cached"), wide(number.Count, "most at once"), wide(number.Rate, "first, s", "last, s"),
		only(told, table.Numbers(number.Count, ownCount)), only(told, wide(number.Share, "own hit rate")), only(told, wide(number.Rate, "own queue")),
	)}
	list := oddFirst(each)
	for _, e := range rest {
		if e != nil {
			list = append(list, *e)
		}
	}
	for i := range list {
		e := &list[i]
		known := func(v float64) float64 { return orNaN(v, named || i >= len(each)) }
		t.Rows = append(t.Rows, slices.Concat(
			table.Row(table.Sentence(shownName(e)), string(e.Role), known(float64(e.Requests)), known(e.Share), known(float64(e.Completed)), known(float64(e.Failed)),
				known(float64(e.HungUp)), known(float64(e.Retries)), known(e.OutputThroughput), known(e.RequestThroughput)),
			partCells(&e.TTFT, &e.TPOT, &e.E2EL), table.Row(orNaN(e.Cached.Share()), known(float64(e.PeakConcurrency)), e.First, e.Last), ownCells(e),
		))
	}
	if n := len(list); n > maxOnConsole {
		t.Notes = append(t.Notes, "Those that differ most from the others come first.")
	}
	return t
}

// ownCells are what a replica says of itself: requests that ended, prefix cache hits, its mean queue.
func ownCells(e *measure.ReplicaResult) []table.Cell {
	count, hits, queue := math.NaN(), math.NaN(), math.NaN()
	if own := e.Own; own != nil {
		if own.Requests != nil {
			count = own.Requests.Server
		}
		if own.PrefixHitRate != nil {
			hits = *own.PrefixHitRate
		}
		if own.Waiting != nil {
			queue = own.Waiting.Mean
		}
	}
	return table.Row(count, hits, queue)
}

func orNaN(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// shownName is a replica's name without what all addresses begin with.
func shownName(e *measure.ReplicaResult) string {
	name := strings.TrimSuffix(strings.TrimPrefix(e.Name, "http://"), "/")
	return outside.Line(name, maxName)
}

// oddFirst puts those that differ most before the others where they are many: a console has no room for all, and nobody reads two hundred lines.
func oddFirst(each []measure.ReplicaResult) []measure.ReplicaResult {
	list := slices.Clone(each)
	if len(list) <= maxOnConsole {
		return list
	}
	middle := func(of func(*measure.ReplicaResult) float64) float64 {
		var values []float64
		for i := range each {
			if v := of(&each[i]); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return math.NaN()
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	requests := func(e *measure.ReplicaResult) float64 { return float64(e.Requests) }
	ttft := func(e *measure.ReplicaResult) float64 {
		if e.TTFT.Count == 0 {
			return math.NaN()
		}
		return e.TTFT.Mean
	}
	usual, slow := middle(requests), middle(ttft)
	odd := func(e *measure.ReplicaResult) float64 {
		away := func(v, from float64) float64 {
			if math.IsNaN(v) || !(from > 0) {
				return 0
			}
			return math.Abs(v-from) / from
		}
		failed := float64(e.Failed) / float64(max(e.Requests, 1))
		return away(requests(e), usual) + away(ttft(e), slow) + 10*failed
	}
	slices.SortStableFunc(list, func(a, b measure.ReplicaResult) int { return cmp.Compare(odd(&b), odd(&a)) })
	return list
}

// spreadOf says how evenly requests went to the replicas.
func spreadOf(all *measure.Replicas) string {
	l := &all.Load
	switch {
	case len(all.Each) < 2:
		return ""
	case all.LoadBy == measure.ByNobody:
		return "unknown: neither answers nor replicas tell who served them (--replica-key, --replica)"
	case l.BusiestOverMean == nil:
		return ""
	}
	words := fmt.Sprintf("the busiest has %s times the mean, CoV %s", number.Fixed(*l.BusiestOverMean, 2), number.Fixed(*l.CV, 2))
	if l.MaxOverMin != nil {
		words += ", max/min " + number.Fixed(*l.MaxOverMin, 2)
	} else {
		words += ", one got nothing"
	}
	if l.Luck && *l.BusiestOverMean > 1 {
		words += "; a router that throws dice may do that by luck"
	}
	if all.LoadBy == measure.ByCounters {
		words += "; by the replicas' own counters"
	}
	return words
}

// turnsKept is how many turns went where the one before was.
func turnsKept(all *measure.Replicas) string {
	a := all.Affinity
	if a.Share() == nil {
		return ""
	}
	words := fmt.Sprintf("%s of %d later turns on the replica of the turn before, %s on that of the first", number.Share(*a.Share()), a.Turns, number.Share(*a.FirstShare()))
	if a.Chance != nil {
		words += fmt.Sprintf("; %s by chance", number.Share(*a.Chance))
	}
	return words
}

// prefixesKept is how many prompts went elsewhere than most with the same prefix.
func prefixesKept(all *measure.Replicas) string {
	a := all.Affinity
	if a.ElsewhereShare() == nil {
		return ""
	}
	return fmt.Sprintf("%s of %d prompts went elsewhere than most with the same prefix; a prefix was on %s replicas", number.Share(*a.ElsewhereShare()), a.Prefixed, number.Fixed(float64(a.Copies)/float64(max(a.Prefixes, 1)), 1))
}

// remarks are what is odd about one replica: failures, retries, that it came late or went away.
func remarks(e *measure.ReplicaResult, duration float64) string {
	var words []string
	if e.Failed > 0 || e.HungUp > 0 {
		words = append(words, outcomes(e.Outcomes))
	}
	if e.Retries > 0 {
		words = append(words, fmt.Sprintf("%d retries by a gateway", e.Retries))
	}
	const notable = 0.2 // of the run
	if e.First != nil && *e.First > notable*duration {
		words = append(words, fmt.Sprintf("its first answered request was sent at %s s", number.Fixed(*e.First, 1)))
	}
	if e.Last != nil && *e.Last < (1-notable)*duration {
		words = append(words, fmt.Sprintf("it answered nothing after %s s", number.Fixed(*e.Last, 1)))
	}
	if e.Requests == 0 && e.Own == nil {
		words = append(words, "no answer names it")
	}
	return strings.Join(words, "; ")
}

// partColumns are the latencies of a part of a run: of a server, or of a client.
func partColumns() []table.Column {
	ms := number.Millis
	return slices.Concat(wide(ms, "TTFT mean"), table.Numbers(ms, "TTFT p50", "TTFT p99"), wide(ms, "TPOT mean"), table.Numbers(ms, "TPOT p50"), wide(ms, "E2EL p99"))
}

func partCells(ttft, tpot, e2el *measure.Summary) []table.Cell {
	return table.Row(mean(ttft), percentile(ttft, 50, ttft.P50), percentile(ttft, 99, ttft.P99), mean(tpot), percentile(tpot, 50, tpot.P50), percentile(e2el, 99, e2el.P99))
}

func skew(s *measure.PartSkew) string {
	var words []string
	for _, part := range []struct {
		name string
		of   measure.Skew
	}{{"tok/s", s.OutputThroughput}, {"mean TTFT", s.TTFT}, {"mean TPOT", s.TPOT}, {"mean E2EL", s.E2EL}} {
		if part.of.MaxOverMin != nil {
			words = append(words, part.name+" "+number.Fixed(*part.of.MaxOverMin, 2))
		}
	}
	return strings.Join(words, ", ")
}
