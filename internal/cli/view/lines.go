package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// The smallest terminal that the view is made for.
const (
	MinWidth  = 60
	MinHeight = 15
)

// line is one of the view's, with what it matters: where there is no room, those of the
// highest rank are left out first.
type line struct {
	text string
	rank int
	fits bool // it is made to the width
}

// list is a part of the view that can be as long as it likes: it gets the room that is left.
type list struct {
	lines []string
	focus int // the line that must be seen
	least int // lines that it gets in any case, if it has so many
	room  int
}

// The ranks.
const (
	always = iota
	needed
	useful
	nice
	air
)

// Lines are the view at a size: at most height lines, none wider than width.
func (m *Model) Lines(width, height int, now time.Time) []string {
	if width < MinWidth || height < MinHeight {
		return m.small(width, height)
	}
	if m.Help {
		return m.help(width, height)
	}
	fixed := m.head(width)
	if m.state != nil {
		fixed = slices.Concat(fixed, m.numbers(width, height), m.words(width))
	}
	lists := m.lists(width, now)
	least := 1 // the keys
	for _, l := range lists {
		least += min(l.least, len(l.lines))
	}
	fixed = drop(fixed, height-least)
	shareOut(lists, height-1-len(fixed))
	var out []string
	for _, l := range fixed {
		if !l.fits {
			l.text = fit(l.text, width)
		}
		out = append(out, l.text)
	}
	for _, l := range lists {
		for _, text := range l.window() {
			out = append(out, fit(text, width))
		}
	}
	for len(out) < height-1 {
		out = append(out, "")
	}
	out = append(out, fit(m.paint(dim, m.keys()), width))
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out[:min(len(out), height)]
}

// drop leaves out lines of the highest ranks until there are no more than room.
func drop(lines []line, room int) []line {
	lines = slices.Clone(lines)
	for rank := air; rank > always; rank-- {
		for i := len(lines) - 1; i >= 0 && len(lines) > room; i-- {
			if lines[i].rank == rank {
				lines = slices.Delete(lines, i, i+1)
			}
		}
	}
	return lines[:min(len(lines), max(room, 0))]
}

// shareOut gives each list its least, and then a line to each in turn while there are any.
func shareOut(lists []*list, free int) {
	for _, l := range lists {
		l.room = min(l.least, len(l.lines), max(free, 0))
		free -= l.room
	}
	for again := true; again && free > 0; {
		again = false
		for _, l := range lists {
			if free > 0 && l.room < len(l.lines) {
				l.room++
				free--
				again = true
			}
		}
	}
}

// window are the lines of a list that there is room for, around the one that must be seen.
// The first and the last of them say what is not shown.
func (l *list) window() []string {
	n := len(l.lines)
	if l.room >= n {
		return l.lines
	}
	if l.room <= 0 {
		return nil
	}
	from := min(max(l.focus-l.room/2, 0), n-l.room)
	out := slices.Clone(l.lines[from : from+l.room])
	if below := n - from - l.room; below > 0 && l.room > 2 && from+l.room-1 != l.focus {
		out[len(out)-1] = fmt.Sprintf("   … %d more", below+1)
	}
	if from > 0 && l.room > 3 && from != l.focus {
		out[0] = fmt.Sprintf("   … %d before", from+1)
	}
	return out
}

// lists are the parts whose length is the run's own.
func (m *Model) lists(width int, now time.Time) (all []*list) {
	if s := m.state; s != nil {
		if len(s.Servers) > 0 {
			all = append(all, &list{lines: m.servers(width), least: 1})
		}
		if len(s.SLO) > 0 {
			all = append(all, &list{lines: m.clauses(width), focus: firstBroken(s.SLO), least: 2})
		}
		if len(s.Agents) > 0 {
			all = append(all, &list{lines: m.agents(width), focus: firstSilent(s.Agents), least: 2})
		}
	}
	if len(m.plan) > 0 {
		lines, focus := m.points(width, now)
		all = append(all, &list{lines: lines, focus: focus, least: 3})
	}
	if len(m.notes) > 0 {
		lines := make([]string, len(m.notes))
		for i, text := range m.notes {
			lines[i] = m.paint(dim, " "+text)
		}
		all = append(all, &list{lines: lines, focus: len(lines) - 1, least: 1})
	}
	return all
}

// small is what a terminal shows that has become too small.
func (m *Model) small(width, height int) []string {
	text := outside.Word(m.Title)
	if m.state != nil {
		text = m.progress()
	}
	lines := []string{text, fmt.Sprintf("the view needs %d×%d", MinWidth, MinHeight)}
	lines = lines[:min(len(lines), max(height, 0))]
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return lines
}

func (m *Model) keys() string {
	switch {
	case m.Help:
		return " ? back to the run   q stop"
	case m.stopping():
		return " q or Ctrl-C once more cancels what is in flight   ? help"
	case m.paused():
		return " q stop: what is in flight ends   p go on   ? help"
	}
	return " q stop: what is in flight ends   p pause   ? help"
}
