package serving

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// key is how the journal names the lines of a name: all of them, or those with a label.
func (n *Name) key() string {
	if n.Label == "" {
		return n.Name
	}
	return labelled(n.Name, n.Label, n.Value)
}

func labelled(name, label, value string) string { return name + "{" + label + `="` + value + `"}` }

func (n *Name) scale() float64 {
	if n.Scale == 0 {
		return 1
	}
	return n.Scale
}

// Table is what is asked of the names for each line of a scrape. A key is a metric's name,
// or one with a label as Labelled gives it.
type Table struct {
	kept     map[string]bool     // keys
	averaged map[string]bool     // keys
	labels   map[string][]string // names of which lines are kept by these labels too
	known    map[string]bool     // keys with a label
}

// NewTable is the table with a user's mapping on top.
func NewTable(mapping ...journal.MetricName) *Table {
	t := &Table{map[string]bool{startTime: true}, map[string]bool{}, map[string][]string{}, map[string]bool{}}
	for _, n := range slices.Concat(named(mapping), Names) {
		t.add(&n)
	}
	return t
}

func (t *Table) add(n *Name) {
	key := n.key()
	if n.Label != "" {
		t.known[key] = true
		if !slices.Contains(t.labels[n.Name], n.Label) {
			t.labels[n.Name] = append(t.labels[n.Name], n.Label)
		}
	}
	switch kind, _ := KindOf(n.Meaning); kind {
	case Histogram:
		t.kept[n.Name+"_sum"], t.kept[n.Name+"_count"] = true, true
	case Share:
		t.kept[key], t.averaged[key] = true, true
	default:
		t.kept[key] = true
	}
}

// startTime is Prometheus's usual name for when a process began.
const startTime = "process_start_time_seconds"

// Kept says whether the journal keeps a value over time.
func (t *Table) Kept(key string) bool { return t.kept[key] || perPosition(key) }

// Averaged says whether lines of a key can't be added up, as shares can't: their mean is kept.
func (t *Table) Averaged(key string) bool { return t.averaged[key] }

// Labelled are keys under which a line is kept beside its name: what some servers tell apart
// by a label only. value gives that of the line's label, empty where it has none.
func (t *Table) Labelled(name string, value func(label string) string) (keys []string) {
	for _, label := range t.labels[name] {
		if key := labelled(name, label, value(label)); t.known[key] {
			keys = append(keys, key)
		}
	}
	if strings.HasSuffix(name, positionEnding) {
		if key := labelled(name, position, value(position)); perPosition(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Speculative decoding counts accepted tokens by how far ahead they were drafted.
const (
	position       = "position"
	positionEnding = "spec_decode_num_accepted_tokens_per_pos_total"
	mostPositions  = 1000
)

func perPosition(key string) bool {
	_, _, ok := positionOf(key)
	return ok
}

// positionOf takes a key apart: how its name begins, such as vllm:, and the position.
func positionOf(key string) (prefix string, at int, ok bool) {
	name, rest, ok := strings.Cut(key, "{"+position+`="`)
	if !ok {
		return "", 0, false
	}
	prefix, ok = strings.CutSuffix(name, positionEnding)
	number, closed := strings.CutSuffix(rest, `"}`)
	at, err := strconv.Atoi(number)
	return prefix, at, ok && closed && err == nil && at >= 0 && at <= mostPositions
}

// named is a user's mapping in the table's form; what means nothing is left out.
func named(mapping []journal.MetricName) []Name {
	var out []Name
	for _, m := range mapping {
		if _, ok := KindOf(Meaning(m.Meaning)); ok && m.Name != "" {
			out = append(out, Name{"the mapping", m.Name, m.Label, m.Value, Meaning(m.Meaning), m.Scale})
		}
	}
	return out
}

// chosen are the names that count: of each meaning the first that is there.
type chosen map[Meaning]Name

// choose looks for names among the keys of one server's scrapes. The user's names come first.
func choose(has func(key string) bool, mapping []journal.MetricName) chosen {
	out := chosen{}
	for _, n := range slices.Concat(named(mapping), Names) {
		if _, known := out[n.Meaning]; known {
			continue
		}
		there := has(n.key())
		if kind, _ := KindOf(n.Meaning); kind == Histogram {
			there = has(n.Name + "_count")
		}
		if there {
			out[n.Meaning] = n
		}
	}
	return out
}

// values are a scrape's counters as what they mean, in our units. What it does not tell is
// absent.
func (c chosen) values(counters map[string]float64) map[Meaning]float64 {
	out := map[Meaning]float64{}
	for meaning, n := range c {
		kind, _ := KindOf(meaning)
		if kind == Histogram {
			put(out, meaning.Sum(), counters, n.Name+"_sum", n.scale())
			put(out, meaning.Count(), counters, n.Name+"_count", 1)
			continue
		}
		put(out, meaning, counters, n.key(), n.scale())
		if v, ok := out[meaning]; ok && kind == Share {
			if share, ok := asShare(v); ok {
				out[meaning] = share
			} else {
				delete(out, meaning)
			}
		}
	}
	derive(out)
	return out
}

func put(out map[Meaning]float64, m Meaning, counters map[string]float64, key string, scale float64) {
	if v, ok := counters[key]; ok && !math.IsNaN(v*scale) && !math.IsInf(v*scale, 0) {
		out[m] = v * scale
	}
}

// asShare says no to what is none: vLLM V0 has -1 where it does not know.
func asShare(v float64) (share float64, ok bool) {
	const rounding = 1.01
	return min(v, 1), v >= 0 && v <= rounding
}

// derive adds what follows: prompt tokens are those from the cache and those computed, and
// where lookups are not counted, each prompt token was one.
func derive(v map[Meaning]float64) {
	hits, hasHits := v[PrefixHits]
	computed, hasComputed := v[ComputedTokens]
	prompt, hasPrompt := v[PromptTokens]
	if !hasPrompt && hasComputed && hasHits {
		prompt, hasPrompt = computed+hits, true
		v[PromptTokens] = prompt
	}
	if _, has := v[PrefixQueries]; !has && hasHits && hasPrompt {
		v[PrefixQueries] = prompt
	}
}

// Values are one scrape's counters as what they mean: gauges, counters, and of histograms
// their Sum and Count. The mapping's names come before ours.
func Values(counters map[string]float64, mapping ...journal.MetricName) map[Meaning]float64 {
	return choose(func(key string) bool { _, ok := counters[key]; return ok }, mapping).values(counters)
}
