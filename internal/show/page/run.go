package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// runPart is one run's part of a report, with its pictures drawn.
type runPart struct {
	*section.Run
	id     string
	place  int
	cards  []Card
	groups []group
	drawer
}

// group is pictures below one head.
type group struct {
	title, note string
	figures     []Figure
}

func newRunPart(place int, run *section.Run, opt *Options) (*runPart, error) {
	p := &runPart{Run: run, id: "run" + strconv.Itoa(place+1), place: place, cards: cards(run, opt.SLO)}
	r := run.Result
	add := func(title, note string, figures ...Figure) {
		if len(figures) > 0 {
			p.groups = append(p.groups, group{title, note, figures})
		}
	}
	if r.Eval != nil {
		add("Accuracy", "", accuracyFigures(&p.drawer, p.id, r.Eval)...)
	}
	if hasJobs(run.Drawn) {
		lanes := jobLanes(run.Drawn)
		add("Jobs", "Each lane is an agent: the root of a job, and below it those that it spawned.", p.full(p.id+"-jobs", lanes, lanes.Height))
	}
	drawn, happened := 0, faultEvents(r.Recovery)
	overTime := func(list []*chart.Chart) (out []Figure) {
		for _, c := range list {
			drawn++
			c.Together, c.Events = p.id, happened
			out = append(out, p.half(fmt.Sprintf("%s-course%d", p.id, drawn), c))
		}
		return out
	}
	note := ""
	if len(run.Drawn.Server) == 0 {
		note = "The server's own metrics are not here: the run did not read them on its way (bench serve --scrape-every 1s), or the server has none."
	}
	over := courses(run.Drawn)
	if len(run.Drawn.Failures) > 0 {
		over = append(over, failures(run.Drawn))
	}
	if h := &r.Cached.HitShares; len(r.Cached.Course) > 0 && (h.Planned != nil || h.Sent != nil) { // else the server's own metrics say it
		over = append(over, hitsOverTime(run.Drawn, &r.Cached))
	}
	add("Over time", note, overTime(over)...)
	add("Replica by replica", "", overTime(replicaCharts(run.Drawn))...)
	add("The server's own metrics", "", overTime(serverCharts(run.Drawn))...)
	add("Devices", "", overTime(hardwareCharts(run.Drawn))...)
	if r.Completed == 0 { // what follows is of answers
		return p, p.err
	}
	var curves []Figure
	for _, m := range metric.Always() {
		curves = append(curves, p.half(p.id+"-"+m.Name, distribution([]section.Run{*run}, &m)))
	}
	add("How the values spread", "", curves...)
	if len(r.ByTurn.All()) > 1 {
		add("Turn by turn", "", p.half(p.id+"-turn-ttft", ttftByTurn(r.ByTurn)), p.half(p.id+"-turn-prompt", promptByTurn(r.ByTurn)))
	}
	heat := gaps(run.Drawn)
	heat.Together, heat.Events = p.id, happened
	add("Gaps between token chunks", "The stronger the colour, the more gaps of that length at that time, by the logarithm of their number.", p.full(p.id+"-gaps", heat, 300))
	return p, p.err
}

// write writes a run that has the page to itself: the answer, the pictures, then the tables.
func (p *runPart) write(m *content) {
	m.WriteString("<section aria-label=\"The answer\">\n")
	p.answer(m)
	m.WriteString("</section>\n<section aria-label=\"Charts\">\n")
	p.charts(m, "h2")
	m.WriteString("</section>\n<section aria-labelledby=\"details-h\"><h2 id=\"details-h\">Details</h2><div class=\"tools\"><button type=\"button\" class=\"unfold\">Open all</button></div>\n")
	p.tables(m)
	m.WriteString("</section>\n")
}

// writeFolded writes a run that is one of several.
func (p *runPart) writeFolded(m *content) {
	badge := section.VerdictCell(p.Verdict)
	m.fold("run", true)
	m.Put(`<h2 id="%s-h">%s</h2> <span class="badge %s">%s</span></summary>`+"\n", p.id, outside.Line(p.Name, mostWords), badge.Class, badge.Text)
	p.answer(m)
	p.charts(m, "h3")
	p.tables(m)
	m.WriteString("</details>\n")
}

