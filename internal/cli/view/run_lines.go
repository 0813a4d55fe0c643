package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/show/number"
)

// The columns of the numbers: their name, their value, the line, its highest value.
const (
	nameWidth  = 12
	valueWidth = 10
	topWidth   = 13
)

func (m *Model) stopping() bool { return m.state != nil && m.state.Phase == live.Draining }
func (m *Model) paused() bool   { return m.state != nil && m.state.Phase == live.Paused }

// head says what runs and how far it is.
func (m *Model) head(width int) []line {
	title := " " + m.paint(bold, fit(outside.Word(m.Title), max(width/2, width-34)))
	if len(m.plan) > 0 {
		title += "   " + m.planText()
	}
	lines := []line{{text: title, rank: always}}
	if m.state == nil {
		return append(lines, line{text: "", rank: air})
	}
	if s := m.state; s.Name != "" {
		lines = append(lines, line{text: " " + s.Name, rank: nice})
	}
	return append(lines, line{text: m.bar(width), rank: always}, line{text: "", rank: air})
}

// phases are the words for what a run does.
var phases = map[live.Phase]string{
	live.Preparing: "preparing", live.WarmingUp: "warming up", live.Running: "running",
	live.Paused: "paused", live.Draining: "draining", live.Ended: "ended",
}

func (m *Model) phase() string {
	word, ok := phases[m.state.Phase]
	if !ok {
		word = "unknown"
	}
	switch m.state.Phase {
	case live.Paused, live.Draining:
		return m.paint(doubt, word)
	}
	return word
}

// done is the share of the run that is over; false: it is not known.
func done(s *live.State) (float64, bool) {
	var requests, span float64
	if s.Total > 0 {
		requests = float64(s.Completed+s.Failed+s.HungUp) / float64(s.Total)
	}
	if s.Length > 0 { // by its time or by its requests, whichever comes first
		span = s.At / s.Length
	}
	return min(max(requests, span, 0), 1), s.Total > 0 || s.Length > 0
}

// progress is how far the run is, in words.
func (m *Model) progress() string {
	s := m.state
	words := []string{m.phase()}
	if s.At >= 0 {
		at := number.Clock(s.At)
		if s.Length > 0 {
			at += " of " + number.Clock(s.Length)
		}
		words = append(words, at)
	}
	if s.Left > 0 {
		words = append(words, number.Clock(s.Left)+" left")
	} else if s.Phase == live.Running || s.Phase == live.Paused {
		words = append(words, "time left unknown")
	}
	ended := count(s.Completed + s.Failed + s.HungUp)
	if s.Total > 0 {
		ended += " of " + count(int64(s.Total))
	}
	return strings.Join(append(words, ended+" done"), " · ")
}

// bar draws the share that is done, and says how far the run is.
func (m *Model) bar(width int) string {
	text := m.progress()
	part, known := done(m.state)
	if !known {
		return " " + text
	}
	cells := max(min(width-widthOf(text)-10, 60), 0)
	full := int(part * float64(cells))
	return " " + m.paint(accent, strings.Repeat("█", full)+strings.Repeat("░", cells-full)) + " " + padLeft(share(part), 5) + "  " + text
}

