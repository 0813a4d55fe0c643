package sweep

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// runs are six results: two settings of a server, three loads, of which one was run twice.
func sweepRuns(t *testing.T) []Object {
	t.Helper()
	v, err := parseJSON([]byte(`[
		{"seqs": 4, "load": 1, "ttft": 10, "output_throughput": 10, "request_rate": "inf", "model": "a"},
		{"seqs": 4, "load": 8, "ttft": 20, "output_throughput": 40, "request_rate": "inf", "model": "a"},
		{"seqs": 4, "load": 8, "ttft": 30, "output_throughput": 40, "request_rate": "inf", "model": "a"},
		{"seqs": 16, "load": 1, "ttft": 11, "output_throughput": 9, "request_rate": 4, "model": "b"},
		{"seqs": 16, "load": 8, "ttft": null, "output_throughput": 60, "request_rate": "inf", "model": "b"},
		{"seqs": 16, "load": 10, "ttft": 15, "output_throughput": 100, "request_rate": "inf", "model": "b", "tp": 2}]`))
	if err != nil {
		t.Fatal(err)
	}
	var out []Object
	for _, e := range v.([]any) {
		out = append(out, e.(Object))
	}
	return out
}

func TestFilters(t *testing.T) {
	for text, want := range map[string]int{
		"":                  6,
		"seqs==4":           3,
		"seqs != 4":         3,
		"load<8":            2,
		"load<=8":           5,
		"load>8,seqs>=16":   1,
		"model=='b'":        3,
		"model!=b":          3,
		"model==4":          0,
		"request_rate>1000": 5,
		"request_rate==inf": 5,
		"ttft>0":            5, // what is missing is neither more nor less
		"model<9":           0,
	} {
		filters, err := ParseFilters(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := len((&Plot{Filters: filters}).selected(sweepRuns(t))); got != want {
			t.Errorf("%q keeps %d results, want %d", text, got, want)
		}
	}
	for _, wrong := range []string{"seqs", "seqs=4", "seqs<x", "a==1,"} {
		if f, err := ParseFilters(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, f)
		}
	}
	for _, wrong := range []string{"seqs", "seqs%0", "seqs%x", "seqs%-1"} {
		if b, err := ParseBins(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, b)
		}
	}
}

func TestCurves(t *testing.T) {
	p := &Plot{CurveBy: []string{"seqs"}, X: "load", Y: "ttft", Name: "FIGURE", ErrorBars: true, Height: 3, DPI: 75}
	figures, err := p.Figures(sweepRuns(t))
	if err != nil || len(figures) != 1 {
		t.Fatalf("%d figures, %v", len(figures), err)
	}
	f := figures[0]
	if f.Name != "FIGURE" || f.Points != 5 || f.Left != 1 {
		t.Errorf("%s with %d points, %d left out", f.Name, f.Points, f.Left)
	}
	s := f.Panels[0][0].Series
	if len(s) != 2 || s[0].Name != "seqs=4" || s[1].Name != "seqs=16" {
		t.Fatalf("the curves are %+v", s)
	}
	if !slices.Equal(s[0].X, []float64{1, 8}) || !slices.Equal(s[0].Y, []float64{10, 25}) {
		t.Errorf("seqs=4 is %v, %v", s[0].X, s[0].Y)
	}
	deviation := math.Sqrt(50) // of 20 and 30
	if math.Abs(s[0].High[1]-25-deviation) > 1e-9 || math.Abs(25-s[0].Low[1]-deviation) > 1e-9 || s[0].Low[0] != 10 {
		t.Errorf("the bars are %v to %v", s[0].Low, s[0].High)
	}
	p.Bins = []Bin{{"load", 8}} // 8 and 10 are one
	figures, err = p.Figures(sweepRuns(t))
	if err != nil || !slices.Equal(figures[0].Panels[0][0].Series[1].X, []float64{0, 8}) {
		t.Errorf("in bins of 8: %v, %v", figures[0].Panels[0][0].Series[1].X, err)
	}
}

