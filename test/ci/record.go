package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// record is a whole run, as it is summarised and, where INFEROMETER_CI_RECORD names a file, kept.
type record struct {
	Rung       string    `json:"rung"`
	Began      time.Time `json:"began"`
	Seconds    float64   `json:"seconds"`
	Beside     string    `json:"beside,omitempty"` // what ran beside it
	RequireAll bool      `json:"require_all,omitempty"`
	Passed     int       `json:"passed"`
	Failed     []finding `json:"failed"`
	Flaky      []finding `json:"flaky"`
	Skipped    []finding `json:"skipped"`
	Left       []finding `json:"left_out"`
	Parts      []*result `json:"parts"`
	Got        []cost    `json:"got"` // what was built, installed or found
}

type cost struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Fault   string  `json:"fault,omitempty"`
}

// newRecord puts together what the parts came to. Where all is required, what was skipped has failed too.
func newRecord(r rung, requireAll bool, results []*result) *record {
	out := &record{Rung: r.String(), RequireAll: requireAll, Parts: results}
	for _, one := range results {
		out.Passed += one.Passed
		out.Failed = append(out.Failed, one.Failed...)
		out.Flaky = append(out.Flaky, one.Flaky...)
		out.Skipped = append(out.Skipped, one.Skipped...)
	}
	out.leavers(r)
	if requireAll {
		for _, f := range out.Skipped {
			f.Why = "skipped: " + f.Why
			out.Failed = append(out.Failed, f)
		}
	}
	return out
}

// leavers takes the tests that leave themselves out of this rung from those that were skipped.
func (r *record) leavers(level rung) {
	r.Skipped = slices.DeleteFunc(r.Skipped, func(f finding) bool {
		for _, l := range leavers {
			if level < l.below && l.says.MatchString(f.Why) {
				f.Why = "runs in `" + l.below.String() + "`"
				r.Left = append(r.Left, f)
				return true
			}
		}
		return false
	})
}

// leave notes the parts of higher rungs.
func (r *record) leave(parts []part, level rung) {
	for _, p := range parts {
		if p.from > level {
			r.Left = append(r.Left, finding{Part: p.name, Why: "runs in `" + p.from.String() + "`"})
		}
	}
}

func (r *record) write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func readRecords(paths []string) ([]*record, error) {
	var out []*record
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := &record{}
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// table shows many runs, one a line.
func table(w io.Writer, records []*record) {
	fmt.Fprintln(w, "| run | rung | beside | time | passed | failed | flaky | skipped | which |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for i, r := range records {
		var names []string
		for _, f := range r.Failed {
			names = append(names, "failed: "+strings.TrimSpace(f.Part+": "+f.String()))
		}
		for _, f := range r.Flaky {
			names = append(names, "flaky: "+f.String())
		}
		fmt.Fprintf(w, "| %d | %s | %s | %s | %d | %d | %d | %d | %s |\n", i+1, r.Rung, r.Beside, minutes(r.Seconds),
			r.Passed, len(r.Failed), len(r.Flaky), len(r.Skipped), strings.Join(names, "; "))
	}
}
