package spec

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/usage"
)

// A mapping says what names of a server's metrics mean that we don't know, or mean otherwise:
//
//	{"running": "my_active", "waiting": ["my_queue", {"name": "my_state", "labels": {"state": "queued"}}],
//	 "ttft": {"name": "my_ttft_ms", "scale": 0.001}}
//
// Names of a meaning are looked for in their order, before those that we know.

// The bounds of a mapping.
const (
	MaxMetricsMap   = 256 << 10
	mostMetricNames = 1000
	mostScale       = 1e12
)

// mapped is one name of a mapping.
type mapped struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Scale  *float64          `json:"scale"`
}

// checkMetricNames reads the mapping, if there is one.
func (s *Spec) checkMetricNames() error {
	_, err := s.MetricNames()
	return err
}

// metricNames is the mapping as the journal keeps it.
func (s *Spec) MetricNames() (list []journal.MetricName, err error) {
	if len(s.MetricsMap) == 0 {
		return nil, nil
	}
	wrong := func(format string, args ...any) error { return usage.Errorf("metrics-map", format, args...) }
	if len(s.MetricsMap) > MaxMetricsMap {
		return nil, wrong("is longer than %d KiB", MaxMetricsMap>>10)
	}
	var file map[string]json.RawMessage
	if json.Unmarshal(s.MetricsMap, &file) != nil || file == nil {
		return nil, wrong("must map meanings to names, as in {running: my_requests_active}")
	}
	meanings := make([]string, 0, len(serving.Meanings))
	for _, m := range serving.Meanings {
		meanings = append(meanings, string(m.Meaning))
	}
	for word := range file {
		if !slices.Contains(meanings, word) {
			e := usage.Errorf("metrics-map", "has the meaning %q, which there is not", outside.Word(word))
			if near := usage.Nearest(strings.ToLower(word), meanings); near != "" {
				return nil, e.WithHint("did you mean %s?", near)
			}
			return nil, e.WithHint("there are %s", strings.Join(meanings, ", "))
		}
	}
	for _, word := range meanings { // in their own order: a file's is not known any more
		raw, given := file[word]
		if !given {
			continue
		}
		names, err := readMapped(word, raw)
		if err != nil {
			return nil, err
		}
		list = append(list, names...)
	}
	switch {
	case len(list) == 0:
		return nil, wrong("maps nothing")
	case len(list) > mostMetricNames:
		return nil, wrong("has %d names: at most %d", len(list), mostMetricNames)
	}
	return list, nil
}

// readMapped reads the names of one meaning: one, or a list of them.
func readMapped(meaning string, raw json.RawMessage) (list []journal.MetricName, err error) {
	each := []json.RawMessage{raw}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		if json.Unmarshal(raw, &each) != nil {
			return nil, usage.Errorf("metrics-map", "%s must be a name, or a list of names", meaning)
		}
	}
	for _, one := range each {
		var m mapped
		if json.Unmarshal(one, &m.Name) != nil {
			d := json.NewDecoder(bytes.NewReader(one))
			d.DisallowUnknownFields()
			if err := d.Decode(&m); err != nil {
				return nil, usage.Errorf("metrics-map", "%s must have a name, and may have labels and a scale: %s", meaning, outside.Sentence(strings.TrimPrefix(err.Error(), "json: ")))
			}
		}
		name, err := m.check(meaning)
		if err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, nil
}

func (m *mapped) check(meaning string) (n journal.MetricName, err error) {
	wrong := func(format string, args ...any) (journal.MetricName, error) {
		return n, usage.Errorf("metrics-map", meaning+" "+format, args...)
	}
	n = journal.MetricName{Name: m.Name, Meaning: meaning}
	switch {
	case m.Name == "":
		return wrong("needs the name of a metric")
	case outside.Word(m.Name) != m.Name || strings.ContainsAny(m.Name, "{}\""):
		return wrong("has %q, which is no name of a metric: labels are given beside it, as in {name: x, labels: {state: queued}}", outside.Word(m.Name))
	case len(m.Labels) > 1:
		return wrong("matches %d labels: one at most", len(m.Labels))
	}
	kind, _ := serving.KindOf(serving.Meaning(meaning))
	if kind == serving.Histogram {
		for _, ending := range []string{"_bucket", "_sum", "_count"} {
			if base, has := strings.CutSuffix(m.Name, ending); has {
				return wrong("is a histogram, which is named without %s: %s", ending, base)
			}
		}
		if len(m.Labels) > 0 {
			return wrong("is a histogram: it can't be matched by a label")
		}
	}
	for label, value := range m.Labels {
		if label == "" || outside.Word(label) != label || outside.Word(value) != value {
			return wrong("matches a label that is none: %q", outside.Word(label))
		}
		n.Label, n.Value = label, value
	}
	if m.Scale != nil {
		if v := *m.Scale; !(v > 0 && v <= mostScale) || math.IsNaN(v) {
			return wrong("has the scale %v: it must be above 0 and at most %g", v, mostScale)
		}
		n.Scale = *m.Scale
	}
	return n, nil
}
