package exposition

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// OpenMetrics: families without endings, seconds, exemplars, a last line.
func TestOpenMetrics(t *testing.T) {
	s := Parse([]byte(`# TYPE acme_http counter
# UNIT acme_http requests
# HELP acme_http A help with \"quotes\", \\ and a\nnew line.
acme_http_total{code="200"} 17 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67 1520879607.1
acme_http_created{code="200"} 1605281325.0
# TYPE latency histogram
latency_bucket{le="0.5"} 4 # {trace_id="x # y"} 0.3
latency_bucket{le="+Inf"} 5
latency_sum 2.5
latency_count 5
latency_created 1605281325.0
# TYPE build info
build_info{version="1"} 1
# EOF
after_the_end 1
`))
	if !s.Ended || s.Skipped != 0 || s.Cut {
		t.Errorf("ended %v, %d passed over, cut %v", s.Ended, s.Skipped, s.Cut)
	}
	want := []Sample{
		{"acme_http_total", []Label{{"code", "200"}}, 17, Counter, 1520879607.789},
		{"acme_http_created", []Label{{"code", "200"}}, 1605281325, Unknown, 0},
		{"latency_bucket", []Label{{"le", "0.5"}}, 4, Histogram, 0},
		{"latency_bucket", []Label{{"le", "+Inf"}}, 5, Histogram, 0},
		{"latency_sum", nil, 2.5, Histogram, 0},
		{"latency_count", nil, 5, Histogram, 0},
		{"latency_created", nil, 1605281325, Unknown, 0},
		{"build_info", []Label{{"version", "1"}}, 1, Info, 0},
	}
	if diff := cmp.Diff(want, s.Samples); diff != "" {
		t.Error(diff)
	}
	if got, want := s.Families[0], (Family{"acme_http", Counter, `A help with "quotes", \ and a new line.`, "requests"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	counted := 0
	for i := range s.Samples {
		if s.Samples[i].Counts() {
			counted++
		}
	}
	if counted != 3 {
		t.Errorf("%d lines count, want the total, the sum and the count", counted)
	}
	if name, bound, ok := s.Samples[3].Bucket(); name != "latency" || bound != "+Inf" || !ok {
		t.Errorf("bucket %q %q %v", name, bound, ok)
	}
}

func TestLines(t *testing.T) {
	for line, want := range map[string]*Sample{
		`a 1`:                          {Name: "a", Value: 1},
		"a\t1\t":                       {Name: "a", Value: 1},
		"a 1\r":                        {Name: "a", Value: 1},
		`a{} +Inf`:                     {Name: "a", Value: math.Inf(1)},
		`a{b="c",} 1e3`:                {Name: "a", Value: 1000, Labels: []Label{{"b", "c"}}},
		`a{ b = "c" , d="e"} .5 1500`:  {Name: "a", Value: .5, Labels: []Label{{"b", "c"}, {"d", "e"}}, Time: 1.5},
		`{"grüß gott", "b c"="}"} 2`:   {Name: "grüß gott", Value: 2, Labels: []Label{{"b c", "}"}}},
		`"x.y"{b="\n\\\""} 2`:          {Name: "x.y", Value: 2, Labels: []Label{{"b", `\"`}}},
		"a{b=\"\x1b[2Jc\"} 1":          {Name: "a", Value: 1, Labels: []Label{{"b", "c"}}},
		`a{b="` + long(300) + `"} 1`:   {Name: "a", Value: 1, Labels: []Label{{"b", long(199) + "…"}}},
		`{"a"} 1`:                      {Name: "a", Value: 1},
		`a`:                            nil,
		`a{b="c} 1`:                    nil,
		`a{b=c} 1`:                     nil,
		`a{b="c"}`:                     nil,
		`a 0x10`:                       nil,
		`a 1_000`:                      nil,
		`a 1e999`:                      nil,
		`a 1 2 3`:                      nil,
		`9a 1`:                         nil,
		`{} 1`:                         nil,
		`{"a","b"} 1`:                  nil,
		`a{"b"} 1`:                     nil,
		`a{` + many(100) + `} 1`:       nil,
		`{"error":"not found"}`:        nil,
		`<html><body>hello</body>`:     nil,
		`a ` + long(maxLine) + `1`:     nil,
		`a{b="c"} 1 ` + "\"; rm -rf /": nil,
	} {
		s := Parse([]byte(line + "\n"))
		var got *Sample
		if len(s.Samples) == 1 {
			got = &s.Samples[0]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60q: %s", line, diff)
		}
		if (want == nil) != (s.Skipped == 1) {
			t.Errorf("%.60q: %d lines were passed over", line, s.Skipped)
		}
	}
}

func TestNaN(t *testing.T) {
	s := Parse([]byte("a NaN\nb -Inf\nc 1e300\nd 5\n"))
	if len(s.Samples) != 4 || !math.IsNaN(s.Samples[0].Value) {
		t.Fatalf("%+v", s.Samples)
	}
	for i, want := range []bool{false, false, false, true} {
		if s.Samples[i].Sane() != want {
			t.Errorf("%v is sane: %v", s.Samples[i].Value, !want)
		}
	}
	if _, ok := s.Sum("a"); ok {
		t.Error("NaN has a sum")
	}
}

// A million series are cut, and what is kept is bounded.
func TestBounded(t *testing.T) {
	s := Parse([]byte(strings.Repeat("a{b=\"c\"} 1\n", MaxSamples+10)))
	if len(s.Samples) != MaxSamples || !s.Cut {
		t.Errorf("%d samples, cut %v", len(s.Samples), s.Cut)
	}
}

// Labels of one line stay when room is made for another's.
func TestLabelsStay(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "a{i=\"%d\",j=\"%d\",k=\"x\"} 1\n", i, -i)
	}
	s := Parse([]byte(text.String()))
	for i := range s.Samples {
		m := &s.Samples[i]
		if m.Label("i") != fmt.Sprint(i) || m.Label("j") != fmt.Sprint(-i) || len(m.Labels) != 3 || m.Label("absent") != "" {
			t.Fatalf("line %d: %v", i, m.Labels)
		}
	}
}

func TestCounts(t *testing.T) {
	s := Parse([]byte("# TYPE pending_count gauge\npending_count 1\n# TYPE success counter\nsuccess 1\n# TYPE g gauge\ng 1\nx_total 1\nprocess_start_time_seconds 1\n" +
		"# TYPE s summary\ns_sum 1\ns{quantile=\"0.5\"} 1\n"))
	want := map[string]bool{"success": true, "x_total": true, "process_start_time_seconds": true, "s_sum": true}
	for i := range s.Samples {
		if m := &s.Samples[i]; m.Counts() != want[m.Name] {
			t.Errorf("%s counts: %v", m.Name, m.Counts())
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "l%d=\"v\",", i)
	}
	return b.String()
}
