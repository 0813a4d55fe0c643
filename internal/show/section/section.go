// Package section is what a report of a run says, each thing once: a section is a function
// from a run to a few neutral tables, in a file of its own that adds it to the list. The
// console, the page and Markdown go through the list and write what they are shown.
package section

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/show/table"
)

// Section is a part of a report.
type Section struct {
	ID, Title string // as in an address, and above it
	Tables    []*table.Table
}

// source is a section of any run: nil where the run has nothing of the kind.
type source struct {
	place int
	of    func(*Run) *Section
}

var sources []source

// Add puts a section into all reports, at a place among the others. remove takes it out again.
func Add(place int, of func(*Run) *Section) (remove func()) {
	before := slices.Clone(sources)
	sources = append(sources, source{place, of})
	slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(a.place, b.place) })
	return func() { sources = before }
}

// The places of sections. What a reader looks at first comes first.
const (
	atTotals = 10 * (iota + 1)
	atOutcomes
	atFaults
	atLatencies
	atAnswers
	atClient
	atSteady
	atReplicas
	atRoles
	atServer
	atAgents
	atJobs
	atGroups
	atCost
	atHardware
	atAccuracy
	atIntervals
	atExplain
	atRules
	atChecks
	atEnvironment
)

// Of are the sections of a run that a medium shows.
func Of(run *Run, m table.Medium) (list []Section) {
	for _, from := range sources {
		s := from.of(run)
		if s == nil {
			continue
		}
		s.Tables = slices.DeleteFunc(s.Tables, func(t *table.Table) bool { return t.IsEmpty() || t.Except&m != 0 })
		if len(s.Tables) > 0 {
			list = append(list, *s)
		}
	}
	return list
}
