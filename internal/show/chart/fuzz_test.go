package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"testing"
)

// oddNumbers are what a crafted result may hold.
var oddNumbers = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, 1e-320, 1e308, -1e308, math.MaxFloat64,
	math.SmallestNonzeroFloat64, 1e18, 1e-9, math.Pi, 1 << 53,
}

// FuzzOddNumbers: whatever the numbers, a picture that is well formed and ends.
func FuzzOddNumbers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint16(0))
	f.Add([]byte{0, 1, 9, 9, 8, 10, 11, 12}, uint16(0xffff))
	f.Add([]byte{200, 201, 7, 9, 255, 0, 31, 4}, uint16(0x0f0f))
	f.Fuzz(func(t *testing.T, places []byte, flags uint16) {
		if len(places) > 64 {
			return
		}
		flag := func(bit int) bool { return flags&(1<<bit) != 0 }
		s := Series{Name: "s", Kind: Kind(flags & 3), Dashed: flag(4)}
		for i, b := range places {
			v := oddNumbers[int(b)%len(oddNumbers)]
			if b >= 128 {
				v = float64(b) - 190.5
			}
			switch i % 4 {
			case 0:
				s.X = append(s.X, v)
			case 1:
				s.Y = append(s.Y, v)
			case 2:
				s.Low = append(s.Low, v)
			case 3:
				s.High = append(s.High, v)
			}
		}
		n := min(len(s.X), len(s.Y), len(s.Low), len(s.High))
		s.X, s.Y, s.Low, s.High = s.X[:n], s.Y[:n], s.Low[:n], s.High[:n]
		if flag(5) {
			s.Low, s.High = nil, nil
		}
		c := &Chart{Width: 200, Height: 120, X: Axis{Log: flag(6), Zero: flag(7)}, Y: Axis{Log: flag(8), Zero: flag(9)}, Series: []Series{s}}
		if flag(10) && n > 1 {
			c.X.Min, c.X.Max, c.Y.Max = &s.X[0], &s.X[1], &s.Y[0]
		}
		if flag(11) && n > 1 {
			c.Heat = &Heat{XEdges: s.X, YEdges: s.Y}
			for range n - 1 {
				c.Heat.Counts = append(c.Heat.Counts, s.Y[:n-1])
			}
		}
		if flag(12) {
			c.X.Ticks = []Tick{{At: oddNumbers[len(places)%len(oddNumbers)], Label: "t"}}
		}
		drawBoth(t, c)
	})
}

// drawBoth draws a picture both ways and reads the SVG.
func drawBoth(t *testing.T, c *Chart) {
	t.Helper()
	var svg bytes.Buffer
	if err := c.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(svg.Bytes(), []byte(`="NaN`)) || bytes.Contains(svg.Bytes(), []byte("Inf ")) {
		t.Errorf("a place that is none: %.2000s", &svg)
	}
	if svg.Len() > 1<<20 {
		t.Errorf("%d bytes for a handful of points", svg.Len())
	}
	for d := xml.NewDecoder(&svg); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.PNG(io.Discard, 0.5, false); err != nil {
		t.Fatal(err)
	}
}
