package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// examples have one of everything.
func examples() map[string]*Chart {
	wave := Series{Name: "p50", X: []float64{}, Y: []float64{}}
	band := Series{Name: "p99", Dashed: true}
	for i := range 60 {
		x := float64(i)
		wave.X, wave.Y = append(wave.X, x), append(wave.Y, 100+40*math.Sin(x/8))
		band.X, band.Y = append(band.X, x), append(band.Y, 200+30*math.Cos(x/8))
		band.Low, band.High = append(band.Low, 180+30*math.Cos(x/8)), append(band.High, 230+30*math.Cos(x/8))
	}
	wave.Y[30] = math.NaN()
	heat := &Heat{Name: "gaps"}
	for i := range 11 {
		heat.XEdges = append(heat.XEdges, float64(i))
	}
	for j := range 9 {
		heat.YEdges = append(heat.YEdges, math.Pow(10, float64(j)/2-1))
	}
	for i := range 10 {
		column := make([]float64, 8)
		for j := range column {
			column[j] = math.Round(1000 * math.Exp(-math.Pow(float64(j)-3-float64(i)/5, 2)))
		}
		heat.Counts = append(heat.Counts, column)
	}
	return map[string]*Chart{
		"lines": {Title: "TTFT over time", X: Axis{Label: "seconds"}, Y: Axis{Label: "ms", Zero: true}, Series: []Series{wave, band}},
		"pareto": {X: Axis{Label: "output tok/s", Zero: true}, Y: Axis{Label: "p99 TTFT ms", Log: true}, Series: []Series{
			{Name: "tp8", Kind: LinePoints, X: []float64{10, 40, 70, 90}, Y: []float64{50, 60, 120, 900}, Low: []float64{45, 55, 100, 700}, High: []float64{56, 66, 150, 1200}, Labels: []string{"1", "4", "8", "16"}},
			{Name: "<4 × tp2>", Kind: Points, X: []float64{12, 50}, Y: []float64{55, 2000}, Labels: []string{"", "far out to the right"}},
		}},
		"heat":  {Title: "Gaps between tokens", X: Axis{Label: "seconds"}, Y: Axis{Label: "ms", Log: true}, Heat: heat},
		"steps": {X: Axis{Label: "seconds"}, Y: Axis{Label: "in flight", Zero: true}, Series: []Series{{Kind: Steps, X: []float64{0, 1, 2, 3}, Y: []float64{0, 4, 4, 1}}}},
		"events": {X: Axis{Label: "seconds"}, Y: Axis{Label: "ms", Zero: true}, Series: []Series{wave}, Events: []Event{
			{From: 10, To: 25, Label: "kill <r1>", Hint: "recovered after 15 s"},
			{From: 12, Label: "start r1"},
			{From: 13, Label: "a command that is far too long for a chart"},
			{From: 14, Label: "no room for it"},
			{From: 58, Label: "at the right end"},
			{From: math.NaN(), Label: "nowhere"},
			{From: 99, Label: "beyond"},
		}},
		"empty": {X: Axis{Label: "seconds"}, Y: Axis{Label: "ms"}, Empty: "no request succeeded"},
	}
}

// TestSVG: the pictures are as they were looked at, and are well formed.
func TestSVG(t *testing.T) {
	for name, c := range examples() {
		var got bytes.Buffer
		if err := c.SVG(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s differs; look at it and run with -update", path)
		}
		d := xml.NewDecoder(&got)
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// TestPNG: the same picture in pixels: of the size asked for, with ink on its paper.
func TestPNG(t *testing.T) {
	for name, c := range examples() {
		for _, dark := range []bool{false, true} {
			var b bytes.Buffer
			if err := c.PNG(&b, 2, dark); err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if size := img.Bounds().Size(); size.X != 2*usualWidth || size.Y != 2*usualHeight {
				t.Errorf("%s is %v", name, size)
			}
			colours := map[string]bool{}
			for x := 0; x < 2*usualWidth; x += 2 {
				for y := 0; y < 2*usualHeight; y += 2 {
					r, g, b, _ := img.At(x, y).RGBA()
					colours[fmt.Sprint(r>>12, g>>12, b>>12)] = true
				}
			}
			if len(colours) < 4 {
				t.Errorf("%s has only the colours %v", name, colours)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		axis      Axis
		low, high float64
		want      string
	}{
		{Axis{}, 0, 100, "0 20 40 60 80 100"},
		{Axis{}, 3, 4, "3.0 3.2 3.4 3.6 3.8 4.0"},
		{Axis{Zero: true}, 30, 95, "0 20 40 60 80 100"},
		{Axis{}, 5, 5, "5.0 5.1 5.2 5.3 5.4 5.5"},
		{Axis{Zero: true}, 0, 0, "0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, 0, 1234567, "0 500k 1M 1.5M"},
		{Axis{Log: true}, 0.5, 3000, "0.1 1 10 100 1000 10k"},
		{Axis{Log: true}, 30, 80, "20 50 100"},
		{Axis{}, math.Inf(1), math.Inf(-1), "0 0.2 0.4 0.6 0.8 1.0"},
	} {
		_, ticks := fit(&tt.axis, func(yield func(float64)) { yield(tt.low); yield(tt.high) }, 0, 100, 5)
		var got []string
		for _, k := range ticks {
			got = append(got, k.label)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%g to %g: %v, want %s", tt.low, tt.high, got, tt.want)
		}
	}
}

// TestNothingEscapes: whatever the values, all marks lie inside the picture.
func TestNothingEscapes(t *testing.T) {
	c := &Chart{X: Axis{Max: new(float64)}, Y: Axis{Log: true}, Series: []Series{
		{Kind: LinePoints, X: []float64{-1e300, 0, math.Inf(1), 5}, Y: []float64{1e-300, -1, 3, math.NaN()}},
	}}
	*c.X.Max = 1
	w, h, marks := c.layout()
	for _, m := range marks {
		for _, p := range m.points {
			if math.IsNaN(p.x+p.y) || p.x < -1 || p.y < -1 || p.x > float64(w)+1 || p.y > float64(h)+1 {
				t.Errorf("%+v", m)
			}
		}
	}
}
