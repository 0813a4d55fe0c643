package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/price"
)

// What tokens cost is on the console and in the JSON, within the schema; what is not
// known says why.
func TestCost(t *testing.T) {
	rs := schema(t)
	dollars, joules, watts := 1.234567, 0.5, 700.0
	for _, tt := range []struct {
		name    string
		economy price.Economy
		want    []string
	}{
		{"all", price.Economy{
			PricePerHour: &dollars, Devices: 2, PerMillionOutput: &dollars, PerMillionTokens: &joules,
			Power: &price.PowerUse{Source: "watts", Watts: &watts, JoulesPerOutput: &joules, JoulesPerToken: &joules},
		}, []string{
			"Cost: 1.235 per million output tokens, 0.5 per million tokens (2 × 1.234567 an hour)",
			"Energy: 0.5 J per output token, 0.5 J per token (700 W, watts)",
		}},
		{"jobs", price.Economy{
			PricePerHour: &dollars, Devices: 2, PerMillionOutput: &dollars, PerMillionTokens: &joules, PerJob: &joules,
			Power: &price.PowerUse{Source: "watts", Watts: &watts, JoulesPerOutput: &joules, JoulesPerToken: &joules, JoulesPerJob: &watts},
		}, []string{
			"Cost: 0.5 per job, 1.235 per million output tokens, 0.5 per million tokens (2 × 1.234567 an hour)",
			"Energy: 700 J per job, 0.5 J per output token, 0.5 J per token (700 W, watts)",
		}},
		{
			"nothing was generated",
			price.Economy{PricePerHour: &dollars, Devices: 1, Power: &price.PowerUse{Source: "watts", Watts: &watts}},
			[]string{"Cost: unknown: no tokens (1 × 1.234567 an hour)", "Energy: unknown: no tokens (700 W, watts)"},
		},
		{"no counters", price.Economy{Devices: 1, Power: &price.PowerUse{Source: "rapl", Reason: "no counters"}}, []string{"Energy: unknown: no counters"}},
	} {
		for name, r := range results(t) {
			r.Economy = &tt.economy
			if r.End != nil {
				r.End.Stopped = "p99_ttft<=1ms can't be met"
			}
			var text, b bytes.Buffer
			if err := Console(&text, r, Options{Details: true}); err != nil {
				t.Fatal(err)
			}
			for _, line := range tt.want {
				if !strings.Contains(text.String(), line+"\n") {
					t.Errorf("%s, %s: no %q in\n%s", tt.name, name, line, text.String())
				}
			}
			if err := JSON(&b, r, Options{}); err != nil {
				t.Fatal(err)
			}
			if err := validate(t, rs, b.Bytes()); err != nil {
				t.Errorf("%s, %s: %v", tt.name, name, err)
			}
			if has := strings.Contains(b.String(), `"gave_up": "p99_ttft<=1ms can't be met"`); has != (r.End != nil) {
				t.Errorf("%s: gave_up is there: %v", name, has)
			}
		}
	}
	if (&measure.Result{End: &journal.End{Stopped: journal.UntilReached}}).GaveUp() != "" {
		t.Error("a goal that was reached is not given up")
	}
}
