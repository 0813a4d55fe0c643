package page

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/template"
)

// view is what the template shows.
type view struct {
	Title, Subtitle   string
	Version           string
	Policy            string
	Way               []Link
	Style, ChartStyle template.CSS
	Live              *liveSet
	Library, Script   template.JS
	Answers           []answer
	Runs              []runView
	Table             *table // of several runs
	Tradeoffs, Curves []figure
	More              string // what the pictures of several runs leave out
	RowHeads          []head // of the table of requests
	Data              []*columns
}

// answer is one of the boxes on top.
type answer struct {
	Title, Text, Class string
	Notes              []string
}

type tile struct{ Name, Value, Unit, Note string }

// figure is a chart, drawn for a screen and for a phone.
type figure struct {
	ID, Title    string
	Wide, Narrow template.HTML
	Full         bool   // takes the whole width
	Link         string // to a larger one; empty: there is none
	Note         string // what was left out
	live         *liveChart
}

type runView struct {
	ID, Name, Load  string
	Open            bool
	Badge           cell
	Tiles           []tile
	Reasons         []reason
	Warnings        []string
	Latency         *table
	Sample          *table // nil: there are no percentiles
	Bounds          *table // nil: the latencies are as good as they look
	Curves, Courses []figure
	NoServer        bool
	Hardware        *hardwareView
	Gaps            figure
	Rows            int
	RowNote         string
	Failed          int
	Outcomes        *table
	Targets         *table // nil with one server
	Agents          *table // nil with one client
	Groups          []groupView
	Accuracy        *accuracyView // nil where requests were no questions
	Server          *serverView   // nil where the servers told nothing of themselves
	Explain         *explainView  // nil where the run was not explained
	Errors          *table
	Checks          *table
	Environment     *table
	Command         string
	Index           int
	figures         []figure // all of them
}

type reason struct{ Class, Name, Text, Effect, Hint string }

func newView(runs []Run, opt *Options) (*view, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("a page needs a run")
	}
	v := &view{Version: opt.Version, Live: &liveSet{}, Title: "Inferometer: " + runs[0].Name}
	v.Subtitle = subtitle(runs)
	v.RowHeads = heads("#request", "#due at", "#waited", "#first token", "#end", "#tokens", "outcome", "error")
	if len(runs) > 1 {
		v.Title = fmt.Sprintf("Inferometer: %d runs", len(runs))
		v.Table = runTable(runs, opt.SLO)
		d := &drawer{}
		v.Tradeoffs = []figure{d.half("tradeoff-ttft", tradeoff(runs, "p99", "ttft")), d.half("tradeoff-itl", tradeoff(runs, "p50", "itl"))}
		if opt.Accuracy != nil {
			v.Tradeoffs = append(v.Tradeoffs, d.half("tradeoff-accuracy", opt.Accuracy))
		}
		for _, m := range metric.Always() {
			v.Curves = append(v.Curves, d.half("all-"+m.Name, distribution(runs, &m)))
		}
		if len(runs) > mostSeries {
			v.More = fmt.Sprintf("The curves show the first %d of %d runs.", mostSeries, len(runs))
		}
		if d.err != nil {
			return nil, d.err
		}
		v.Live.add(d.drawn)
	}
	v.Answers = answers(runs, opt.SLO)
	for i := range runs {
		r, err := newRunView(i, &runs[i])
		if err != nil {
			return nil, err
		}
		v.Runs = append(v.Runs, *r)
		v.Live.add(r.figures)
		v.Data = append(v.Data, newColumns(runs[i].Drawn.Rows))
	}
	return v, nil
}

// subtitle is what was measured, and when.
func subtitle(runs []Run) string {
	o := &runs[0].Result.Run.Options
	return fmt.Sprintf("%s at %s, %s", o.ModelID, o.BaseURL, Start(runs[0].Result).Format("2 January 2006, 15:04 -07:00"))
}

