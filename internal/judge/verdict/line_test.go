package verdict

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/bounds"
)

// A line names the worst reason, counts the others, and of failed requests it speaks first.
func TestLine(t *testing.T) {
	ok, bad := Check{Name: "drift", Level: OK}, Check{Name: "drift", Level: Suspect, Brief: "TTFT rose by 20.0 % during the run"}
	failed := Check{Name: "outcomes", Level: Invalid, Brief: "28 of 64 requests failed"}
	wide := Check{Name: "bounds", Level: Invalid, Brief: "median TTFT may be up to 60 % too high"}
	good := Check{Name: "bounds", Level: OK, Brief: "every number within 1 %"}
	unsure := Check{Name: "bounds", Level: NotChecked}
	own := Check{Name: "lag", Level: OK, Brief: "times may be up to 1.2 ms late"}
	for _, tt := range []struct {
		want string
		v    Verdict
	}{
		{"VALID", Verdict{Level: TrustValid}},
		{"VALID: 1 of 1 checks made", Verdict{Level: TrustValid, Requests: 20, Made: 1, Checks: []Check{ok}}},
		{"VALID: 2 of 2 checks made, every number within 1 %", Verdict{Level: TrustValid, Requests: 20, Made: 2, Checks: []Check{ok, good}}},
		{"VALID: 1 request, 2 of 2 checks made, every number within 1 %", Verdict{Level: TrustValid, Requests: 1, Made: 2, Checks: []Check{ok, good}}},
		{"VALID: 1 of 2 checks made, times may be up to 1.2 ms late", Verdict{Level: TrustValid, Requests: 20, Made: 1, Checks: []Check{unsure, own}}},
		{"SUSPECT: TTFT rose by 20.0 % during the run", Verdict{Level: TrustSuspect, Reasons: []string{"drift"}, Checks: []Check{bad}}},
		{"INVALID: 28 of 64 requests failed (+2 more)", Verdict{Level: TrustInvalid, Reasons: []string{"bounds", "outcomes", "drift"}, Checks: []Check{wide, bad, failed}}},
		{"SUSPECT", Verdict{Level: TrustSuspect, Reasons: []string{"of another version"}, Checks: []Check{ok}}},
	} {
		if got := tt.v.Line(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// What a line says of the numbers holds for each of them, also of short latencies, whose tenth of a millisecond nobody looks at.
func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		want     string
		smallest float64
		list     []off
	}{
		{"every number within 1 %", 50, nil},
		{"every number within 1 % or 0.1 ms", 5, nil},
		{"every number within 1 %", math.Inf(1), nil},
		{"every number within 6 %", 5, []off{{name: "mean TTFT", share: 0.0501}, {name: "p99 ITL", share: 0.04, tail: true}}},
		{"every number within 21 %", 5, []off{{name: "mean TTFT", share: 0.05}, {name: "p99 ITL", share: 0.21, tail: true}}},
		{"numbers within 5 %, tails within 44 %", 5, []off{{name: "mean TTFT", share: 0.05}, {name: "p90 ITL", share: 0.3, tail: true}, {name: "p99 ITL", share: 0.44, tail: true}}},
	} {
		if got := within(tt.list, tt.smallest); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Which way a number is off is said where it is known.
func TestBriefly(t *testing.T) {
	for _, tt := range []struct {
		want string
		off  off
	}{
		{"mean TTFT may be up to 40 % too high, this machine was held up", off{name: "mean TTFT", value: 100, share: 0.4, ends: [2]float64{60, 101}, causes: []bounds.Part{bounds.HeldUp}}},
		{"request throughput may be up to 30 % too low", off{name: "request throughput", value: 10, share: 0.3, ends: [2]float64{10, 13}}},
		{"mean ITL may be off by up to 30 %, events arrived in one read", off{name: "mean ITL", value: 10, share: 0.3, ends: [2]float64{8, 13}, causes: []bounds.Part{bounds.SharedReads}}},
	} {
		if got := tt.off.briefly(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
