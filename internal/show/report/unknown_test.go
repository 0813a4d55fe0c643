package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// TestUnknownRates: rates that nobody can know are called so, and the result is one
// like any other.
func TestUnknownRates(t *testing.T) {
	m := closed()
	for i := range m.requests {
		r := &m.requests[i]
		r.UsageOutput, r.TextTokens, r.OutputTokens, r.Events.Tokens, r.Events.TokensBy = 0, 0, 1000, nil, ""
	}
	r := measured(t, m, measure.Options{})
	if r.TokensInTime.Known || r.SteadyState == nil {
		t.Fatalf("%+v, %+v", r.TokensInTime, r.SteadyState)
	}
	var console, file bytes.Buffer
	if err := errors.Join(Console(&console, r, Options{Details: true, RunDir: "x"}), JSON(&file, r, Options{RunDir: "x"})); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema(t), file.Bytes()); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"Peak output token throughput (tok/s):    unknown\n", "Output throughput (tok/s), steady:       unknown\n", "Inter-token: not known: ",
	} {
		if !strings.Contains(console.String(), want) {
			t.Errorf("the console lacks %q:\n%s", want, console.String())
		}
	}
	for _, want := range []string{`"max_output_tokens_per_s": null`, `"output_throughput": null, "total_token_throughput": null`, `"tokens_in_time": {"known": false, "reason": "nobody`} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("the result lacks %s", want)
		}
	}
}
