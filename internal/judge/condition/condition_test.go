package condition

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestParse: one grammar for four flags. What each took before it was one, it takes
// with the same meaning.
func TestParse(t *testing.T) {
	limit := func(metric string, op Op, v float64) Clause {
		return Clause{Kind: Limit, Metric: metric, Op: op, Limit: v}
	}
	each := func(metric string, ms float64) Clause {
		return Clause{Kind: PerRequest, Metric: metric, Op: AtMost, Limit: ms}
	}
	change := func(metric string, op Op, v float64) Clause {
		return Clause{Kind: Change, Metric: metric, Op: op, Limit: v}
	}
	width := func(metric string, v float64) Clause {
		return Clause{Kind: Width, Metric: metric, Op: Within, Limit: v}
	}
	for _, tt := range []struct {
		text string
		want []Clause
	}{
		{"p99_ttft<=500ms", []Clause{limit("p99_ttft", AtMost, 500)}},
		{"p99_ttft <= 0.5s AND p99-itl<60ms", []Clause{limit("p99_ttft", AtMost, 500), limit("p99_itl", Less, 60)}},
		{"p99_ttft_ms<.5s", []Clause{limit("p99_ttft", Less, 500)}},
		{"failed<0.1%", []Clause{limit("failed_share", Less, 0.001)}},
		{"failed<=3, completed>=100", []Clause{limit("failed", AtMost, 3), limit("completed", AtLeast, 100)}},
		{"p50_e2el<2s && p99.90_e2el<2m", []Clause{limit("median_e2el", Less, 2000), limit("p99.9_e2el", Less, 120_000)}},
		{"mean_tpot<=250µs", []Clause{limit("mean_tpot", AtMost, 0.25)}},
		{"output_throughput>1_000tok/s", []Clause{limit("output_throughput", More, 1000)}},
		{"goodput>=5", []Clause{limit("request_goodput", AtLeast, 5)}},
		{"median_e2el_including_client_queue<1s", []Clause{limit("median_e2el_including_client_queue", Less, 1000)}},
		{"p95_job<=10min and p99_job_model<1h, median_job<90s", []Clause{limit("p95_job", AtMost, 600_000), limit("p99_job_model", Less, 3_600_000), limit("median_job", Less, 90_000)}},
		{"jobs_per_gpu_hour>=12 and failed_jobs<1", []Clause{limit("jobs_per_gpu_hour", AtLeast, 12), limit("failed_jobs", Less, 1)}},
		{"duration<1h", []Clause{limit("duration", Less, 3600)}},
		{"max_concurrent_requests<=8", []Clause{limit("max_concurrent_requests", AtMost, 8)}},

		{"accuracy>=0.8 and accuracy>80%", []Clause{limit("accuracy", AtLeast, 0.8), limit("accuracy", More, 0.8)}},
		{"no_answer_share<=5 % and cut-off-share<0.01", []Clause{limit("no_answer_share", AtMost, 0.05), limit("cut_off_share", Less, 0.01)}},
		{"accuracy>-1pp", []Clause{change("accuracy", More, -0.01)}},
		{"Accuracy", []Clause{change("accuracy", NotWorse, 0)}},

		{"ttft:500", []Clause{each("ttft", 500)}},
		{"ttft:500.5 and itl_p99.9:50, first_visible:900", []Clause{each("ttft", 500.5), each("itl_p99.9", 50), each("first_visible", 900)}},
		{"job:600000 and job_model<=8min", []Clause{each("job", 600_000), each("job_model", 480_000)}},
		{"ttft<=0.5s and inter_token_max<=50ms", []Clause{each("ttft", 500), each("inter_token_max", 50)}},

		{"p99_ttft<+5%", []Clause{change("p99_ttft_ms", Less, 0.05)}},
		{"p99_ttft<5%", []Clause{change("p99_ttft_ms", Less, 0.05)}},
		{"output_throughput >= -3 %", []Clause{change("output_throughput", AtLeast, -0.03)}},
		{"p50_ttft_ms<+5% and exact_match>-1.5%", []Clause{change("median_ttft_ms", Less, 0.05), change("exact_match", More, -0.015)}},

		{"p99_ttft±5%", []Clause{width("p99_ttft", 0.05)}},
		{" p99.9_e2el +- 2.5 % ", []Clause{width("p99.9_e2el", 0.025)}},
		{"mean_tpot±1% and median_itl±2%, request_throughput+-3%", []Clause{width("mean_tpot", 0.01), width("median_itl", 0.02), width("request_throughput", 0.03)}},
	} {
		kind := tt.want[0].Kind
		got, err := Parse(tt.text, kind)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Clause{}), cmpopts.IgnoreFields(Clause{}, "Typed")); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
		again, err := Parse(written(got), kind)
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(Clause{})); err != nil || diff != "" {
			t.Errorf("%s is written %s, which is read as %s %v", tt.text, written(got), diff, err)
		}
		// The same clause given to another flag is refused, and never means another thing.
		for _, other := range []Kind{Limit, PerRequest, Change, Width} {
			if list, err := Parse(tt.text, other); other != kind && err == nil && !(other == Change && kind == Limit) {
				t.Errorf("%s as %s: %+v", tt.text, words[other].noun, list)
			}
		}
	}
}

