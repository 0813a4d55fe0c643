// Package page writes the report of one or several runs as one HTML file that needs
// nothing else: no network, no server, no other file. It opens from a mail.
//
//	runs (result, verdict, timeline) ─▶ view (texts, tables, charts as SVG and as numbers) ─▶ page.html + page.css + page.js
//
// Everything is drawn when the page is written, so that it can be read without a script.
// The script sorts, copies, saves, filters and switches colours, and draws the charts
// again in a form that answers the mouse and the keyboard (live.go, live/). What comes
// from outside (errors, labels, a server's words) is escaped by package template, and
// a content security policy forbids everything that is not in the file.
package page

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/template"
)

//go:embed page.html
var pageText string

//go:embed page.css
var styleText string

var page = template.Page(pageText, explainText, servingText)

// Run is a run to show.
type Run struct {
	Name    string // as Names gives it
	Folder  string
	Result  *measure.Result
	Verdict *verdict.Verdict
	Drawn   *chartdata.Run
	Explain *explain.Explanation // nil: it was not asked for
}

// Options say what else the page holds.
type Options struct {
	SLO     slo.SLO // nil: none was given
	Version string  // of inferometer
	Way     []Link  // back to where the page is one of many; nil: it stands alone

	Accuracy *chart.Chart // of configurations, against throughput; nil: there is none
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
func Write(w io.Writer, runs []Run, opt Options) error {
	v, err := newView(runs, &opt)
	if err != nil {
		return err
	}
	v.Policy, v.Way = Policy("'none'"), opt.Way
	v.Style = template.CSS(styleText + liveStyle)
	v.ChartStyle = template.CSS(chart.Style(":root[data-theme=dark]"))
	v.Library, v.Script = v.Live.library(), template.JS(scriptText)
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
