// Package trace reads recordings of real traffic: when each request came, how long its
// prompt and its answer were, and which parts of the prompt were the same as others'.
// Each format is one file, and one name in the table of registry.go. Rows are a stream:
// a file of any length is read in the same memory.
package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"
)

// Row is one request of a trace.
type Row struct {
	Number int           // of the row in its file, from 1; a header is none. Of turns of trees: in the trace
	At     time.Duration // from a zero of the file's own, which may lie after it
	Input  int           // tokens of the prompt
	Output int           // tokens of the answer
	// NoInput and NoOutput: the length is not known, which is not 0. Estimated: the output's is that of its events.
	NoInput, NoOutput, Estimated bool
	// IDs name the prompt's blocks of Block tokens, in order. Equal ids mean equal blocks
	// and equal blocks before them. The last block may be a part of one; tokens behind
	// the last id are like no other's. The next row reuses the slice.
	IDs   []uint64
	Block int
	// Session is the conversation that it belongs to, and Turn its place there, from 1; 0: none.
	Session uint64
	Turn    int
	Images  int    // beside the prompt's text
	Model   string // that answered, where the format says it
	// Failed: the trace says that it had no answer.
	Failed bool
	// Sampling are the parameters that it asked for, where the format says them.
	Sampling []Parameter
	// Job is the session that began the one of the row; 0: it is one by itself.
	Job uint64
	// Took is from being sent to the end of the answer; 0: not known.
	Took time.Duration
	// Delay is from the end of the row before it in its session; nil: At says it.
	Delay *time.Duration
	// Untimed: At is not known.
	Untimed bool
	// Own are messages as chat completions have them, where the format has texts; with Adds they come behind those of
	// the row before it in its session and its answer. Fields are further fields of the body.
	Own    []json.RawMessage
	Adds   bool
	Fields map[string]json.RawMessage
}

// job is the session by which rows make a tree; 0: none.
func (r *Row) job() uint64 { return cmp.Or(r.Job, r.Session) }

// fields are those of the body, sampling parameters among them.
func (r *Row) fields() map[string]json.RawMessage {
	if len(r.Sampling) == 0 {
		return r.Fields
	}
	all := maps.Clone(r.Fields)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for _, p := range r.Sampling {
		all[p.Name] = p.Value
	}
	return all
}

// Parameter is a sampling parameter by OpenAI's name, such as temperature.
type Parameter struct {
	Name  string
	Value json.RawMessage // a number
}

// What a row may hold: more is no trace, or an attack.
const (
	mostTokens  = 1 << 24
	mostIDs     = 1 << 20
	mostSeconds = 1e9
	mostLine    = 16 << 20
)

// check holds a row against the bounds.
func (r *Row) check() error {
	switch {
	case r.Input < 0 || r.Input > mostTokens:
		return fmt.Errorf("an input of %d tokens is not within 0 and %d", r.Input, mostTokens)
	case r.Output < 0 || r.Output > mostTokens:
		return fmt.Errorf("an output of %d tokens is not within 0 and %d", r.Output, mostTokens)
	case len(r.IDs) > mostIDs:
		return fmt.Errorf("%d block ids are more than %d", len(r.IDs), mostIDs)
	}
	return nil
}

// checkBlocks holds the ids against the length: there must be one for each block, and
// one for what is left over; without is whether the latter may be missing.
func (r *Row) checkBlocks(without bool) error {
	if r.IDs == nil {
		return nil
	}
	full := r.Input / r.Block
	need := (r.Input + r.Block - 1) / r.Block
	if n := len(r.IDs); n == need || without && n == full {
		return nil
	}
	return fmt.Errorf("%d block ids for %d tokens, where blocks of %d need %d", len(r.IDs), r.Input, r.Block, need)
}

// seconds makes a time of a number of seconds.
func seconds(s float64) (time.Duration, error) {
	if !(s >= -mostSeconds && s <= mostSeconds) { // so that nan fails too
		return 0, fmt.Errorf("a time of %g s is not within 31 years", s)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}

// sessionOf names a session by a text of the file. It is never 0.
func sessionOf(text string) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return max(h, 1)
}

// mix makes one number of two, so that ids of one file are not those of another.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ b
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}