// answer is the verdict and the numbers that a reader looks for first.
func (p *runPart) answer(m *content) {
	m.trust(p.Run)
	m.cards(p.cards)
	m.WriteString(`<dl class="more">`)
	for _, row := range more(p.Run).Rows {
		m.Put("<div><dt>%s</dt> <dd>%s</dd></div>", row[0].Text, row[1].Text)
	}
	m.WriteString("</dl>\n")
}

// charts are all pictures, those of single requests last; level is that of their heads.
func (p *runPart) charts(m *content, level string) {
	for i := range p.groups {
		g := &p.groups[i]
		m.Put("<"+level+">%s</"+level+">\n", g.title)
		m.figures(g.figures)
		m.muted(g.note)
	}
	m.WriteString("<" + level + ">Requests</" + level + ">\n")
	p.requests(m)
}

// tables are all sections, of which those that are read most are open.
func (p *runPart) tables(m *content) {
	for _, s := range section.Of(p.Run, table.OnPage) {
		m.fold("", !slices.Contains(p.open(), s.ID))
		m.Put("<h3>%s</h3></summary>\n", s.Title)
		for i, t := range s.Tables {
			if t.ID = p.id + "-" + s.ID; i > 0 {
				t.ID += "-" + strconv.Itoa(i+1)
			}
			m.table(t, s.Title)
		}
		m.WriteString("</details>\n")
	}
	m.Put(`<h3>To repeat it</h3>
<div class="tablebox"><div class="tools"><button type="button" data-copy="text" data-for="%s-command">Copy</button></div><pre id="%s-command" tabindex="0" role="group" aria-label="Command of %s"><code>%s</code></pre></div>
`, p.id, p.id, outside.Line(p.Name, mostWords), section.Command(p.Result.Run.Command))
}

// open are the sections that are not folded.
func (p *runPart) open() []string {
	if p.Result.Failed > 0 {
		return []string{"latency", "accuracy", "outcomes"}
	}
	return []string{"latency", "accuracy"}
}

// requests are the run's requests, each on its way.
func (p *runPart) requests(m *content) {
	if t := p.Drawn; t.Sampled {
		m.muted(fmt.Sprintf("Of %s requests %s are kept here: the slowest, the failed ones (the first of them, where they are many), and an even sample of the others.", counted(t.Total), counted(len(t.Rows))))
	}
	m.Put(`<div class="waterfall" data-run="%s" id="%s-requests">
<div class="tools"><label>Show <select class="which"><option value="slow">the slowest</option><option value="failed">the failed (%s)</option><option value="all">all, in order of sending</option></select></label>
<label><input type="checkbox" class="align" checked> all from when they were due</label>
<button type="button" class="before">Previous</button><button type="button" class="after">Next</button><span class="where" role="status"></span></div>
<figure class="full"><figcaption>Each request on its way</figcaption><div class="tools"><button type="button" data-save="svg" aria-label="Save as SVG: requests">SVG</button><button type="button" data-save="png" aria-label="Save as PNG: requests">PNG</button></div><div class="plot"><p class="muted">This picture needs the page's script.</p></div>
<p class="key muted"><span><span class="k wait"></span>waiting to be sent</span> <span><span class="k first"></span>to the first token</span> <span><span class="k rest"></span>tokens</span> <span><span class="k fail"></span>failed</span></p></figure>
`, strconv.Itoa(p.place), p.id, strconv.Itoa(p.Result.Failed))
	m.fold("rows", true)
	m.WriteString("The same as a table</summary>")
	table.HTMLHead(&m.HTML, p.id+"-rows", "stack", "Requests shown above, in ms", "", append(table.Numbers(number.Short, "request", "due at", "waited", "first token", "end", "tokens"), table.Words("outcome", "error")...))
	table.HTMLEnd(&m.HTML)
	m.WriteString("</details></div>\n")
}
