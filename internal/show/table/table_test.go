package table

import (
	"math"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/show/markup"
	"github.com/inferometer/inferometer/internal/show/number"
)

func sample() *Table {
	t := &Table{ID: "t", Title: "Times <all>", Columns: append(Words("what"), Column{Name: "mean", Unit: "ms", Format: number.Millis})}
	t.Columns = append(t.Columns, Hide(OnConsole, Numbers(number.Count, "values")...)...)
	t.Add("a|b\x1b[31m", 1234.5, 7)
	t.Add(Cell{Text: "<i>", Link: "run/x.html"}, math.NaN(), Cell{Text: number.TooFew})
	t.Add(Cell{Text: "c", Link: "javascript:alert(1)"}, Cell{Value: new(float64), Class: Best}, 3)
	t.Notes = []string{"* a note"}
	return t
}

func TestEachMediumWritesTheSame(t *testing.T) {
	var console, markdown strings.Builder
	var page markup.HTML
	(&Console{}).Write(&console, sample())
	if want := "what  mean, ms\na|b    1234.50\n<i>        n/a\nc         0.00\n  * a note\n"; console.String() != want {
		t.Errorf("console:\n%s", console.String())
	}
	Markdown(&markdown, sample())
	want := "Times &lt;all>:\n\n| what   | mean, ms | values |\n|--------|---------:|-------:|\n| a\\|b   |  1234.50 |      7 |\n| &lt;i> |        – |    n/a |\n| c      | **0.00** |      3 |\n\n- \\* a note\n"
	if markdown.String() != want {
		t.Errorf("Markdown:\n%s", markdown.String())
	}
	HTML(&page, sample(), "")
	for _, want := range []string{
		`<caption>Times &lt;all&gt;</caption>`, `<td class="num" data-v="1234.5">1,234.50</td>`, `<a href="run/x.html">&lt;i&gt;</a>`, `<th scope="row">c</th>`,
		`<td class="num good" data-v="0">0.00</td>`, `<td class="num">n/a</td>`, `<p class="muted">* a note</p>`,
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s:\n%s", want, page.String())
		}
	}
	var csv strings.Builder
	if err := CSV(&csv, sample()); err != nil || !strings.Contains(csv.String(), "\na|b,1234.5,7\n") {
		t.Errorf("%v: %s", err, csv.String())
	}
}

func TestFacts(t *testing.T) {
	facts := &Table{}
	facts.Fact("Short", "12.3 %")
	facts.Fact("Left out", "")
	facts.Fact("Long", "more words than fit beside the column of labels")
	var b strings.Builder
	(&Console{Width: 30}).Write(&b, facts)
	if want := "Short:                                   12.3 %\nLong: more words than fit\n  beside the column of labels\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	Markdown(&b, facts)
	if want := "- Short: 12.3 %\n- Long: more words than fit beside the column of labels\n"; b.String() != want {
		t.Errorf("%s", b.String())
	}
	facts.Brief = 1
	b.Reset()
	(&Console{}).Write(&b, facts)
	if !strings.HasSuffix(b.String(), "… and 1 more, in the JSON\n") {
		t.Errorf("%s", b.String())
	}
}
