package pictures

import (
	"bytes"
	"encoding/json"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/chartdata"
)

// A page that holds hostile words shows them as words, needs nothing else, and has its numbers in its table too.
func TestTimeline(t *testing.T) {
	lanes := &chartdata.Lanes{Thresholds: [2]float64{25, 50}, Total: 5, List: []chartdata.Lane{
		{Index: 1, Start: 60, First: 20, End: 20, Prompt: 8, Output: 1, Outcome: journal.Truncated},
		{
			Index: 0, Start: 50, First: 12.3456, End: 100, Prompt: 8, Output: 4, Outcome: journal.Complete,
			Stretches: []chartdata.Stretch{{Class: 0, Gaps: 2, Total: 27.6544, Longest: 20}, {Class: 2, Gaps: 1, Total: 60, Longest: 60}},
		},
	}}
	run := &journal.Run{Options: journal.Options{ModelID: "</script><script>alert(1)</script>", Label: "a\x1b[31mb"}}
	var b bytes.Buffer
	if err := WriteTimeline(&b, run, lanes, "v1"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"<title>Timeline: ab, &lt;/script&gt;", "The first 2 of 5 requests that ended are shown.",
		"25ms ≤ ITL &lt; 50ms", "ITL &lt; 25ms", "ITL ≥ 50ms", "did not complete", "script-src &#39;sha256-", `<td class="num">60.00 ms</td>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, not := range []string{"<script>alert", "http://", "https://", "\x1b"} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(text)
	var rows [][]any
	if data == nil || json.Unmarshal([]byte(data[1]), &rows) != nil || len(rows) != 2 {
		t.Fatalf("the data is no JSON: %.200q", data)
	}
	if rows[0][0] != 0.0 || rows[0][2] != 12.346 || rows[1][6] != "truncated" {
		t.Errorf("rows: %v", rows)
	}
}

func TestBins(t *testing.T) {
	edges, counts := bins([]float64{0, 1, 29.99, 30})
	if len(edges) != 30 || counts[0] != 1 || counts[1] != 1 || counts[29] != 2 || edges[29] != 29 {
		t.Errorf("edges %v, counts %v", edges, counts)
	}
	edges, counts = bins([]float64{64, 64})
	if edges[0] != 63.5 || counts[15] != 2 {
		t.Errorf("of one value: edges %v, counts %v", edges, counts)
	}
	if edges, _ := bins(nil); edges != nil {
		t.Error("bins of nothing")
	}
}

// The picture can be drawn of any number of requests, none included, and stays of one size.
func TestDatasetStats(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		l := &chartdata.Lengths{Total: n}
		for i := range n {
			l.List = append(l.List, chartdata.Length{Index: int32(n - i), Prompt: int32(10 + i%50), Output: int32(i % 90)})
		}
		var b, s bytes.Buffer
		if err := WriteDatasetStats(&b, l, false); err != nil {
			t.Fatal(err)
		}
		image, err := png.Decode(&b)
		if err != nil || image.Bounds().Dx() != 4*panelWidth || image.Bounds().Dy() != 4*panelHeight {
			t.Errorf("%d requests: %v, %v", n, image.Bounds(), err)
		}
		if err := WriteDatasetStats(&s, l, true); err != nil || !strings.HasSuffix(s.String(), "</svg>\n") || s.Len() > 400_000 {
			t.Errorf("%d requests: an SVG of %d bytes, %v", n, s.Len(), err)
		}
		if (n == 0) != strings.Contains(s.String(), noRequests) {
			t.Errorf("%d requests: the picture says the wrong thing", n)
		}
		if n == 5000 && !strings.Contains(s.String(), "a column is the mean of 17") {
			t.Error("columns that stand for several requests don't say so")
		}
	}
}