func written(list []Clause) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = c.String()
	}
	return strings.Join(parts, " and ")
}

// TestErrors: the same sentence for the same error, whatever the flag.
func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		kind       Kind
		text, want string
	}{
		{Limit, "", "no clause is given: write one as in p99_ttft<=500ms"},
		{Change, " ", "no clause is given: write one as in p99_ttft<+5%"},
		{Width, "", "no clause is given: write one as in p99_ttft±5%"},
		{Limit, "p99_ttft", `"p99_ttft" is no clause: write a metric, <=, <, >= or >, and a value, as in p99_ttft<=500ms`},
		{Change, "p99_ttft", `"p99_ttft" is no clause: write a metric, < or >, and a value, as in p99_ttft<+5%`},
		{Width, "p99_ttft", `"p99_ttft" is no clause: write a metric, ± or +-, and a value, as in p99_ttft±5%`},
		{PerRequest, "ttft", `"ttft" is no clause: write a metric, <= or :, and a value, as in ttft:500`},
		{PerRequest, "ttft:x", `"ttft:x" is no clause`},
		{Limit, "p99_ttft==5ms", "is no clause"},
		{Limit, "p99_ttft<=5ms or p99_itl<=1ms", "is no clause"},
		{Limit, "failed<1% and ", "is no clause"},
		{Width, "p99_ttft±5% and", "is no clause"},
		{Limit, "p99_ttft<=500", "p99_ttft<=500: the limit needs a unit, such as ms or s"},
		{PerRequest, "ttft<=500", "the limit needs a unit"},
		{Limit, "p99_ttft<=500%", `can't be in "%"`},
		{Limit, "accuracy>=80", "accuracy is a share: its limit lies between 0 and 1, or is in %"},
		{Limit, "accuracy>=0.8tok/s", `can't be in "tok/s"`},
		{Change, "accuracy>-1%", "a change of accuracy is in percentage points: write accuracy>-2pp"},
		{Change, "accuracy>-100pp", "accuracy can't change by -100 points"},
		{Limit, "accuracy", "is no clause"},
		{Width, "accuracy±5%", "there is no interval of accuracy"},
		{Limit, "p99_ttft<=5kg", `can't be in "kg"`},
		{Limit, "p99_ttft<=1e999ms", "is no number"},
		{Change, "p99_ttft<+1.2.3%", "is no number"},
		{Limit, "p99_latency<=5ms", `there is no metric "p99_latency"`},
		{Limit, "p100_ttft<=5ms", "there is no metric"},
		{Limit, "p99_batch<=5ms", "there is no metric"},
		{Width, "p99_cost±5%", `there is no metric "p99_cost"`},
		{Width, "pNaN_ttft±5%", "there is no metric"},
		{PerRequest, "p99:5", `there is no metric "p99" per request or job: there are ttft, tpot, e2el, `},
		{PerRequest, "itl:5", `there is no metric "itl" per request`},
		{PerRequest, "itl_p101:5", "there is no metric"},
		{PerRequest, "ttft:-1", "ttft:-1: a limit per request can't be negative"},
		{PerRequest, "ttft>=5ms", "a limit per request is an upper one"},
		{Limit, "ttft<=1s", "ttft<=1s speaks of single requests; say of how many, as in p99_ttft<=1s, or give it to --goodput"},
		{Limit, "itl<=1s", "itl<=1s speaks of single requests"},
		{Limit, "first_token<=1s", "first_token<=1s speaks of single requests; --goodput takes it"},
		{Limit, "p99_ttft<+5%", "p99_ttft<+5% is no limit on a run: write one as in p99_ttft<=500ms; --gate takes a limit on a change"},
		{Change, "p99_ttft<5", "p99_ttft<5 is no limit on a change: write one as in p99_ttft<+5%; --slo takes a limit on a run"},
		{Change, "failed<5%", "is no limit on a change"},
		{Change, "speed<5", "is no limit on a change"},
		{Change, "throughput>-200%", "throughput>-200%: nothing can fall by 200 %"},
		{Change, "p99_ttft<+5ms", "a limit on a change is in %"},
		{Width, "p99_ttft±5", "a width is in %, above 0 and below 100"},
		{Width, "p99_ttft±0%", "a width is in %"},
		{Width, "p99_ttft±100%", "a width is in %"},
		{Width, "std_ttft±5%", "there is no interval of std_ttft: there are those of mean_, median_ or pNN_ of ttft, "},
		{Width, "goodput±5%", "there is no interval of request_goodput"},
		{Width, "ttft±5%", "there is no interval of ttft"},
		{Width, "99_ttft±5%", "is no clause"},
		{Width, "p99_ttft±NaN%", "is no clause"},
	} {
		if got, err := Parse(tt.text, tt.kind); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, %v; want an error with %q", tt.text, got, err, tt.want)
		}
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
		list, err := Parse(tt.text, Limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].Use(tt.value); got != tt.want {
			t.Errorf("%s at %v: %v, want %v", tt.text, tt.value, got, tt.want)
		}
	}
}

