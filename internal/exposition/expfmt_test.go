package exposition

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// theirs reads a text with Prometheus' own parser, as lines like ours.
func theirs(text []byte) ([]string, error) {
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var lines []string
	for name, f := range families {
		for _, m := range f.Metric {
			lines = append(lines, flat(name, f, m)...)
		}
	}
	return lines, nil
}

// flat takes a metric of theirs apart again.
func flat(name string, f *dto.MetricFamily, m *dto.Metric) []string {
	kind := strings.ToLower(f.GetType().String())
	if kind == "untyped" {
		kind = ""
	}
	if kind == "gauge_histogram" {
		kind = "gaugehistogram"
	}
	var out []string
	add := func(ending string, v float64, more ...Label) {
		labels := slices.Clone(more)
		for _, l := range m.Label {
			labels = append(labels, Label{outside.Word(l.GetName()), outside.Word(l.GetValue())})
		}
		out = append(out, canonical(outside.Word(name+ending), kind, labels, v, float64(m.GetTimestampMs())/1000))
	}
	switch {
	case m.Counter != nil:
		add("", m.Counter.GetValue())
	case m.Gauge != nil:
		add("", m.Gauge.GetValue())
	case m.Untyped != nil:
		add("", m.Untyped.GetValue())
	case m.Summary != nil:
		if m.Summary.SampleSum != nil {
			add("_sum", m.Summary.GetSampleSum())
		}
		if m.Summary.SampleCount != nil {
			add("_count", float64(m.Summary.GetSampleCount()))
		}
		for _, q := range m.Summary.Quantile {
			add("", q.GetValue(), Label{"quantile", number(q.GetQuantile())})
		}
	case m.Histogram != nil:
		h := m.Histogram
		if h.SampleSum != nil {
			add("_sum", h.GetSampleSum())
		}
		if h.SampleCount != nil || h.SampleCountFloat != nil {
			add("_count", max(float64(h.GetSampleCount()), h.GetSampleCountFloat()))
		}
		for _, b := range h.Bucket {
			add("_bucket", max(float64(b.GetCumulativeCount()), b.GetCumulativeCountFloat()), Label{"le", number(b.GetUpperBound())})
		}
	}
	return out
}

// ours are the same of this package. A bound is a number to them, and a text to us.
func ours(s *Scrape) []string {
	var out []string
	for _, m := range s.Samples {
		labels := slices.Clone(m.Labels)
		for i, l := range labels {
			if l.Name == "le" && (m.Type == Histogram || m.Type == GaugeHistogram) || l.Name == "quantile" && m.Type == Summary {
				if v, err := strconv.ParseFloat(l.Value, 64); err == nil {
					labels[i].Value = number(v)
				}
			}
		}
		out = append(out, canonical(m.Name, string(m.Type), labels, m.Value, m.Time))
	}
	return out
}

func canonical(name, kind string, labels []Label, v, at float64) string {
	slices.SortFunc(labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return fmt.Sprintf("%s %q %q %s @%s", kind, name, labels, number(v), number(at))
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	return strconv.FormatFloat(v+0, 'g', -1, 64)
}

// Our parser and Prometheus' read the same in every dump of a real server.
func TestAsPrometheusReads(t *testing.T) {
	files := testfiles.Glob(t, "metrics/*.prom")
	own, err := filepath.Glob("testdata/*.prom")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, path := range append(files, own...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := theirs(append(text, '\n')) // which theirs insists on, and one dump lacks
		if err != nil {
			t.Errorf("%s: Prometheus' parser: %v", path, err)
			continue
		}
		s := Parse(text)
		got := ours(s)
		slices.Sort(got)
		slices.Sort(want)
		lines += len(want)
		if s.Skipped != 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d lines passed over; %d and %d read; first difference: %s", filepath.Base(path), s.Skipped, len(got), len(want), firstDifference(got, want))
		}
	}
	if lines < 1000 {
		t.Errorf("only %d lines were compared", lines)
	}
	t.Logf("%d lines of %d files are read as Prometheus reads them", lines, len(files)+len(own))
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("\n%s\n%s", got[i], want[i])
		}
	}
	return "one has more"
}

// A name of which only a part stands in quotes is no name of the format; theirs takes it.
var halfQuoted = regexp.MustCompile(`(?m)(^|[{,]|(TYPE|HELP)[ \t])[ \t]*[a-zA-Z_:][a-zA-Z0-9_:]*"`)

// What Prometheus' parser accepts, ours reads the same.
func FuzzAsPrometheusReads(f *testing.F) {
	for _, path := range testfiles.Glob(f, "metrics/*.prom") {
		if text, err := os.ReadFile(path); err == nil {
			f.Add(text[:bytes.LastIndexByte(text[:min(len(text), 3000)], '\n')+1])
		}
	}
	for _, text := range []string{
		"# TYPE a counter\na{b=\"c\\n\\\"\\\\\"} 1 1000\n", "{\"a b\",c=\"d\"} NaN\n", "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 2\nh_count 1\n",
		"# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_sum 2\ns_count 1\n", "\"a\\nb\"{\"c d\"=\"e\"} -Inf\n", "# HELP a x\\ny\n# TYPE a gauge\na -1e-5\n", "a_created 1\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Parse(text)
		want, err := theirs(text)
		if err != nil || s.Cut || s.Ended || halfQuoted.Match(text) || len(text) > maxLine {
			return
		}
		got := map[string]int{}
		for _, line := range ours(s) {
			got[line]++
		}
		for _, line := range want {
			if strings.HasPrefix(line, "summary") || strings.Contains(line, "histogram") {
				continue // they put these together, and of two lines that are the same keep one: the dumps test them
			}
			if got[line] == 0 {
				t.Fatalf("missing %s\nin %q\nours %q", line, text, ours(s))
			}
			got[line]--
		}
	})
}

func BenchmarkOurs(b *testing.B) {
	text := dump(b)
	for b.Loop() {
		Parse(text)
	}
}

func BenchmarkTheirs(b *testing.B) {
	text := dump(b)
	for b.Loop() {
		p := expfmt.NewTextParser(model.UTF8Validation)
		if _, err := p.TextToMetricFamilies(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func dump(b *testing.B) []byte {
	text, err := os.ReadFile(testfiles.Path(b, "metrics", "vllm_0.32_cpu_live.prom"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	return text
}
