package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// TestLibrary: uPlot is what npm has as uplot 1.6.32, unchanged.
func TestLibrary(t *testing.T) {
	for name, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"LICENSE":           "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		sum := sha256.Sum256([]byte(text(uplot, "uplot/"+name)))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has the SHA-256 %s", name, got)
		}
	}
	if !strings.Contains(libraryText, "Copyright (c) 2022 Leon Sorokin") || !strings.Contains(libraryText, "(v1.6.32)") {
		t.Error("the licence and the version do not go with the library")
	}
}

var scripts = regexp.MustCompile(`(?s)<script( [^>]*)?>(.*?)</script>`)

// blocks are the page's scripts, and its numbers of charts.
func blocks(t *testing.T, page string) (code []string, set liveSet) {
	t.Helper()
	for _, m := range scripts.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "":
			code = append(code, m[2])
		case strings.Contains(m[1], `id="charts"`):
			var raw struct {
				X      [][]*float64
				Charts map[string]json.RawMessage
			}
			if err := json.Unmarshal([]byte(m[2]), &raw); err != nil {
				t.Fatalf("the charts are no JSON: %v", err)
			}
			set.Charts = map[string]*liveChart{}
			for _, list := range raw.X {
				set.X = append(set.X, floats(list))
			}
			for id := range raw.Charts {
				set.Charts[id] = nil
			}
		}
	}
	return code, set
}

func floats(list []*float64) numbers {
	out := make(numbers, len(list))
	for i, v := range list {
		if out[i] = math.NaN(); v != nil {
			out[i] = *v
		}
	}
	return out
}

// TestPolicyNamesTheScripts: what the page runs is what its policy names, and nothing is allowed by a word.
func TestPolicyNamesTheScripts(t *testing.T) {
	got := written(t, Options{}, shown(t, 40, "a run"))
	code, set := blocks(t, got)
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(got)[1])
	allowed := regexp.MustCompile(`script-src ([^;]*);`).FindStringSubmatch(policy)[1]
	if len(code) != 2 || strings.Contains(allowed, "unsafe") || len(strings.Fields(allowed)) != 2 {
		t.Errorf("%d scripts, allowed are %s", len(code), allowed)
	}
	for _, text := range code {
		sum := sha256.Sum256([]byte(text))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(allowed, hash) {
			t.Errorf("%s of %.60q is not allowed", hash, text)
		}
	}
	for _, id := range []string{"run1-ttft", "run1-course1", "run1-course5", "run1-gaps"} {
		if _, ok := set.Charts[id]; !ok {
			t.Errorf("%s does not answer the mouse", id)
		}
	}
	if n := len(set.X); n == 0 || n > 8 {
		t.Errorf("%d lists of places: those of courses are one", n)
	}
}

// TestWithoutCharts: a page that has none carries no library.
func TestWithoutCharts(t *testing.T) {
	var b bytes.Buffer
	if err := (&Document{Title: "empty"}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 70_000 || strings.Contains(b.String(), "uPlot=") {
		t.Errorf("%d bytes", b.Len())
	}
}

func marshal(t *testing.T, l *liveChart) string {
	t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLiveCharts: what is no number is a gap, what has no place is left out, and what can't be drawn stays a picture.
func TestLiveCharts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := func(kind chart.Kind, x, y []float64) *chart.Chart {
		return &chart.Chart{Series: []chart.Series{{Name: "s", Kind: kind, X: x, Y: y}}}
	}
	logs := one(chart.Line, []float64{0, 1, 10}, []float64{0, 0.5, 1})
	logs.X.Log = true
	for name, tt := range map[string]struct {
		c    *chart.Chart
		want string // "": it stays a picture
	}{
		"gaps":              {one(chart.Line, []float64{1, 2, 3, 4}, []float64{1, nan, inf, 1e9}), `"y":[1,null,null,1000000000]`},
		"a break":           {one(chart.Line, []float64{1, 2, nan, 3}, []float64{5, 5, nan, 6}), `"y":[5,5,null,6]`},
		"one point":         {one(chart.Line, []float64{3}, []float64{4}), `"y":[4]`},
		"small and exact":   {one(chart.Line, []float64{1, 2}, []float64{0.00012345678, 1234567.4}), `"y":[0.000123457,1234567]`},
		"beyond everything": {one(chart.Line, []float64{1, 2, 3}, []float64{1e300, 1, -1e300}), `"y":[null,1,null]`},
		"log":               {logs, `"y":[0.5,1]`},
		"points anywhere":   {one(chart.Points, []float64{3, 1, nan}, []float64{1, 2, 3}), `"y":[1,2]`},
		"none":              {one(chart.Line, nil, nil), ""},
		"only gaps":         {one(chart.Line, []float64{1, 2}, []float64{nan, nan}), ""},
		"backwards":         {one(chart.Line, []float64{2, 1}, []float64{1, 1}), ""},
		"bars":              {one(chart.Bars, []float64{1, 2}, []float64{1, 1}), ""},
		"too many":          {one(chart.Line, make([]float64, mostLivePoints+1), make([]float64, mostLivePoints+1)), ""},
	} {
		l := newLiveChart(tt.c, 560, 300, 250)
		if (l == nil) != (tt.want == "") {
			t.Errorf("%s: %+v", name, l)
			continue
		}
		if l == nil {
			continue
		}
		if got := marshal(t, l); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s lacks %s", name, got, tt.want)
		}
	}
}

