package page

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
)

// TestNamesOfSeries: our own names of a server's series are shown whole, somebody else's are bounded.
func TestNamesOfSeries(t *testing.T) {
	whole := "llamacpp: computed prompt tokens per second, server 12"
	list := []chartdata.ServerSeries{
		{Name: whole, Panel: "prompt", At: []float64{0, 1}, Value: []float64{1, 2}},
		{Name: strings.Repeat("x", 4000), Panel: "prompt", At: []float64{0, 1}, Value: []float64{1, 2}},
	}
	series := panelCharts(list, serverPanels)[0].Series
	if series[0].Name != whole {
		t.Errorf("%q", series[0].Name)
	}
	if n := len([]rune(series[1].Name)); n != mostSeriesName {
		t.Errorf("a name of 4000 letters became one of %d", n)
	}
}
