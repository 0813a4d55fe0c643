package report

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

func TestIntervalsOnTheConsole(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	conf := measure.Confidence{Level: 0.95, Intervals: []measure.NamedInterval{
		{Key: "p99_ttft_ms", Label: "TTFT p99", Interval: sample.Interval{Estimate: 812.4, Low: at(790.12), High: at(861)}},
		{Key: "p99_e2el_ms", Label: "E2EL p99", Interval: sample.Interval{
			Estimate: 2349.5, Low: at(2100), Reason: "no upper end: 36 values are too few for p99",
		}},
		{Key: "latency.sent.ttft.p90_ms", Interval: sample.Interval{Estimate: 1}},
	}}
	var out bytes.Buffer
	c := &console{w: bufio.NewWriter(&out)}
	c.intervals(&conf)
	if err := c.w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `---------------- Intervals, 95 % -----------------
TTFT p99               812.40 [790.12, 861.00]
E2EL p99              2349.50 [2100.00, n/a]
  no upper end: 36 values are too few for p99
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

// The console shows them only if asked to.
func TestIntervalsAreAskedFor(t *testing.T) {
	r := measured(t, closed(), measure.Options{})
	for _, asked := range []bool{false, true} {
		var b bytes.Buffer
		if err := Console(&b, r, Options{Intervals: asked}); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(b.Bytes(), []byte("Intervals, 95 %")); got != asked {
			t.Errorf("asked %v, shown %v", asked, got)
		}
	}
}
