package metric

import (
	"slices"
	"strings"
	"testing"
)

// TestRows: no two rows share a name, and each says what it is.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		for _, name := range []string{m.Name, m.Alias} {
			if name != "" && seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if m.Doc == "" || m.Scope == "" || m.Unit == "" {
			t.Errorf("%s has no definition, scope or unit", m.Name)
		}
		if m.IsLatency() && (m.Short == "" || m.Unit != "ms" || m.Better != Lower) {
			t.Errorf("%s is a latency without a label, or not in ms", m.Name)
		}
		if m.Scope == PerRequest != (m.Of != nil) || m.Scope == PerGap != (m.Gaps != 0) || m.Scope != PerRun && m.Run != nil {
			t.Errorf("%s has not the formula of its scope", m.Name)
		}
		if m.Reported() && m.Title == "" {
			t.Errorf("%s has no heading", m.Name)
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ word, name, key, label, column string }{
		{"p99_ttft", "p99_ttft", "p99_ttft_ms", "p99 TTFT ms", "TTFT p99"},
		{"P99-TTFT", "p99_ttft", "p99_ttft_ms", "p99 TTFT ms", "TTFT p99"},
		{"p50_itl_ms", "median_itl", "median_itl_ms", "median ITL ms", "ITL p50"},
		{"p99.90_e2el", "p99.9_e2el", "p99.9_e2el_ms", "p99.9 E2EL ms", "E2EL p99.9"},
		{"std_client_queue_time", "std_client_queue_time", "std_client_queue_time_ms", "std Client Queue Time ms", "Client Queue Time std"},
		{"mean_batch", "mean_batch", "mean_batch_ms", "mean batch ms", "batch mean"},
		{"output_throughput", "output_throughput", "output_throughput", "output tok/s", "out tok/s"},
		{"goodput", "request_goodput", "request_goodput", "good requests/s", "good req/s"},
		{"ttft", "ttft", "ttft_ms", "TTFT", "TTFT"},
		{"failed", "failed", "failed", "", "failed"},
	} {
		n, ok := ParseName(tt.word)
		if !ok || n.String() != tt.name || n.Key() != tt.key || n.Label() != tt.label || n.Column() != tt.column {
			t.Errorf("%s: %v %s, %s, %q, %q", tt.word, ok, n, n.Key(), n.Label(), n.Column())
		}
	}
	for _, word := range []string{"", "p100_ttft", "p0_ttft", "max_ttft", "p99", "p_ttft", "p99_output_throughput", "output_throughput_ms", "mean_first_token", "99_ttft"} {
		if n, ok := ParseName(word); ok {
			t.Errorf("%q is taken for %s", word, n)
		}
	}
}

func TestKeyOf(t *testing.T) {
	for word, want := range map[string]string{
		"p99_ttft": "p99_ttft_ms", "p99-ttft-ms": "p99_ttft_ms", "p50_ttft": "median_ttft_ms", "mean_speed": "mean_speed_ms",
		"exact_match": "exact_match", "output_throughput": "output_throughput", "ttft": "ttft", "tg128": "tg128",
	} {
		if got := KeyOf(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		metric string
		value  float64
		want   string
	}{
		{"p90_ttft", 12170.4, "12170ms"},
		{"p90_ttft", 52.123456, "52.12ms"},
		{"duration", 0.5, "0.5s"},
		{"request_throughput", 123456, "123456"},
		{"failed_share", 0.02, "2%"},
	} {
		if got := Format(c.metric, c.value); got != c.want {
			t.Errorf("%s of %v reads %s, want %s", c.metric, c.value, got, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, name := range LimitNames() {
		name = strings.Replace(name, "NN", "99.9", 1)
		if _, ok := ParseLimit(name); !ok {
			t.Errorf("%s is listed and not known", name)
		}
	}
	for _, name := range []string{"", "itl", "itl_", "itl_p", "itl_p101", "itl_p-1", "itl_pnan", "itl_p1e1", "itl_p9.9.9", "itl_P99", "p99", "TTFT", "inter_token", "goodput", "failed", "batch"} {
		if _, ok := ParseLimit(name); ok {
			t.Errorf("%q is taken", name)
		}
	}
}

// A row more is in the new table, before the rows that are only limits, and not in the old one. That a row is all that a
// metric needs: test/newmetric.
func TestOneMoreRow(t *testing.T) {
	of := func(table []Metric) func(string) int {
		return func(name string) int { return slices.IndexFunc(table, func(m Metric) bool { return m.Name == name }) }
	}
	limits := slices.IndexFunc(table, func(m Metric) bool { return m.LimitOnly })
	if more := with(table, Metric{Name: "new", Scope: PerRequest}); len(more) != len(table)+1 || of(more)("new") != limits {
		t.Errorf("it is row %d of %d", of(more)("new"), len(more))
	}
	if more := with(table, Metric{Name: "new", Scope: PerRun}); of(more)("new") != len(table) {
		t.Errorf("a number of the run is row %d of %d", of(more)("new"), len(more))
	}
	if Lookup("new") != nil {
		t.Error("it is in the table of all")
	}
}
