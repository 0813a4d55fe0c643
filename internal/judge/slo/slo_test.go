package slo

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want SLO
	}{
		{"p99_ttft<=500ms", SLO{{Metric: "p99_ttft", Op: AtMost, Limit: 500}}},
		{"p99_ttft <= 0.5s AND p99-itl<60ms", SLO{{Metric: "p99_ttft", Op: AtMost, Limit: 500}, {Metric: "p99_itl", Op: Less, Limit: 60}}},
		{"failed<0.1%", SLO{{Metric: "failed_share", Op: Less, Limit: 0.001}}},
		{"failed<=3, completed>=100", SLO{{Metric: "failed", Op: AtMost, Limit: 3}, {Metric: "completed", Op: AtLeast, Limit: 100}}},
		{"p50_e2el<2s && p99.90_e2el<2m", SLO{{Metric: "median_e2el", Op: Less, Limit: 2000}, {Metric: "p99.9_e2el", Op: Less, Limit: 120_000}}},
		{"mean_tpot<=250µs", SLO{{Metric: "mean_tpot", Op: AtMost, Limit: 0.25}}},
		{"output_throughput>1_000tok/s", SLO{{Metric: "output_throughput", Op: More, Limit: 1000}}},
		{"goodput>=5", SLO{{Metric: "request_goodput", Op: AtLeast, Limit: 5}}},
		{"ttft<=200ms", SLO{{Metric: "ttft", Op: AtMost, Limit: 200}}},
		{"median_e2el_including_client_queue<1s", SLO{{Metric: "median_e2el_including_client_queue", Op: Less, Limit: 1000}}},
		{"duration<1h", SLO{{Metric: "duration", Op: Less, Limit: 3600}}},
	} {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Clause{})); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
		again, err := Parse(got.String())
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(Clause{})); err != nil || diff != "" {
			t.Errorf("%s is written %s, which is read as %s %v", tt.text, got, diff, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "an SLO is clauses"},
		{"p99_ttft", "is no clause"},
		{"p99_ttft==5ms", "is no clause"},
		{"p99_ttft<=500", "needs a unit"},
		{"p99_ttft<=500%", `can't be in "%"`},
		{"p99_ttft<=5kg", `can't be in "kg"`},
		{"p99_latency<=5ms", `there is no metric "p99_latency"`},
		{"p100_ttft<=5ms", "there is no metric"},
		{"p99_ttft<=1e999ms", "is no number"},
		{"p99_ttft<=1.2.3ms", "is no number"},
		{"p99_ttft<=5ms or p99_itl<=1ms", "is no clause"},
		{"failed<1% and ", "is no clause"},
	} {
		if got, err := Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, %v; want an error with %q", tt.text, got, err, tt.want)
		}
	}
}

func TestJudge(t *testing.T) {
	const text = "p99_ttft<=500ms and failed<1% and output_throughput>=100"
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		values  map[string]float64
		want    Status
		binding string
	}{
		{"all hold", map[string]float64{"p99_ttft": 400, "failed_share": 0, "output_throughput": 200}, Met, "p99_ttft<=500ms: met, at 400ms"},
		{"at the limit", map[string]float64{"p99_ttft": 500, "failed_share": 0, "output_throughput": 100}, Met, "p99_ttft<=500ms: met, at 500ms"},
		{"one is broken", map[string]float64{"p99_ttft": 400, "failed_share": 0.02, "output_throughput": 99}, Broken, "failed<1%: broken, at 2%"},
		{"one is unknown", map[string]float64{"p99_ttft": 400, "failed_share": 0}, Unknown, "p99_ttft<=500ms: met, at 400ms"},
		{"broken wins over unknown", map[string]float64{"p99_ttft": 501}, Broken, "p99_ttft<=500ms: broken, at 501ms"},
		{"a value that is no number", map[string]float64{"p99_ttft": math.NaN(), "failed_share": 0, "output_throughput": 200}, Unknown, "output_throughput>=100: met, at 200"},
		{"nothing is known", nil, Unknown, ""},
	} {
		j := s.Judge(func(m string) (float64, bool) { v, ok := tt.values[m]; return v, ok })
		binding := ""
		if b := j.Binding(); b != nil {
			binding = b.String()
		}
		if j.Status != tt.want || binding != tt.binding || len(j.Checks) != 3 {
			t.Errorf("%s: %s, binding %q; want %s, %q", tt.name, j.Status, binding, tt.want, tt.binding)
		}
	}
	if diff := cmp.Diff([]float64{99}, s.Percentiles()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ttft"}, s.Latencies()); diff != "" {
		t.Error(diff)
	}
}

func TestUse(t *testing.T) {
	for _, tt := range []struct {
		text  string
		value float64
		want  float64
	}{
		{"failed<=0", 0, 1},
		{"failed<=0", 2, math.Inf(1)},
		{"completed>=10", 5, 2},
		{"completed>=10", 0, math.Inf(1)},
		{"p99_ttft<1s", 250, 0.25},
	} {
		s, err := Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s[0].Use(tt.value); got != tt.want {
			t.Errorf("%s at %v: %v, want %v", tt.text, tt.value, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"p99_ttft<=500ms and failed<0.1%", "a<1", "ttft<1e-3s,completed>5", "p99.9_e2el > 3 m", "<", "p_ttft<1ms", "p1_ttft<0_0ms"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is written %q, which is read as %q, %v", text, s, again, err)
		}
		if s.Judge(func(string) (float64, bool) { return 1, true }).Status == Unknown {
			t.Errorf("%q: all values are known", text)
		}
	})
}

func TestValuesAreWrittenOut(t *testing.T) {
	for _, c := range []struct {
		metric string
		value  float64
		want   string
	}{
		{"p90_ttft", 12170.4, "12170ms"},
		{"p90_ttft", 52.123456, "52.12ms"},
		{"duration", 0.5, "0.5s"},
		{"request_throughput", 123456, "123456"},
	} {
		if got := format(c.metric, c.value); got != c.want {
			t.Errorf("%s of %v reads %s, want %s", c.metric, c.value, got, c.want)
		}
	}
}
