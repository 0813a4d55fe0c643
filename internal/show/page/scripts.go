package page

import (
	"embed"
	"strings"
)

//go:embed page.js live/*.js live/live.css
var ours embed.FS

// uPlot draws the charts that answer the mouse: https://github.com/leeoniya/uPlot, the
// files as npm has them in uplot 1.6.32. Its licence goes with every copy, so with every page.
//
//go:embed uplot
var uplot embed.FS

// What stands in the pages. The policy names the hash of each script, so none may be
// changed after this.
var (
	libraryText = "/*\n" + text(uplot, "uplot/LICENSE") + "\n*/\n" + text(uplot, "uplot/uPlot.iife.min.js")
	scriptText  = text(ours, "page.js") + "(() => {\n" + text(ours, liveFiles...) + "})();\n"
	liveStyle   = text(uplot, "uplot/uPlot.min.css") + "\n" + text(ours, "live/live.css")
)

// liveFiles are the script of the charts, in the order in which they need each other.
var liveFiles = []string{"live/text.js", "live/axes.js", "live/rows.js", "live/draw.js", "live/chart.js", "live/point.js", "live/start.js"}

// text is files of ours one after the other.
func text(files embed.FS, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the list above names a file that was not built in: no page could be right
		}
		b.Write(data)
	}
	return b.String()
}

// library is the script that the charts of a page need; of a page without such charts, none.
func (s *liveSet) library() string {
	if s.empty() {
		return ""
	}
	return libraryText
}
