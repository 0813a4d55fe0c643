package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/show/number"
)

// planText says how far the plan is.
func (m *Model) planText() string {
	over, failed := 0, 0
	for _, p := range m.plan {
		switch p.Phase {
		case Done, Skipped:
			over++
		case Failed:
			over++
			failed++
		}
	}
	text := count(int64(over))
	if !m.open {
		text += " of " + count(int64(len(m.plan)))
	}
	text += " done"
	if failed > 0 {
		text += ", " + m.paint(bad, count(int64(failed))+" failed")
	}
	return text
}

// marks stand before a point.
var marks = map[PointPhase]string{ToCome: "·", Starting: "▷", Running: "▶", Done: "✓", Failed: "✗", Skipped: "✓"}

// points are those of the plan, one a line; focus is the one that runs, or the next.
func (m *Model) points(width int, now time.Time) (out []string, focus int) {
	most := 0
	for _, p := range m.plan {
		most = max(most, widthOf(p.Name))
	}
	most = min(most, width/2)
	focus = -1
	for i, p := range m.plan {
		text := p.Text
		switch p.Phase {
		case ToCome:
		case Starting, Running:
			focus = i
			word := "runs"
			if p.Phase == Starting {
				word = "its server starts"
			}
			if !p.Since.IsZero() {
				word += ", " + number.Clock(now.Sub(p.Since).Seconds())
			}
			text = strings.Join(strings.Fields(word+"  "+text), " ")
		case Skipped:
			text = strings.TrimSpace("has a result already " + text)
		case Failed:
			text = m.paint(bad, strings.TrimSpace("failed "+text))
		}
		mark := marks[p.Phase]
		switch p.Phase {
		case Done, Skipped:
			mark = m.paint(good, mark)
		case Failed:
			mark = m.paint(bad, mark)
		case Starting, Running:
			mark = m.paint(accent, mark)
		}
		out = append(out, fmt.Sprintf(" %s %s  %s", mark, pad(p.Name, most), text))
	}
	if focus < 0 {
		focus = m.next()
	}
	return out, focus
}

// next is the first point that is to come, or the last one.
func (m *Model) next() int {
	for i, p := range m.plan {
		if p.Phase == ToCome {
			return i
		}
	}
	return len(m.plan) - 1
}
