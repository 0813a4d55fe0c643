// Package exposition reads what servers and exporters say of themselves in Prometheus' text
// format and in OpenMetrics. It is lenient: a line that it can't read is passed over and
// counted, since a scrape is never a reason to fail a run. Sizes are bounded, and words are
// cleaned where they enter.
//
// The two formats are read by one grammar, since real servers mix them. Where they differ:
//
//	              text format                  OpenMetrics
//	family        the sample's name            without _total, _created, _info
//	timestamp     milliseconds, whole          seconds
//	exemplar      none                         after the value: # {trace_id="…"} 0.5
//	end           the end of the text          # EOF
package exposition

import (
	"math"
	"strings"
)

// Type is what a family of samples is.
type Type string

// The types of both formats.
const (
	Unknown        Type = "" // also untyped
	Counter        Type = "counter"
	Gauge          Type = "gauge"
	Histogram      Type = "histogram"
	GaugeHistogram Type = "gaugehistogram"
	Summary        Type = "summary"
	Info           Type = "info"
	StateSet       Type = "stateset"
)

// Label is a name and its value.
type Label struct{ Name, Value string }

// Sample is one line.
type Sample struct {
	Name   string
	Labels []Label
	Value  float64
	Type   Type    // of its family; that of a _created line is Unknown: it counts nothing
	Time   float64 // seconds since 1970; 0: it has none
}

// Label is the value of a label; empty where there is none.
func (s *Sample) Label(name string) string {
	for i := range s.Labels {
		if s.Labels[i].Name == name {
			return s.Labels[i].Value
		}
	}
	return ""
}

// mostValue is above all that a server can have counted, and adds up without loss.
const mostValue = 1 << 60

// Sane says whether a value can be what it should be. The formats have NaN and ±Inf too,
// and some servers divide by zero.
func (s *Sample) Sane() bool { return math.Abs(s.Value) <= mostValue }

// Counts says whether a line is a total that can be compared before and after: a counter,
// the sum or count of a histogram or summary, or the time of the start. Some servers give
// no types, and some leave out the ending.
func (s *Sample) Counts() bool {
	if s.Type == Counter {
		return true
	}
	for _, ending := range []string{"_total", "_sum", "_count", "start_time_seconds"} {
		if strings.HasSuffix(s.Name, ending) {
			// A gauge may be called a count, such as Triton's nv_inference_pending_request_count.
			return s.Type != Gauge || ending != "_count" && ending != "_sum"
		}
	}
	return false
}

// Bucket says of which histogram a line is a bucket, and up to which bound. Only a
// histogram's own: a name that happens to end so has no bound.
func (s *Sample) Bucket() (histogram, bound string, ok bool) {
	histogram, ok = strings.CutSuffix(s.Name, "_bucket")
	if !ok || s.Type != Histogram && s.Type != Unknown {
		return "", "", false
	}
	bound = s.Label("le")
	return histogram, bound, bound != ""
}

// Family is what a scrape says of a name beside its samples.
type Family struct {
	Name string
	Type Type
	Help string
	Unit string
}

// Scrape is all that was read of one text.
type Scrape struct {
	Samples  []Sample
	Families []Family // in their order
	Ended    bool     // it has OpenMetrics' last line
	Skipped  int      // lines that could not be read
	Cut      bool     // it has more than is read
}

// Sum adds up the lines of a name over all their labels; ok is false where there is none
// with a sane value.
func (s *Scrape) Sum(name string) (sum float64, ok bool) {
	for i := range s.Samples {
		if m := &s.Samples[i]; m.Name == name && m.Sane() {
			sum += m.Value
			ok = true
		}
	}
	return sum, ok
}
