package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// TestASectionIsOneFile: what one function adds stands on the console, in the page and in
// Markdown, with the same text for the same number.
func TestASectionIsOneFile(t *testing.T) {
	t.Cleanup(section.Add(15, func(run *section.Run) *section.Section {
		grid := &table.Table{Columns: append(table.Words("colour"), table.Numbers(number.Share, "share")...)}
		grid.Add("blue", 0.5)
		return &section.Section{ID: "colours", Title: "Colours", Tables: []*table.Table{grid}}
	}))
	drawing := chartdata.NewCollector(10)
	run := shown(t, 20, "x", drawing)
	run.Drawn = drawing.Run(nil, nil)
	for medium, write := range map[string]struct {
		write func(*bytes.Buffer) error
		want  string
	}{
		"console":  {func(b *bytes.Buffer) error { return report.Console(b, run.Result, report.Options{Details: true}) }, "- Colours ---------------------\ncolour   share\nblue    50.0 %\n"},
		"Markdown": {func(b *bytes.Buffer) error { return Markdown(b, []section.Run{run}, nil) }, "### Colours\n\n| colour |  share |\n|--------|-------:|\n| blue   | 50.0 % |\n"},
		"page":     {func(b *bytes.Buffer) error { return page.Write(b, []section.Run{run}, page.Options{}) }, `<tr><th scope="row">blue</th><td class="num" data-v="0.5">50.0 %</td></tr>`},
	} {
		var b bytes.Buffer
		if err := write.write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), write.want) {
			t.Errorf("%s lacks\n%s", medium, write.want)
		}
	}
}
