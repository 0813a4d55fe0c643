package agentic

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/ordered"
)

// serverSchema is the version of AIPerf's server_metrics_export.json whose keys these are.
const serverSchema = "1.1"

// maxSeries bounds the series of one run, far above what a server has.
const maxSeries = 20_000

// series is one line of a server's metrics over the measured time.
type series struct {
	name, url string
	kind      exposition.Type
	labels    []exposition.Label
	base      float64 // a counter before the first measured request
	last      float64
	values    []float64 // of a gauge
}

// server is what the servers' own metrics say.
type server struct {
	first, last int64 // ns on the run's clock
	urls        []string
	list        []*series
	index       map[string]*series
}

// readServer reads the metrics that were kept whole. begin is when the first measured request was sent.
func (r *Run) readServer(begin int64) (*server, error) {
	s := &server{index: map[string]*series{}}
	err := journal.ReadMetrics(filepath.Join(r.Folder, journal.MetricsName), func(t *journal.MetricsText) error {
		if len(s.list) == 0 && len(s.urls) == 0 {
			s.first = t.At
		}
		s.last = max(s.last, t.At)
		if !slices.Contains(s.urls, t.URL) {
			s.urls = append(s.urls, t.URL)
		}
		for _, sample := range exposition.Parse([]byte(t.Text)).Samples {
			s.add(t, &sample, t.At <= begin)
		}
		return nil
	})
	return s, err
}

// add takes in one sample. before: no measured request had been sent.
func (s *server) add(t *journal.MetricsText, sample *exposition.Sample, before bool) {
	name, counts := sample.Name, sample.Type == exposition.Counter
	switch {
	case !sample.Sane() || sample.Type != exposition.Counter && sample.Type != exposition.Gauge:
		return // histograms have their own form, which no reader of these files looks at
	case counts:
		name = strings.TrimSuffix(name, "_total") // as the Python client that AIPerf uses names families
	}
	key := seriesKey(t.URL, name, sample.Labels)
	one := s.index[key]
	if one == nil {
		if len(s.list) == maxSeries {
			return
		}
		one = &series{name: name, url: t.URL, kind: sample.Type, labels: sample.Labels}
		s.index[key], s.list = one, append(s.list, one)
	}
	if counts && before {
		one.base = sample.Value
	}
	one.last = sample.Value
	if !counts && !before {
		one.values = append(one.values, sample.Value)
	}
}

func seriesKey(url, name string, labels []exposition.Label) string {
	var b strings.Builder
	b.WriteString(url + "\x00" + name)
	for _, l := range labels {
		b.WriteString("\x00" + l.Name + "\x01" + l.Value)
	}
	return b.String()
}

// total is by how much a counter grew. One that is smaller than before began anew: the server was started again.
func (o *series) total() float64 {
	if o.last < o.base {
		return o.last
	}
	return o.last - o.base
}

// object is server_metrics_export.json.
func (s *server) object(r *Run) ordered.Object {
	run := r.Result.Run
	at := func(ns int64) string { return time.Unix(0, run.StartUnixNs+ns).In(zoneOf(run)).Format(isoTime) }
	metrics := ordered.Object{}
	for _, name := range s.names() {
		var list []any
		kind := exposition.Gauge
		for _, o := range s.list {
			if o.name == name {
				kind, list = o.kind, append(list, o.object())
			}
		}
		metrics = append(metrics, ordered.Member{name, ordered.Object{{"type", string(kind)}, {"description", ""}, {"series", list}}})
	}
	urls := s.urls
	if urls == nil {
		urls = []string{}
	}
	return ordered.Object{
		{"schema_version", serverSchema},
		{"benchmark_id", r.id()},
		{"summary", ordered.Object{{"endpoints_configured", urls}, {"endpoints_successful", urls}, {"start_time", at(s.first)}, {"end_time", at(s.last)}}},
		{"metrics", metrics},
		{"input_config", inputConfig(run)},
	}
}

// names are those of all series that were seen in the measured time, sorted.
func (s *server) names() (names []string) {
	for _, o := range s.list {
		names = append(names, o.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (o *series) object() ordered.Object {
	words := ordered.Object{}
	for _, l := range o.labels {
		words.Set(l.Name, l.Value)
	}
	of := ordered.Object{{"endpoint_url", o.url}, {"labels", words}}
	if o.kind == exposition.Counter {
		return append(of, ordered.Member{"stats", ordered.Object{{"total", o.total()}}})
	}
	values := o.values
	if len(values) == 0 {
		values = []float64{o.last}
	}
	d := distribution("", slices.Clone(values))
	for _, key := range []string{"unit", "count", "sum"} {
		d.Remove(key)
	}
	return append(of, ordered.Member{"stats", d})
}

// sum adds up a counter over its labels; false: the servers have none of that name. with: only series with these labels.
func (s *server) sum(name string, with ...exposition.Label) (sum float64, ok bool) {
	for _, o := range s.list {
		if o.name == name && o.has(with) {
			sum, ok = sum+o.total(), true
		}
	}
	return sum, ok
}

func (o *series) has(with []exposition.Label) bool {
	for _, l := range with {
		if !slices.Contains(o.labels, l) {
			return false
		}
	}
	return true
}

// highest is the largest value of a gauge, over its labels; false: there is none.
func (s *server) highest(names ...string) (v float64, ok bool) {
	for _, o := range s.list {
		if slices.Contains(names, o.name) {
			top := o.last
			if len(o.values) > 0 {
				top = slices.Max(o.values)
			}
			if !ok || top > v {
				v, ok = top, true
			}
		}
	}
	return v, ok
}

// byLabel adds up a counter for each value of a label.
func (s *server) byLabel(name, label string) (list ordered.Object) {
	for _, o := range s.list {
		if o.name != name {
			continue
		}
		for _, l := range o.labels {
			if l.Name == label {
				before, _ := list.Get(l.Value).(float64)
				list.Set(l.Value, before+o.total())
			}
		}
	}
	return list
}
