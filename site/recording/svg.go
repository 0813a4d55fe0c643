package main

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// Sizes of the picture, in its own pixels.
const (
	cellWidth, lineHeight = 9, 19
	fontSize              = 15
	margin, bar           = 16, 34
)

// inks are the colours of a terminal on a dark ground, which stands out on a light page and on a dark one.
var inks = [16]string{
	"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
	"#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
}

const (
	ink    = "#d1d7e0"
	ground = "#0d1117"
)

// SVG draws the session. A line that stays is drawn once; a viewer that shows no animation, or was told
// to show none, has the last screen. It is also the first that is seen, for half of its time: the answer comes first.
func (s *Session) SVG() string {
	width, height := 2*margin+s.Columns*cellWidth, bar+s.Rows*lineHeight+margin
	title := html.EscapeString(s.Title)
	if s.Speed > 1 {
		title += fmt.Sprintf(", shown at %d× the speed", s.Speed)
	}
	var style, body strings.Builder
	times := map[string]string{} // a class for each set of times
	for y := range s.Rows {
		for _, v := range s.versions(y) {
			class, known := times[v.shown]
			if !known {
				class = "t" + strconv.Itoa(len(times))
				times[v.shown] = class
				fmt.Fprintf(&style, "@keyframes %s{%s}.%s{animation-name:%s}\n", class, v.shown, class, class)
			}
			if v.last {
				class += " z"
			}
			fmt.Fprintf(&body, "<g class=\"%s\">%s</g>\n", class, draw(v.spans, bar+y*lineHeight))
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<style>
text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:%s;white-space:pre}
.b{font-weight:bold}.h{fill:#8b949e;font-family:system-ui,sans-serif;font-size:13px;text-anchor:middle}
g{visibility:hidden;animation:%s step-end -%s infinite}.z{visibility:visible}
@media (prefers-reduced-motion:reduce){g{animation:none}}
%s</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="9" fill="%s" stroke="#6e7681" stroke-opacity=".6"/>
<circle cx="20" cy="17" r="5" fill="#ff5f57"/><circle cx="38" cy="17" r="5" fill="#febc2e"/><circle cx="56" cy="17" r="5" fill="#28c840"/>
<text class="h" x="%d" y="22">%s</text>
%s</svg>
`, width, height, width, height, title, fontSize, ink, seconds(s.Length), seconds(s.Length-after/2), style.String(),
		width-1, height-1, ground, width/2, title, body.String())
}

// version is a line of the screen as it was at some times.
type version struct {
	spans []Span
	shown string // the times, as keyframes
	last  bool   // it is on the last screen
}

// versions are the texts that a line had. Without text there is nothing to draw.
func (s *Session) versions(y int) (all []version) {
	for i, f := range s.Frames {
		line := f.Rows[y]
		same := func(v version) bool { return slices.Equal(v.spans, line) }
		if len(line) == 0 || slices.ContainsFunc(all, same) {
			continue
		}
		v := version{spans: line}
		showing := false
		if i > 0 {
			v.shown = "0%{visibility:hidden}"
		}
		for _, f := range s.Frames[i:] {
			if on := slices.Equal(f.Rows[y], line); on != showing {
				showing = on
				v.shown += fmt.Sprintf("%s{visibility:%s}", s.percent(f.At), map[bool]string{true: "visible", false: "hidden"}[on])
			}
		}
		v.last = showing
		all = append(all, v)
	}
	return all
}

func (s *Session) percent(at time.Duration) string {
	return strconv.FormatFloat(100*float64(at)/float64(s.Length), 'f', 2, 64) + "%"
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s" }

// draw is a line whose upper edge is at y.
func draw(line []Span, y int) string {
	var b strings.Builder
	for _, span := range line {
		x, width := margin+span.Column*cellWidth, utf8.RuneCountInString(span.Text)*cellWidth
		if g := colour(span.Look.Ground); g != ground {
			fmt.Fprintf(&b, `<path d="M%d %dh%dv%dh-%dz" fill="%s"/>`, x, y, width, lineHeight, width, g)
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs"`, x, y+fontSize, width)
		if c := colour(span.Look.Ink); c != ink {
			fmt.Fprintf(&b, ` style="fill:%s"`, c)
		}
		if span.Look.Bold {
			b.WriteString(` class="b"`)
		}
		b.WriteString(">" + html.EscapeString(span.Text) + "</text>")
	}
	return b.String()
}

// colour gives a colour of the terminal as CSS has it: one of its sixteen, of xterm's cube and greys, or 24 bits.
func colour(c vt10x.Color) string {
	switch {
	case c == vt10x.DefaultFG:
		return ink
	case c == vt10x.DefaultBG || c > vt10x.DefaultFG:
		return ground
	case c < 16:
		return inks[c]
	case c < 232:
		level := func(n vt10x.Color) vt10x.Color { return min(n, 1)*55 + 40*n }
		return fmt.Sprintf("#%02x%02x%02x", level((c-16)/36), level((c-16)/6%6), level((c-16)%6))
	case c < 256:
		grey := 8 + 10*(c-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	return fmt.Sprintf("#%06x", uint32(c))
}
