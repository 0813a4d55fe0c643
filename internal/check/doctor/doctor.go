// Package doctor looks for what would spoil a measurement, before it is made:
// on this machine (System), and on the network path to a server and at the server
// (Remote). It gathers facts through values that a test can replace, and judges
// them in small functions, one per finding. It prints nothing.
//
// The table of findings (table.go) holds each one's name, what it looks for, why
// that matters and how to fix it; docs/reference/doctor.md is written from it.
package doctor

import "fmt"

// Level says how much a finding matters.
type Level string

// The levels, from good to bad. Unknown is none of them: nothing could be found out.
const (
	OK      Level = "ok"
	Note    Level = "note" // worth knowing when the numbers are read
	Warn    Level = "warn" // may spoil a measurement
	Bad     Level = "bad"  // does spoil one
	Unknown Level = "unknown"
)

// Group is where a finding was made.
type Group string

// The groups, in the order of the report.
const (
	Machine Group = "machine"
	Network Group = "way"
	Server  Group = "server"
)

// Finding is one thing that was looked at.
type Finding struct {
	Group  Group  `json:"group"`
	Name   string `json:"name"`
	Level  Level  `json:"level"`
	Figure string `json:"figure"`         // what was found, or why it could not be
	Why    string `json:"why"`            // what it does to a measurement
	Mend   string `json:"mend,omitempty"` // what to do; empty where there is nothing to do
}

// result is what an examination says; the table knows the rest.
type result struct {
	level  Level
	figure string
	mend   string // more exact than the table's; empty: the table's
}

func found(l Level, format string, args ...any) result {
	return result{level: l, figure: fmt.Sprintf(format, args...)}
}

func (r result) mendBy(format string, args ...any) result {
	r.mend = fmt.Sprintf(format, args...)
	return r
}

// unknown says why nothing could be found out.
func unknown(reason error) result { return found(Unknown, "%v", reason) }

// firstOf is the first error that there is: two readings of one file fail alike.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// atWorst chooses the level of a value by the two limits above which it is Warn or Bad.
func atWorst(value, warn, bad float64) Level {
	switch {
	case value > bad:
		return Bad
	case value > warn:
		return Warn
	}
	return OK
}