func newRunView(i int, run *Run) (*runView, error) {
	r, t := run.Result, run.Drawn
	id := fmt.Sprintf("run%d", i+1)
	v := &runView{
		ID: id, Index: i, Name: run.Name, Load: Load(r), Open: i == 0, Badge: verdictCell(run.Verdict), Tiles: tiles(run), Warnings: r.Warnings,
		Latency: latencyTable(id+"-latency", r), Sample: sampleTable(id+"-sample", r), Bounds: boundsTable(id+"-bounds", r), Outcomes: outcomeTable(id+"-outcomes", r), Targets: targetTable(id+"-targets", r), Agents: agentTable(id+"-agents", r), Errors: errorTable(id+"-errors", r),
		Environment: environment(id+"-environment", run), Command: Command(r.Run.Command),
		Rows: len(t.Rows), RowNote: rowNote(run), Failed: r.Failed, NoServer: len(t.Server) == 0, Hardware: newHardwareView(id, r.Hardware),
	}
	if run.Verdict != nil {
		v.Checks, v.Reasons = checkTable(id+"-checks", run.Verdict), reasons(run.Verdict)
	}
	d := &drawer{}
	for _, m := range metric.Always() {
		v.Curves = append(v.Curves, d.half(id+"-"+m.Name, distribution([]Run{*run}, &m)))
	}
	for k, c := range courses(t) {
		c.Together = id
		v.Courses = append(v.Courses, d.full(fmt.Sprintf("%s-course%d", id, k+1), c, 190))
	}
	heat := gaps(t)
	heat.Together = id
	v.Gaps = d.full(id+"-gaps", heat, 300)
	v.Groups = groupViews(d, id, r)
	v.Explain = newExplainView(id, run.Explain)
	v.Accuracy = newAccuracyView(d, id, r.Eval)
	v.Server = newServerView(id, r.Server)
	v.figures = d.drawn
	return v, d.err
}

func rowNote(run *Run) string {
	t := run.Drawn
	if !t.Sampled {
		return ""
	}
	return fmt.Sprintf("Of %s requests %s are kept here: the slowest, the failed ones (the first of them, where they are many), and an even sample of the others.",
		count(t.Total), count(len(t.Rows)))
}

func reasons(v *verdict.Verdict) []reason {
	var out []reason
	for _, name := range v.Reasons {
		if c := v.Check(name); c != nil {
			out = append(out, reason{levelClass(string(c.Level)), c.Name, c.Sentence, c.Effect, c.Hint})
		}
	}
	return out
}

func tiles(run *Run) []tile {
	r := run.Result
	list := []tile{
		{"Output throughput", number(r.OutputThroughput), "tok/s", "peak " + peak(r)},
		{"Requests", number(r.RequestThroughput), "req/s", fmt.Sprintf("%s done, %s failed", count(r.Completed), count(r.Failed))},
		{"TTFT, median", number(tabled(r, "p50", "ttft")), "ms", "p99 " + number(tabled(r, "p99", "ttft"))},
		{"Between chunks, median", number(tabled(r, "p50", "itl")), "ms", "p99 " + number(tabled(r, "p99", "itl"))},
		{"End to end, median", number(tabled(r, "p50", "e2el")), "ms", "p99 " + number(tabled(r, "p99", "e2el"))},
		{"Duration", number(r.Duration), "s", Load(r)},
	}
	if r.SpecDecode != nil {
		rate, length := Acceptance(r)
		list = append(list, tile{"Draft tokens accepted", number(rate), "%", "accepted length " + number(length)})
	}
	for _, n := range metric.UsualNames(func(u *metric.Usual) []string { return u.Page }) {
		if v, ok := r.Number(n.Metric); ok && n.Statistic == "" && !n.Metric.OfQuestions {
			list = append(list, tile{n.Metric.Title, number(v), n.Metric.Unit, ""})
		}
	}
	if t, ok := accuracyTile(r.Eval); ok {
		list = append(list, t)
	}
	return list
}

// peak is the most tokens in a second, in words.
func peak(r *measure.Result) string {
	if r.PeakTokensPerSecond == nil {
		return "unknown"
	}
	return number(*r.PeakTokensPerSecond)
}

// drawer draws charts for both widths and keeps the first error. What it has drawn answers the mouse.
type drawer struct {
	err   error
	drawn []figure
}

const (
	halfWidth, fullWidth, phoneWidth = 560, 1140, 358
	halfHeight, phoneHeight          = 300, 250
)

func (d *drawer) half(id string, c *chart.Chart) figure {
	return d.draw(id, c, halfWidth, halfHeight, phoneHeight, false)
}

func (d *drawer) full(id string, c *chart.Chart, height int) figure {
	return d.draw(id, c, fullWidth, height, height, true)
}

func (d *drawer) draw(id string, c *chart.Chart, width, height, phone int, full bool) figure {
	svg := func(width, height int) template.HTML {
		sized := *c
		sized.Title, sized.Width, sized.Height = "", width, height // the page has the title above
		var b bytes.Buffer
		if err := sized.Inline(&b); err != nil && d.err == nil {
			d.err = err
		}
		return template.HTML(strings.TrimSpace(b.String()))
	}
	f := figure{ID: id, Title: c.Title, Wide: svg(width, height), Narrow: svg(phoneWidth, phone), Full: full, Note: c.Note, live: newLiveChart(c, width, height, phone)}
	d.drawn = append(d.drawn, f)
	return f
}