// TestSharedPlaces: series of the same places have them once, and others their own.
func TestSharedPlaces(t *testing.T) {
	x := []float64{1, 2, 3}
	c := &chart.Chart{Series: []chart.Series{{Name: "a", X: x, Y: x}, {Name: "b", X: x, Y: x}, {Name: "c", X: x[:2], Y: x[:2]}, {Name: "d", X: []float64{1, math.NaN(), 3}, Y: x}}}
	s := &liveSet{}
	s.add([]Figure{{ID: "f", live: newLiveChart(c, 560, 300, 250)}, {ID: "none"}})
	if got := fmt.Sprint(s.X); got != "[[1 2 3] [1 2] [1 1 3]]" {
		t.Error(got)
	}
	list := s.Charts["f"].Series
	if list[0].At != 0 || list[1].At != 0 || list[2].At != 1 || list[3].At != 2 {
		t.Errorf("%d %d %d %d", list[0].At, list[1].At, list[2].At, list[3].At)
	}
}

// TestManySeries: of 64 servers with six series each those are drawn that can be told apart, and the page says what is left out.
func TestManySeries(t *testing.T) {
	run := shown(t, 40, "many")
	for server := range 64 {
		for k := range 6 {
			run.Drawn.Server = append(run.Drawn.Server, chartdata.ServerSeries{
				Name: fmt.Sprintf("series %d, server %d <b>", k, server), Panel: fmt.Sprintf("panel %d </script>", k),
				At: []float64{0.1, 0.2, 0.3}, Value: []float64{float64(server), math.NaN(), float64(server * 10)},
			})
		}
	}
	charts := serverCharts(run.Drawn)
	if len(charts) != 6 || len(charts[0].Series) != mostSeries || charts[0].Series[0].Name != "series 0, server 56 <b>" || charts[0].Title != "panel 0 </script>" {
		t.Fatalf("%d charts, %+v", len(charts), charts[0])
	}
	got := written(t, Options{}, run)
	if !strings.Contains(got, "Drawn are the 8 series with the highest means; 56 others are left out.") || strings.Contains(got, "server 56 <b>") {
		t.Error("the page does not say what is left out, or holds the words as they are")
	}
	if _, set := blocks(t, got); len(set.Charts) < 14 {
		t.Errorf("%d charts answer the mouse", len(set.Charts))
	}
	for k := range 100 {
		run.Drawn.Server = append(run.Drawn.Server, chartdata.ServerSeries{Name: "x", Panel: fmt.Sprint(k), At: []float64{1}, Value: []float64{1}})
	}
	if charts := serverCharts(run.Drawn); len(charts) != mostPanels || !strings.Contains(charts[mostPanels-1].Note, "82 more kinds of series are not drawn.") {
		t.Errorf("%d charts: %q", len(charts), charts[len(charts)-1].Note)
	}
}
