// Package view is the live view of a terminal: a run, or a plan of runs, while it goes on.
//
//	live.Feed ─▶ Model ─▶ Lines(width, height) ─▶ bubbletea ─▶ the terminal
//	what is written to standard error meanwhile ─▶ Held ─▶ the view, and the terminal after it
//
// Model and all that draws are pure; Screen is the program around them: it opens the view when
// a run has gone on for a moment, reads keys, and gives the terminal back as it was.
package view

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
)

// Model is what the view shows. Its methods are for one goroutine.
type Model struct {
	Title string // the command, and what it is about
	Color bool
	Help  bool // the help is shown in place of the run

	state   *live.State // nil: none yet
	seen    time.Time   // when it came, by our own clock
	history history
	plan    []Point
	open    bool // later points are chosen by what earlier ones show
	notes   []string
}

// Point is one run of a plan.
type Point struct {
	Name  string
	Phase PointPhase
	Text  string    // its key numbers, or why it failed
	Since time.Time // when it began
}

// PointPhase is how far a point is.
type PointPhase int

// The phases of a point.
const (
	ToCome PointPhase = iota
	Starting
	Running
	Done
	Failed
	Skipped // it has a result of an earlier run
)

// mostNotes bounds what is kept of notes; the terminal gets all of them afterwards.
const mostNotes = 100

// See takes the next state of the run under way. Words in it are cleaned once more: they come
// from servers, from agents and from other processes.
func (m *Model) See(s *live.State, now time.Time) {
	c := clean(s)
	if m.state != nil && (m.state.Name != c.Name || c.Time < m.state.Time || c.At < m.state.At) {
		m.history = history{} // another run
	}
	m.state, m.seen = c, now
	m.history.add(c)
}

// Forget empties the view for the next run of a plan.
func (m *Model) Forget() { m.state, m.history = nil, history{} }

// Say shows a line that somebody wrote.
func (m *Model) Say(line string) {
	if line = outside.Line(line, outside.MaxSentence); line == "" {
		return
	}
	if m.notes = append(m.notes, line); len(m.notes) > mostNotes {
		m.notes = slices.Delete(m.notes, 0, len(m.notes)-mostNotes)
	}
}

// Plan sets what is to be run. It is open where later points are chosen by what earlier ones
// show, so that nobody knows how many there will be.
func (m *Model) Plan(points []Point, open bool) {
	m.plan, m.open = m.plan[:0], open
	for _, p := range points {
		m.Point(p)
	}
}

// Point changes the point of that name, or adds it.
func (m *Model) Point(p Point) {
	p.Name, p.Text = outside.Word(p.Name), outside.Sentence(p.Text)
	at := slices.IndexFunc(m.plan, func(o Point) bool { return o.Name == p.Name })
	if at < 0 {
		m.plan = append(m.plan, p)
		return
	}
	if p.Since.IsZero() {
		p.Since = m.plan[at].Since
	}
	m.plan[at] = p
}

// clean is a state without anything that steers a terminal, and without numbers that are none.
func clean(s *live.State) *live.State {
	c := *s
	c.Phase = live.Phase(outside.Word(string(c.Phase)))
	c.Name, c.FirstError, c.Note = outside.Word(c.Name), outside.Sentence(c.FirstError), outside.Sentence(c.Note)
	c.At, c.Left, c.Length = finite(c.At), finite(c.Left), finite(c.Length)
	c.TokensPerS, c.RequestsPerS = finite(c.TokensPerS), finite(c.RequestsPerS)
	c.Outcomes = map[string]int64{}
	for _, kind := range slices.Sorted(maps.Keys(s.Outcomes)) {
		c.Outcomes[outside.Word(kind)] += s.Outcomes[kind]
	}
	c.SLO = slices.Clone(s.SLO)
	for i := range c.SLO {
		c.SLO[i].Text = outside.Word(c.SLO[i].Text)
	}
	c.Agents = slices.Clone(s.Agents)
	for i := range c.Agents {
		c.Agents[i].Name, c.Agents[i].Phase = outside.Word(c.Agents[i].Name), outside.Word(c.Agents[i].Phase)
	}
	return &c
}

func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
