package page

import (
	"fmt"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// runPart is one run's part of a report, with its pictures drawn.
type runPart struct {
	*section.Run
	id              string
	place           int
	pictures        map[string][]Figure // of a section, by its ID
	curves, courses []Figure
	gaps            Figure
	drawer
}

func newRunPart(place int, run *section.Run) (*runPart, error) {
	p := &runPart{Run: run, id: "run" + strconv.Itoa(place+1), place: place, pictures: map[string][]Figure{}}
	r := run.Result
	for _, m := range metric.Always() {
		p.curves = append(p.curves, p.half(p.id+"-"+m.Name, distribution([]section.Run{*run}, &m)))
	}
	for k, c := range courses(run.Drawn) {
		c.Together = p.id
		p.courses = append(p.courses, p.full(fmt.Sprintf("%s-course%d", p.id, k+1), c, 190))
	}
	heat := gaps(run.Drawn)
	heat.Together = p.id
	p.gaps = p.full(p.id+"-gaps", heat, 300)
	if len(r.ByTurn.All()) > 1 {
		p.pictures["turns"] = []Figure{p.half(p.id+"-turn-ttft", ttftByTurn(r.ByTurn)), p.half(p.id+"-turn-prompt", promptByTurn(r.ByTurn))}
	}
	if r.Eval != nil {
		p.pictures["accuracy"] = accuracyFigures(&p.drawer, p.id, r.Eval)
	}
	return p, p.err
}

func (p *runPart) write(m *content) {
	open := ""
	if p.place == 0 {
		open = " open"
	}
	badge := section.VerdictCell(p.Verdict)
	m.Put(`<section class="run" aria-labelledby="%s-h"><details`+open+`><summary><h2 id="%s-h">%s</h2> <span class="badge %s">%s</span></summary>`+"\n", p.id, p.id, p.Name, badge.Class, badge.Text)
	m.WriteString(`<dl class="tiles">`)
	for _, t := range tiles(p.Run) {
		m.Put(`<div><dt>%s</dt><dd><b>%s</b> %s</dd><dd class="muted">%s</dd></div>`, t.name, t.value, t.unit, t.note)
	}
	m.WriteString("</dl>\n")
	p.reasons(m, badge.Text)
	if len(p.Result.Warnings) > 0 {
		m.WriteString("<h3>Warnings</h3><ul>")
		m.Each("<li>%s</li>", p.Result.Warnings)
		m.WriteString("</ul>\n")
	}
	for _, s := range section.Of(p.Run, table.OnPage) {
		p.section(m, &s)
		if s.ID == "latency" {
			p.overTime(m)
		}
	}
	m.Put(`<h3>To repeat it</h3>
<div class="tablebox"><div class="tools"><button type="button" data-copy="text" data-for="%s-command">Copy</button></div><pre id="%s-command" tabindex="0" role="region" aria-label="Command of %s"><code>%s</code></pre></div>
</details></section>
`, p.id, p.id, p.Name, section.Command(p.Result.Run.Command))
}

// section writes a section with its pictures.
func (p *runPart) section(m *content, s *section.Section) {
	m.Put("<h3>%s</h3>\n", s.Title)
	for i, t := range s.Tables {
		if t.ID = p.id + "-" + s.ID; i > 0 {
			t.ID += "-" + strconv.Itoa(i+1)
		}
		if t.Title == "" {
			t.Title = s.Title
		}
		m.table(t)
	}
	m.figures(p.pictures[s.ID])
}

// reasons are why the verdict is what it is.
func (p *runPart) reasons(m *content, word string) {
	if p.Verdict == nil || len(p.Verdict.Reasons) == 0 {
		return
	}
	m.Put(`<h3>Why the verdict is %s</h3><ul class="reasons">`, word)
	for _, name := range p.Verdict.Reasons {
		c := p.Verdict.Check(name)
		if c == nil {
			continue
		}
		m.Put(`<li class="%s"><b>%s</b>: %s`, section.LevelClass(string(c.Level)), c.Name, c.Sentence)
		if c.Effect != "" {
			m.Put("<br>Effect: %s", c.Effect)
		}
		if c.Hint != "" {
			m.Put("<br>To do: %s", c.Hint)
		}
		m.WriteString("</li>")
	}
	m.WriteString("</ul>\n")
}

// overTime is how values spread, the run over its time, and its requests.
func (p *runPart) overTime(m *content) {
	m.WriteString("<h3>How the values spread</h3>\n")
	m.figures(p.curves)
	m.WriteString("<h3>Over time</h3>\n")
	for i := range p.courses {
		m.figure(&p.courses[i])
	}
	if len(p.Drawn.Server) == 0 {
		m.muted("The server's own metrics are not here: the run did not read them on its way (bench serve --scrape-every 1s), or the server has none.")
	}
	m.WriteString("<h3>Gaps between token chunks</h3>\n")
	m.figure(&p.gaps)
	m.muted("The stronger the colour, the more gaps of that length at that time, by the logarithm of their number.")
	m.Put("<h3 id=\"%s-rh\">Requests</h3>\n", p.id)
	if t := p.Drawn; t.Sampled {
		m.muted(fmt.Sprintf("Of %s requests %s are kept here: the slowest, the failed ones (the first of them, where they are many), and an even sample of the others.", counted(t.Total), counted(len(t.Rows))))
	}
	m.Put(`<div class="waterfall" data-run="%s" id="%s-requests">
<div class="tools"><label>Show <select class="which"><option value="slow">the slowest</option><option value="failed">the failed (%s)</option><option value="all">all, in order of sending</option></select></label>
<label><input type="checkbox" class="align" checked> all from when they were due</label>
<button type="button" class="before">Previous</button><button type="button" class="after">Next</button><span class="where" role="status"></span></div>
<figure class="full"><figcaption>Each request on its way</figcaption><div class="tools"><button type="button" data-save="svg" aria-label="Save as SVG: requests">SVG</button><button type="button" data-save="png" aria-label="Save as PNG: requests">PNG</button></div><div class="plot"><p class="muted">This picture needs the page's script.</p></div>
<p class="key muted"><span><span class="k wait"></span>waiting to be sent</span> <span><span class="k first"></span>to the first token</span> <span><span class="k rest"></span>tokens</span> <span><span class="k fail"></span>failed</span></p></figure>
<details class="rowtable"><summary>The same as a table</summary><div class="tablebox"><div class="tools"><button type="button" data-copy="markdown" data-for="%s-rows">Copy as Markdown</button><button type="button" data-copy="csv" data-for="%s-rows">Copy as CSV</button></div><div class="scroll" tabindex="0" role="region" aria-label="Requests of %s"><table id="%s-rows"><caption>Requests shown above, in ms</caption><thead><tr>`,
		strconv.Itoa(p.place), p.id, strconv.Itoa(p.Result.Failed), p.id, p.id, p.Name, p.id)
	table.HTMLHeads(&m.HTML, append(table.Numbers(number.Short, "request", "due at", "waited", "first token", "end", "tokens"), table.Words("outcome", "error")...))
	m.WriteString("</tr></thead><tbody></tbody></table></div></div></details></div>\n")
}