func TestPanels(t *testing.T) {
	p := &Plot{FigBy: []string{"model"}, RowBy: []string{"seqs"}, ColBy: []string{"load"}, X: "output_throughput", Y: "ttft", Name: "F", Height: 2, DPI: 75}
	figures, err := p.Figures(sweepRuns(t))
	if err != nil || len(figures) != 2 {
		t.Fatalf("%d figures, %v", len(figures), err)
	}
	f := figures[1]
	if rows, columns := f.Grid(); f.Name != "F-model=b" || rows != 1 || columns != 3 {
		t.Errorf("%s has %d rows and %d columns", f.Name, rows, columns)
	}
	if got := f.Panels[0][2].Title; got != "seqs=16, load=10" {
		t.Errorf("a title is %q", got)
	}
	var b bytes.Buffer
	if err := f.PNG(&b); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil || picture.Bounds().Dx() != 450 || picture.Bounds().Dy() != 150 {
		t.Errorf("the picture has %v, %v", picture.Bounds(), err)
	}
	b.Reset()
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Count(text, `<g transform="translate(`) != 3 {
		t.Errorf("the SVG does not hold 3 panels:\n%s", text)
	}
}

func TestUnknownVariable(t *testing.T) {
	p := &Plot{X: "load", Y: "nothing"}
	if _, err := p.Figures(sweepRuns(t)); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), `no result has "nothing"; there are load, model`) {
		t.Error(err)
	}
}

func TestPareto(t *testing.T) {
	p := &Pareto{UserVar: "load", LabelBy: []string{"load", "gpu_count", "absent"}}
	f, err := p.Figure(sweepRuns(t))
	if err != nil {
		t.Fatal(err)
	}
	best := f.Panels[0][0].Series[1]
	// User and GPU: (10, 10), (5, 40) twice, (9, 9), (7.5, 60), and (10, 50) on two GPUs.
	if !slices.Equal(best.X, []float64{7.5, 10}) || !slices.Equal(best.Y, []float64{60, 50}) {
		t.Errorf("the best are %v, %v", best.X, best.Y)
	}
	if !slices.Equal(best.Labels, []string{"load=8, gpu_count=1", "load=10, gpu_count=2"}) {
		t.Errorf("their labels are %q", best.Labels)
	}
	if f.Points != 6 || f.Frontier != 2 || f.NoUsers != 0 {
		t.Errorf("%d points, %d of them best, %d without users", f.Points, f.Frontier, f.NoUsers)
	}
	// Without the variable: the rate where it is finite, and else nothing is known.
	f, err = (&Pareto{UserVar: "absent"}).Figure(sweepRuns(t))
	if err != nil || f.Points != 1 || f.NoUsers != 5 {
		t.Errorf("without a variable for users: %+v, %v", f, err)
	}
	if _, err := p.Figure([]Object{{{"load", json.Number("1")}}}); !errors.Is(err, ErrPlan) {
		t.Errorf("without a throughput: %v", err)
	}
}

// What our verdict calls INVALID is on no frontier; what it has too few values for is told.
func TestDoubtfulResults(t *testing.T) {
	judged := func(load, throughput, level string) Object {
		v := Object{{"level", level}, {"unsupported", []any{"p99_ttft"}}}
		return Object{{"load", json.Number(load)}, {"output_throughput", json.Number(throughput)}, {"p99_ttft_ms", json.Number("5")}, {ownKey, Object{{"verdict", v}}}}
	}
	records := []Object{judged("1", "10", "VALID"), judged("2", "90", "INVALID"), judged("4", "60", "SUSPECT")}
	f, err := (&Pareto{UserVar: "load"}).Figure(records)
	if err != nil || f.Points != 3 || f.Invalid != 1 || f.Frontier != 1 || !slices.Equal(f.Panels[0][0].Series[1].X, []float64{15}) {
		t.Errorf("%+v, %v", f, err)
	}
	for y, want := range map[string]int{"p99_ttft_ms": 3, "output_throughput": 1} {
		figures, err := (&Plot{X: "load", Y: y, Height: 4, DPI: 75}).Figures(records)
		if err != nil || len(figures) != 1 || figures[0].Doubtful != want || figures[0].Points != 3 {
			t.Errorf("%s: %+v, %v; want %d in doubt", y, figures, err, want)
		}
	}
}
