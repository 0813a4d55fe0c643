package site

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// changesMemo remembers the changes of values that were searched: they take a while,
// and most series are the same at the next look.
type changesMemo struct {
	mu   sync.Mutex
	memo map[[sha256.Size]byte][]history.Change
}

const mostMemos = 4096

func (m *changesMemo) of(values []float64) []history.Change {
	var bytes []byte
	for _, v := range values {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
	}
	sum := sha256.Sum256(bytes)
	m.mu.Lock()
	found, ok := m.memo[sum]
	m.mu.Unlock()
	if ok {
		return found
	}
	found = history.Changes(values)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.memo == nil || len(m.memo) >= mostMemos {
		m.memo = map[[sha256.Size]byte][]history.Change{}
	}
	m.memo[sum] = found
	return found
}

// changed is a change of a metric, and the run at which it is seen first.
type changed struct {
	history.Change
	metric compare.Metric
	runs   []history.Run
}

func (c *changed) first() *history.Run { return &c.runs[c.At] }

// ago is how many runs there are since the change, with its own.
func (c *changed) ago() int { return len(c.runs) - c.At }

func (c *changed) class() string {
	if c.metric.Unsure {
		return ""
	}
	if (c.Ratio > 0) == c.metric.Higher {
		return "good"
	}
	return "bad"
}

// where is the commit at which it is seen first, or the run.
func (c *changed) where() string {
	if r := c.first(); r.Commit != "" {
		return r.ShortCommit()
	}
	return c.first().Name
}

// changes are those of one metric of a series.
func (s *Site) changes(runs []history.Run, m compare.Metric) []changed {
	var out []changed
	for _, c := range s.memo.of(history.Values(runs, m.Key)) {
		out = append(out, changed{c, m, runs})
	}
	return out
}

// headlines are the keys of the metrics that the index shows.
func headlines() []string {
	var keys []string
	for _, n := range metric.UsualNames(func(u *metric.Usual) []string { return u.Index }) {
		keys = append(keys, n.Key())
	}
	return keys
}

// newest is the last change of the metrics that the index shows; nil if there is none.
func (s *Site) newest(series *history.Series) *changed {
	var last *changed
	for _, m := range metricsOf(series) {
		for _, key := range headlines() {
			if m.Key != key {
				continue
			}
			if list := s.changes(series.Runs, m); len(list) > 0 && (last == nil || list[len(list)-1].At > last.At) {
				last = &list[len(list)-1]
			}
		}
	}
	return last
}

// changeTable is the changes of one metric.
func changeTable(id, root string, list []changed) *table.Table {
	if len(list) == 0 {
		return nil
	}
	t := &table.Table{ID: id, Title: "Changes, with the 95 % interval of each", Columns: heads("metric", "seen first at", "when", "#before", "#after", "#change, %", "from", "to", "#runs since")}
	for i := range list {
		c := &list[i]
		ratio := 100 * c.Ratio
		t.Rows = append(t.Rows, []table.Cell{
			table.Word(c.metric.Label),
			{Text: c.where(), Link: root + runPath(c.first())},
			{Text: day(c.first()), Class: "when"},
			table.Value(c.Before), table.Value(c.After),
			{Text: number.Signed(c.Ratio), Value: &ratio, Class: c.class()},
			table.Word(number.Change(c.Low)), table.Word(number.Change(c.High)), table.Value(float64(c.ago())),
		})
	}
	return t
}

// togetherTable puts the changes that are seen first at the same run into one line,
// the newest first. What says the same twice is left out: means beside medians, and
// requests or all tokens beside output tokens. Each metric's own page has it.
func togetherTable(root string, list []changed) *table.Table {
	byRun := map[int][]*changed{}
	for i := range list {
		key := list[i].metric.Key
		if !strings.HasPrefix(key, "mean_") && key != "request_throughput" && key != "total_token_throughput" {
			byRun[list[i].At] = append(byRun[list[i].At], &list[i])
		}
	}
	if len(byRun) == 0 {
		return nil
	}
	t := &table.Table{ID: "change-table", Title: "Runs at which metrics changed, the newest first", Columns: heads("seen first at", "when", "for the better", "for the worse", "#runs since")}
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(byRun))) {
		texts := map[string][]string{}
		for _, c := range byRun[at] {
			texts[c.class()] = append(texts[c.class()], c.metric.Label+" "+number.Change(c.Ratio))
		}
		c := byRun[at][0]
		t.Rows = append(t.Rows, []table.Cell{
			{Text: c.where(), Link: root + runPath(c.first())},
			{Text: day(c.first()), Class: "when"},
			{Text: strings.Join(texts["good"], ", "), Class: "long"},
			{Text: strings.Join(texts["bad"], ", "), Class: "long"},
			table.Value(float64(c.ago())),
		})
	}
	return t
}
