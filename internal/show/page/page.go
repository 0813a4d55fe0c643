// Package page writes the report of one or several runs as one HTML file that needs
// nothing else: no network, no server, no other file. It opens from a mail.
//
//	runs (result, verdict, timeline) ─▶ sections (tables) and pictures (SVG, and as numbers) ─▶ markup + page.css + page.js
//
// Everything is drawn when the page is written, so that it can be read without a script.
// The script sorts, copies, saves, filters and switches colours, and draws the charts
// again in a form that answers the mouse and the keyboard (live.go, live/). What comes
// from outside (errors, labels, a server's words) is escaped where markup is written, and
// a content security policy forbids everything that is not in the file.
package page

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

//go:embed page.css
var styleText string

// Options say what else the page holds.
type Options struct {
	SLO     slo.SLO // nil: none was given
	Version string  // of inferometer
	Way     []Link  // back to where the page is one of many; nil: it stands alone

	Accuracy *chart.Chart   // of configurations, against throughput; nil: there is none
	Tables   []*table.Table // of what all runs say together, such as which router is best
}

// Policy is the content security policy of our pages: nothing but what is in them.
// Forms is where a form may lead: 'none', or 'self' on a server.
func Policy(forms string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fmt.Sprintf("default-src 'none'; script-src %s %s; style-src 'unsafe-inline'; img-src data: blob:; form-action %s; base-uri 'none'",
		hash(libraryText), hash(scriptText), forms)
}

// Write writes the page.
func Write(w io.Writer, runs []section.Run, opt Options) error {
	if len(runs) == 0 {
		return errors.New("a page needs a run")
	}
	f := frame{
		name: outside.Line(runs[0].Name, mostWords), subtitle: subtitle(runs), way: opt.Way, skip: "To the report", forms: "'none'", live: &liveSet{},
		foot: "Written by inferometer " + opt.Version + ". One file that needs no network. What each number means: docs/metrics.md and docs/verdict.md of Inferometer.",
	}
	if len(runs) > 1 {
		f.name = fmt.Sprintf("%d runs", len(runs))
	}
	together := &drawer{}
	tradeoffs, curves := together.several(runs, opt.Accuracy)
	if together.err != nil {
		return together.err
	}
	f.live.add(together.drawn)
	parts, data := make([]*runPart, len(runs)), make([]*columns, len(runs))
	for i := range runs {
		var err error
		if parts[i], err = newRunPart(i, &runs[i], &opt); err != nil {
			return err
		}
		f.live.add(parts[i].drawn)
		data[i] = newColumns(runs[i].Drawn.Rows)
	}
	f.data = data
	return f.write(w, func(m *content) {
		if len(runs) == 1 {
			parts[0].write(m)
			return
		}
		m.WriteString("<section aria-label=\"The answer\">\n")
		m.trustAll(runs)
		m.cards(best(runs, opt.SLO))
		for _, t := range opt.Tables {
			m.table(t, t.Title)
		}
		m.WriteString("</section>\n<section aria-labelledby=\"all\"><h2 id=\"all\">All runs</h2>\n")
		m.figures(tradeoffs)
		m.muted("A point is a run, with its concurrency (×) or its rate (/s) beside it. No run on the Pareto front is beaten by another in both.")
		m.figures(curves)
		if len(runs) > mostSeries {
			m.muted(fmt.Sprintf("The curves show the first %d of %d runs.", mostSeries, len(runs)))
		}
		m.table(section.Overview(runs, opt.SLO), "All runs")
		m.WriteString("</section>\n<section aria-labelledby=\"each\"><h2 id=\"each\">Each run</h2><div class=\"tools\"><button type=\"button\" class=\"unfold\">Open all</button></div>\n")
		for _, p := range parts {
			p.writeFolded(m)
		}
		m.WriteString("</section>\n")
	})
}

// several draws runs beside each other; nothing where there is one.
func (d *drawer) several(runs []section.Run, accuracy *chart.Chart) (tradeoffs, curves []Figure) {
	if len(runs) < 2 {
		return nil, nil
	}
	tradeoffs = []Figure{d.half("tradeoff-ttft", tradeoff(runs, "p99", "ttft")), d.half("tradeoff-itl", tradeoff(runs, "p50", "itl"))}
	if accuracy != nil {
		tradeoffs = append(tradeoffs, d.half("tradeoff-accuracy", accuracy))
	}
	for _, m := range metric.Always() {
		curves = append(curves, d.half("all-"+m.Name, distribution(runs, &m)))
	}
	return tradeoffs, curves
}

// Style is how our pages look.
func Style() string { return styleText }
