package rules

import (
	"encoding/json"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// settings are the keys of a run's Spec, as in load.seed, with their values as JSON. A key that is not there was not set,
// or the journal is of a version that did not know it.
type settings map[string]string

func settingsOf(run *journal.Run) settings {
	if run == nil {
		return nil
	}
	return journal.SpecKeys(run.Spec)
}

// text is a value that is a text.
func (s settings) text(key string) (v string, known bool) {
	known = json.Unmarshal([]byte(s[key]), &v) == nil
	return v, known
}

// number is a value that is a number.
func (s settings) number(key string) (v float64, known bool) {
	known = json.Unmarshal([]byte(s[key]), &v) == nil
	return v, known
}

// span is a value that is a time, such as 90s.
func (s settings) span(key string) (time.Duration, bool) {
	text, known := s.text(key)
	if !known {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// The keys of a replay's settings.
const (
	keyLoop     = "dataset.trace_loop"      // open, closed
	keySpeed    = "dataset.trace_speed"     // so many times as fast
	keyMaxPause = "dataset.trace_max_pause" // absent: no cap
	keyMaxInput = "dataset.trace_max_input" // longest prompt
	keyBust     = "dataset.trace_cache_bust"
	keyStartMin = "dataset.trace_start_min" // where in a trace to begin
	keyStartMax = "dataset.trace_start_max"
	keyHistory  = "dataset.history"
	keyWarm     = "dataset.trace_warm_turns" // of each lane, after the primers
	keyTrees    = "dataset.trace_trees"      // the first so many; 0: all
	keyIdleCap  = "dataset.trace_idle_cap"   // of the whole run
	keyTreeCap  = "dataset.trace_tree_idle_cap"
	keyFailed   = "dataset.trace_failed" // what a failed turn ends
	keyDuration = "load.duration"
)