// TestOfEach: an SLO on a run as limits on its requests, for find's goodput.
func TestOfEach(t *testing.T) {
	for text, want := range map[string]string{
		"p99_ttft<=500ms": "ttft:500", "p99_itl<50ms": "itl_p99:50", "p50_itl<50ms": "itl_p50:50", "mean_itl<50ms": "itl_mean:50",
		"mean_e2el<=2s": "e2el:2000", "failed<1%": "", "output_throughput>=5": "", "std_itl<5ms": "", "p99_ttft>5ms": "",
	} {
		list, err := Parse(text, Limit)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := list[0].OfEach()
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
		if _, err := Parse(want, PerRequest); ok && err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"p99_ttft<=500ms and failed<0.1%", "a<1", "ttft<1e-3s,completed>5", "p99.9_e2el > 3 m", "<", "p_ttft<1ms", "p1_ttft<0_0ms",
		"p99_ttft<+5% and output_throughput>-3%", "p99_ttft±5% and mean_e2el+-2%", "p_±%", "ttft:500,itl_p99:50",
	} {
		for kind := range words {
			f.Add(seed, int(kind))
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		if kind < 0 || kind > int(Width) {
			return
		}
		list, err := Parse(text, Kind(kind))
		if err != nil {
			return
		}
		if len(list) == 0 {
			t.Errorf("%q: no clause and no error", text)
		}
		again, err := Parse(written(list), Kind(kind))
		if err != nil || written(again) != written(list) {
			t.Errorf("%q is written %q, which is read as %q, %v", text, written(list), written(again), err)
		}
		for _, c := range list {
			if c.Kind != Kind(kind) || math.IsNaN(c.Limit) || math.IsInf(c.Limit, 0) || c.Kind == Width && !(c.Limit > 0 && c.Limit < 1) || c.Kind == Change && c.Limit <= -1 {
				t.Errorf("%q: %+v", text, c)
			}
		}
	})
}
