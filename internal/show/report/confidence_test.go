package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

func TestIntervalsOnTheConsole(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	conf := measure.Confidence{Level: 0.95, Intervals: []measure.NamedInterval{
		{Key: "p99_ttft_ms", Label: "TTFT p99", Interval: sample.Interval{N: 200, Estimate: 812.4, Low: at(790.12), High: at(861)}},
		{Key: "p99_e2el_ms", Label: "E2EL p99", Interval: sample.Interval{
			N: 36, Estimate: 2349.5, Low: at(2100), Reason: "no upper end: 36 values are too few for p99",
		}},
		{Key: "latency.sent.ttft.p90_ms", Interval: sample.Interval{Estimate: 1}},
	}}
	r := measured(t, closed(), measure.Options{})
	r.Confidence = conf
	var out bytes.Buffer
	if err := Console(&out, r, Options{Details: true}); err != nil {
		t.Fatal(err)
	}
	want := `---------------- Intervals, 95 % -----------------
          estimate      low    high
TTFT p99    812.40   790.12  861.00
E2EL p99   2349.50  2100.00     n/a
  E2EL p99: no upper end: 36 values are too few for p99
`
	if !strings.Contains(out.String(), want) {
		t.Error(out.String())
	}
}

// The console shows them only if asked to.
func TestIntervalsAreAskedFor(t *testing.T) {
	r := measured(t, closed(), measure.Options{})
	for _, asked := range []bool{false, true} {
		var b bytes.Buffer
		if err := Console(&b, r, Options{Details: asked}); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(b.Bytes(), []byte("Intervals, 95 %")); got != asked {
			t.Errorf("asked %v, shown %v", asked, got)
		}
	}
}