// numbers are the lines with a value and a sparkline each.
func (m *Model) numbers(width, height int) []line {
	s := m.state
	rows := 1
	switch {
	case height >= 46:
		rows = 3
	case height >= 34:
		rows = 2
	}
	cells := max(width-1-nameWidth-valueWidth-2-topWidth, 10)
	out := []line{{text: m.paint(dim, m.over(cells)), rank: nice}}
	row := func(rank, rows int, name, value string, of series, write func(float64) string) {
		out = append(out, m.short(rank, rows, cells, name, value, of, write)...)
	}
	row(always, rows, "tokens/s", short(s.TokensPerS), tokensRate, short)
	row(useful, 1, "requests/s", short(s.RequestsPerS), requestRate, short)
	row(needed, 1, "in flight", count(s.InFlight), inFlight, short)
	row(useful, 1, "TTFT p50", latency(s.TTFT, s.TTFT.P50), ttftP50, milliseconds)
	row(always, rows, "TTFT p99", latency(s.TTFT, s.TTFT.P99), ttftP99, milliseconds)
	row(useful, 1, "ITL  p50", latency(s.ITL, s.ITL.P50), itlP50, milliseconds)
	row(always, rows, "ITL  p99", latency(s.ITL, s.ITL.P99), itlP99, milliseconds)
	if height >= 34 && len(s.Servers) > 0 {
		row(nice, 1, "queue", sumOf(s.Servers, func(v live.Server) *float64 { return v.Waiting }), queued, short)
		row(nice, 1, "cache", fullest(s.Servers), cacheUse, share)
	}
	row(useful, 1, "our lag p99", latency(s.Lag, s.Lag.P99), lagP99, milliseconds)
	return append(out, line{text: "", rank: air})
}

// over says what the columns are.
func (m *Model) over(cells int) string {
	return " " + pad("", nameWidth) + padLeft("last 10 s", valueWidth) + "  " +
		pad(fmt.Sprintf("last %s", number.Clock(float64(cells)*spanOf(cells).Seconds())), cells) + padLeft("highest", topWidth-1)
}

// number is a value and its sparkline.
func (m *Model) short(rank, rows, cells int, name, value string, of series, write func(float64) string) (out []line) {
	values := m.history.cells(of, cells, spanOf(cells))
	top, known := m.history.highest(of, cells, spanOf(cells))
	label := unknown
	if known {
		label = write(top)
	}
	for i, text := range spark(values, top, rows) {
		left, right := pad("", nameWidth+valueWidth), ""
		r := useful
		if i == rows-1 {
			left, r = m.paint(dim, pad(name, nameWidth))+padLeft(value, valueWidth), rank
		}
		if i == 0 {
			right = m.paint(dim, padLeft(label, topWidth-1))
		}
		out = append(out, line{" " + left + "  " + m.paint(accent, text) + right, r, true})
	}
	return out
}

// latency writes a value of a window in which something was seen.
func latency(w live.Window, v float64) string {
	if w.Count == 0 {
		return unknown
	}
	return milliseconds(v)
}

// words are what else is known of a run: how its requests ended, and what went wrong.
func (m *Model) words(width int) []line {
	s := m.state
	out := []line{{text: m.labelled("outcomes", m.outcomes()), rank: always}}
	if s.Jobs+s.JobsEnded > 0 {
		out = append(out, line{text: m.labelled("jobs", fmt.Sprintf("%s open, %s ended", count(s.Jobs), count(s.JobsEnded))), rank: useful})
	}
	if s.Primers > 0 {
		out = append(out, line{text: m.labelled("primers", fmt.Sprintf("%s of %s one-token requests done", count(s.Primed), count(s.Primers))), rank: useful})
	}
	if s.FirstError != "" {
		out = append(out, line{text: m.labelled("first error", m.paint(bad, fit(s.FirstError, width-2-nameWidth))), rank: always})
	}
	if s.Note != "" {
		out = append(out, line{text: m.labelled("note", s.Note), rank: useful})
	}
	return out
}

func (m *Model) labelled(name, text string) string {
	return " " + m.paint(dim, pad(name, nameWidth)) + text
}

// outcomes are how requests ended, the successes first, then the commonest.
func (m *Model) outcomes() string {
	kinds := slices.SortedFunc(maps.Keys(m.state.Outcomes), func(a, b string) int {
		switch n := m.state.Outcomes; {
		case a == complete || b == complete:
			if a == complete {
				return -1
			}
			return 1
		case n[a] != n[b]:
			return int(min(max(n[b]-n[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	var words []string
	for _, kind := range kinds {
		text := strings.ReplaceAll(kind, "_", " ") + " " + count(m.state.Outcomes[kind])
		if kind != complete {
			text = m.paint(bad, text)
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return "none yet"
	}
	return strings.Join(words, " · ")
}

// complete is the one outcome that is a success.
const complete = "complete"
