package sweep

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzSummary: whatever a summary holds, an error or figures that can be drawn.
func FuzzSummary(f *testing.F) {
	for _, seed := range []string{
		`[{"x": 1, "y": 2, "b": "a", "output_throughput": 10, "max_concurrency": 4}, {"x": 2, "y": 1e308, "b": "c", "max_concurrency": 0}]`,
		`[{"x": NaN, "y": Infinity, "request_rate": "inf", "output_throughput": -1, "tensor_parallel_size": 0}]`,
		`[{"x": [1], "y": {"z": null}, "b": true, "output_throughput": "9", "max_concurrent_requests": 1e300}]`,
		`[{"x": -9223372036854775809, "y": 5e-324, "tensor_parallel_size": -3, "output_throughput": 1e308, "max_concurrency": 1e-308}]`,
		`{}`, `[[`,
	} {
		f.Add([]byte(seed), "x>0", "x%2", uint8(0))
	}
	f.Add([]byte(`[{"x": 3, "y": 4}]`), "y==4,x!=a", "x%0.001", uint8(255))
	f.Fuzz(func(t *testing.T, b []byte, filters, bins string, flags uint8) {
		if len(b) > 1<<10 {
			return
		}
		path := filepath.Join(t.TempDir(), summaryFile)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		records, err := readSummary(path)
		if err != nil {
			return
		}
		p := &Plot{X: "x", Y: "y", LogX: flags&1 != 0, LogY: flags&2 != 0, ErrorBars: flags&4 != 0, Height: 1, DPI: 30}
		if flags&8 != 0 {
			p.RowBy, p.CurveBy = []string{"b"}, []string{"x"}
		}
		if p.Filters, err = ParseFilters(filters); err != nil {
			return
		}
		if p.Bins, err = ParseBins(bins); err != nil {
			return
		}
		if figures, err := p.Figures(records); err == nil {
			for i := range figures {
				if rows, columns := figures[i].Grid(); figures[i].Points > 0 && rows*columns <= 9 {
					drawFigure(t, &figures[i])
				}
			}
		}
		if figure, err := (&Pareto{UserVar: "max_concurrency", LabelBy: []string{"b"}}).Figure(records); err == nil {
			drawFigure(t, &figure.Figure)
		}
	})
}

func drawFigure(t *testing.T, f *Figure) {
	t.Helper()
	f.Zoom = 0.3
	if err := f.SVG(io.Discard); err != nil {
		t.Error(err)
	}
	if err := f.PNG(io.Discard); err != nil {
		t.Error(err)
	}
}
