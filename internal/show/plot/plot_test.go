package plot

import (
	"bytes"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestPlots: as they were looked at, and never wider than asked for.
func TestPlots(t *testing.T) {
	wave := Plot{Title: "a wave", XUnit: "s"}
	for i := range 200 {
		y := 500 + 400*math.Sin(float64(i)/20)
		if i > 100 && i < 110 {
			y = math.NaN()
		}
		wave.X, wave.Y = append(wave.X, float64(i)/10), append(wave.Y, y)
	}
	narrow := wave
	wave.Width, narrow.Width = 80, 40
	var b bytes.Buffer
	for _, p := range []Plot{
		wave, narrow,
		{Title: "a curve", X: []float64{10, 20, 40}, Y: []float64{0, 0.5, 1}, Max: 1, XUnit: "ms", Width: 60, Height: 3, LogX: true},
		{Title: "one point", X: []float64{1}, Y: []float64{0}, Width: 10},
		{Title: "nothing", Width: 60},
	} {
		at := b.Len()
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String()[at:], "\n") {
			if n := utf8.RuneCountInString(line); n > max(p.Width, 30) {
				t.Errorf("%s: %d columns: %q", p.Title, n, line)
			}
		}
	}
	const path = "testdata/plots.txt"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs; look at it and run with -update:\n%s", path, b.String())
	}
}
